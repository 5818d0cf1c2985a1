/*
 * heap_fork.h - the heap of a JVM, written by a frozen child of the JVM. The program stands still
 * only for the fork.
 *
 * The agent is loaded if the JVM does not have it. It makes a recording that consists of one dump
 * (docs/heap-dump.md), and keeps nothing afterwards. If the JVM runs as our user and sees our
 * folder, the agent writes into that folder, and the file gets its name when it is complete.
 * Otherwise the agent writes into the JVM's /tmp, and this command copies or packs the file from
 * there. Incomplete files are removed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "format/hprof_redact.h"

struct attach;
struct jvm;

struct heap_fork {
    const char *output;  /* "-": standard output */
    const char *library; /* path of the agent library; NULL: the carried library */
    bool is_live;        /* only objects that can be reached */
    bool stands;         /* the program stands still while the child writes */
    uint32_t gzip;       /* level; 0: not packed */
    struct hprof_redact_rule redact;
};

/** Makes the dump and prints what was dumped. Returns an exit status, after saying why it is not
 * 0. */
int heap_fork_dump(struct attach *a, const struct jvm *jvm, const struct heap_fork *how);

/** A dump that gets no name. */
struct heap_fork_taking {
    const char *folder;  /* for the file, if the JVM sees this folder; else it lies in its /tmp */
    const char *library; /* path of the agent library; NULL: the carried library */
    bool is_live;        /* only objects that can be reached */
    bool stands;         /* the program stands still while the child writes */
    bool leaves_long_arrays; /* of primitives, without their elements */
};

/** Opens the folder in which the file will lie. The JVM has been looked at (attach_look()), and is
 * not touched. -1: there is none. Owner: the caller. */
int heap_fork_folder(struct attach *a, const char *folder);

/**
 * Makes the dump in a file without a name, or one that has lost its name, and says how long the
 * program stood still. Returns an exit status as heap_fork_dump(). *ret_fd is a descriptor of the
 * file for reading, which is the caller's.
 */
int heap_fork_take(struct attach *a, const struct jvm *jvm, const struct heap_fork_taking *how,
                   int *ret_fd);
