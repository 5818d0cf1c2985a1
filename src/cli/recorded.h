/*
 * recorded.h - the file that an agent wrote for this command: whether it is whole, and brought.
 *
 * It is the JVM's, in a folder that many may write, and only it has what was recorded: so it is
 * read as the user of the JVM, and removed only when a copy has every byte of it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/secret.h"

struct attach;
struct series;

enum { RECORDED_NAME = 64 };

/** The suffix of the file that the agent is to write for `output`: its own where the agent writes
 * such files, else that of a JFR recording, of which all others are made. */
const char *recorded_suffix(const char *output);
/** Whether the suffix tells a format that can be written, by the agent or by this command. */
bool recorded_can_make(const char *output);
/** Whether another JFR file can be merged into it. */
bool recorded_can_merge(const char *output);
/** The name in the JVM's /tmp; `nonce` is a number that nobody guesses. */
void recorded_name(char ret_name[RECORDED_NAME], uint64_t nonce, const char *output);

/** A file in the JVM's /tmp. Who asks acts as the user of the JVM. -1: there is none, or it is not
 * the JVM's. */
int recorded_open(const struct attach *a, const char *name);
/** Leave the recording in the JVM's /tmp under a name that nobody removes. ret_name is what it is
 * called then; "": it cannot be. Context: as the user of the JVM. */
void recorded_keep(const struct attach *a, int held, const char *name,
                   char ret_name[RECORDED_NAME]);
/** A copy of the file `from`, every byte of it; "-" is standard output. Returns an exit status,
 * after saying why it is not 0 in the name of `command`. */
int recorded_copy(const char *command, int from, const char *output);
/** Writes all of it. Errors: 0; -errno. */
int recorded_write(int fd, const char *bytes, size_t len);

/** How a recording is brought. */
struct recorded_to {
    const char *output;
    int held;                   /* the file, which has no name; HELD_FILE_NAMED: it has */
    const struct series *first; /* what a picture shows if it was measured; NULL: nothing said */
    bool is_quiet;              /* what a picture does not show is not told */
    const char *beside;   /* in the JVM's /tmp, too: merged with it, a .jfr; NULL: there is none */
    struct secret secret; /* what of `beside` is left out */
};

/**
 * Bring the file `name` in the JVM's /tmp, or the one that is held, to `to`. `is_over`: nobody
 * writes it any more. *ret_is_whole: the agent has finished it. Nothing of it stays when it is
 * whole, also where it has nothing that could be drawn, or over and copied as it is; else it gets a
 * name that is said. Returns an exit status, after saying why it is not 0.
 */
int recorded_fetch(struct attach *a, const char *name, const struct recorded_to *to, bool is_over,
                   bool *ret_is_whole);
