/*
 * heap_fork.h - the heap of a JVM, written by a frozen child of it: the program stands still for
 * the fork alone.
 *
 * The agent is loaded where it is not there yet, makes a recording that is nothing but one dump
 * (docs/heap-dump.md), and keeps nothing. Where its user is ours and sees our folder, it writes
 * there, and the file gets its name when it is whole; else into the JVM's /tmp, from where it is
 * copied, or packed. What is not whole is removed. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct attach;
struct jvm;

struct heap_fork {
    const char *output;  /* "-": standard output */
    const char *library; /* of the agent; NULL: the one that is carried */
    bool is_live;        /* only objects that can be reached */
    uint32_t gzip;       /* level; 0: not packed */
};

/** Returns an exit status, after saying why it is not 0; else prints what has been dumped. */
int heap_fork_dump(struct attach *a, const struct jvm *jvm, const struct heap_fork *how);
