/*
 * top_list.h - all JVMs of the machine, again and again: their CPU time, and their counters where
 * they have a file of them.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include "cli/heap_counters.h"
#include "cli/jvm_list.h"

struct jvm;
struct top_choice;

enum {
    TOP_LIST_NAME = 256,
    TOP_LIST_VERSION = 32,
    TOP_LIST_BEFORE_VERSION = 54, /* columns */
};

struct top_list_row {
    pid_t pid;
    uint64_t began; /* process_began() */
    char user[JVM_LIST_USER];
    char version[TOP_LIST_VERSION]; /* of its JDK */
    char name[TOP_LIST_NAME];       /* of its main class */
    double uptime_s;                /* negative: unknown */
    uint64_t cpu_ns;
    double cpu_percent;
    bool has_counters;
    struct heap_counters heap;
    double gc_percent; /* pauses of collections, of the time */
};

struct top_list {
    struct top_list_row *rows;
    uint32_t count;
    uint32_t hidden; /* JVMs that we may not look at */
    double cpu_percent;
    long processors;
    time_t made;
    uint64_t at_ns; /* the same, of CLOCK_MONOTONIC; 0: not yet */
};

/** Reads all of them; rates are those since the call before. Errors: 0; -errno of /proc; -ENOMEM.
 * Owner: top_list_done(). */
int top_list_turn(struct top_list *l);
void top_list_done(struct top_list *l);
void top_list_sort(struct top_list *l, const struct top_choice *c);
