/*
 * recorded.h - fetches the file that an agent wrote for this command, and checks that it is
 * complete.
 *
 * The file belongs to the JVM, lies in a folder that many users may write, and is the only copy of
 * the recording. So it is read as the JVM's user, and removed only after every byte was copied.
 *
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

/** Whether the output is standard output, "-". It gets a JFR recording. */
bool recorded_is_stdout(const char *output);
/** What messages call the output. */
const char *recorded_said(const char *output);
/** The suffix of the file that the agent writes for `output`: the suffix of `output` if the agent
 * can write such files, otherwise that of a JFR recording, from which all other formats are
 * made. */
const char *recorded_suffix(const char *output);
/** Whether the suffix stands for a format that the agent or this command can write. */
bool recorded_can_make(const char *output);
/** Whether another JFR file can be merged into the output. */
bool recorded_can_merge(const char *output);
/** Makes the name in the JVM's /tmp; `nonce` is a random number. */
void recorded_name(char ret_name[RECORDED_NAME], uint64_t nonce, const char *output);

/** Opens a file in the JVM's /tmp. The process must have the identity of the JVM's user. -1: there
 * is no such file, or it does not belong to the JVM. */
int recorded_open(const struct attach *a, const char *name);
/** Whether the agent has finished the file, whose name says its format. */
bool recorded_is_finished(int fd, const char *name);
/** Leave the recording in the JVM's /tmp under a name that no sweep removes. ret_name is that name;
 * "": this is impossible. Context: the process has the identity of the JVM's user. */
void recorded_keep(const struct attach *a, int held, const char *name,
                   char ret_name[RECORDED_NAME]);
/** Copies every byte of the file `from`; output "-" is standard output. Returns an exit status,
 * after saying in the name of `command` why it is not 0. */
int recorded_copy(const char *command, int from, const char *output);
/** Writes all bytes. Errors: 0; -errno. */
int recorded_write(int fd, const char *bytes, size_t len);

/** How a recording is fetched. */
struct recorded_to {
    const char *output;
    int held; /* the file if it has no name; HELD_FILE_NAMED: it has a name */
    /* Series that a picture shows if it was measured; NULL: not given. */
    const struct series *first;
    bool is_quiet; /* do not say what a picture leaves out */
    /* A second .jfr file in the JVM's /tmp, which is merged with the first; NULL: none. */
    const char *beside;
    struct secret secret; /* the texts that are left out of `beside` */
};

/**
 * Fetch the file `name` in the JVM's /tmp, or the held file, as `to` says. `is_over`: no process
 * writes the file any more. *ret_is_whole: the agent has finished the file.
 *
 * The file in /tmp is removed if it was fetched and is complete, even if it has nothing that could
 * be drawn; also if it is incomplete, but no process writes it any more and it was copied
 * unchanged. Otherwise it stays under a name that is printed. Returns an exit status, after saying
 * why it is not 0.
 */
int recorded_fetch(struct attach *a, const char *name, const struct recorded_to *to, bool is_over,
                   bool *ret_is_whole);
