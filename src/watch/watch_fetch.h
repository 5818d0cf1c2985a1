/*
 * watch_fetch.h - takes the files of a recording out of the /tmp of its JVM, into the spool.
 *
 * The files are read and removed as the JVM's user, and written as this program's. The order is:
 * copy, state, remove. If this process ends in between, the next one finds the copy, or the file,
 * or both, and never counts a file twice or loses it: a copy has the name of its file.
 * Context: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct attach;
struct watch_state;

enum { WATCH_FETCH_NAME = 64 };

/** What came of it. */
struct watch_fetched {
    uint32_t taken;   /* files that are in the spool now */
    uint32_t missing; /* files that the JVM has made and that are gone */
    uint32_t refused; /* files that are none of the agent's, or too large */
    bool is_stuck;    /* the spool takes nothing: its disk is full */
};

struct watch_fetch {
    struct attach *attach; /* of which only `socket.tmp`, `socket.process` and `before` are used */
    struct watch_state *state;
    const char *spool;   /* the path of the folder */
    int folder;          /* its descriptor */
    uint64_t most_bytes; /* the longest file that is taken */
};

/** The name of a file in the JVM's /tmp. */
void watch_fetch_name(uint64_t token, uint32_t number, char ret_name[WATCH_FETCH_NAME]);
/** The same for file= of the agent, where the agent puts the number in. */
void watch_fetch_pattern(uint64_t token, char ret_name[WATCH_FETCH_NAME]);
/** Reads the path of such a file. Returns whether it is one. */
bool watch_fetch_parse(const char *path, uint64_t *ret_token, uint32_t *ret_number);
/**
 * Takes the files that the agent has finished, up to the one before `end`. UINT32_MAX: the
 * recording is over, so all of them, whether finished or not.
 * Context: the process has the identity of the JVM's user, also afterwards.
 */
void watch_fetch(const struct watch_fetch *f, uint32_t end, struct watch_fetched *ret);
