/*
 * watch_state.h - what is known of a recording, in a file of the spool, so that a restart of this
 * process goes on with it.
 *
 * The file jvm-TOKEN is written before the recording begins. So each file that a JVM may have made
 * for this process is known, also if the JVM or this process ends at any moment. The file goes when
 * the recording has ended and nothing of it waits in the spool. Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "watch/watch_labels.h"

enum { WATCH_STATE_HOST = 256, WATCH_STATE_BOOT = 40, WATCH_STATE_NAME = 24 };

struct watch_state {
    uint64_t token;              /* of the recording; never 0 */
    uint64_t began;              /* of the JVM: process_began() */
    pid_t pid;                   /* of the JVM, as we see it */
    char boot[WATCH_STATE_BOOT]; /* of the machine: numbers of processes are of one boot */
    uid_t uid;                   /* as whom the files of the JVM are read */
    gid_t gid;
    uint64_t tmp_device, tmp_file; /* the folder where the JVM writes */
    uint32_t next;                 /* the number of the first file that was not taken yet */
    unsigned level;                /* how much is thinned */
    bool is_ended;                 /* no more files will come */
    char host[WATCH_STATE_HOST];   /* where the JVM runs; "": unknown */
    struct watch_labels labels;
};

/** A state of this boot with a new token. */
void watch_state_begin(struct watch_state *s);
/** Whether the JVM of the state may live: the machine was not started again since then. */
bool watch_state_is_of_boot(const struct watch_state *s);
/** Writes the file in the folder, whole or not at all. Errors: 0; -errno. */
int watch_state_write(const struct watch_state *s, int folder);
/** Reads the file. Errors: 0; -ENOENT; E_FORMAT; another -errno. */
int watch_state_read(struct watch_state *s, int folder, uint64_t token);
void watch_state_remove(const struct watch_state *s, int folder);
/** Reads the name of such a file. Returns whether it is one. */
bool watch_state_parse(const char *name, uint64_t *ret_token);
