/*
 * top_list.h - reads all JVMs of the machine again and again: their CPU time, and their counters if
 * they have a file of counters.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include "jvm/heap_counters.h"
#include "jvm/jvm_list.h"

struct jvm;
struct top_choice;

enum {
    TOP_LIST_NAME = 256,
    TOP_LIST_VERSION = 32,
    TOP_LIST_BEFORE_VERSION = 54, /* columns before the version */
};

struct top_list_row {
    pid_t pid;
    uint64_t began; /* process_began() of the process */
    char user[JVM_LIST_USER];
    char version[TOP_LIST_VERSION]; /* version of its JDK */
    char name[TOP_LIST_NAME];       /* name of its main class */
    double uptime_s;                /* negative: unknown */
    uint64_t cpu_ns;
    double cpu_percent;
    bool has_counters;
    struct heap_counters heap;
    double gc_percent; /* percent of the time spent in pauses of collections */
};

struct top_list {
    struct top_list_row *rows;
    uint32_t count;
    uint32_t hidden; /* number of JVMs that we may not read */
    double cpu_percent;
    long processors;
    time_t made;
    uint64_t at_ns; /* the same moment in CLOCK_MONOTONIC; 0: not read yet */
};

/** Reads all JVMs. Rates are those since the last call. Errors: 0; -errno of /proc; -ENOMEM. Owner:
 * top_list_done(). */
int top_list_turn(struct top_list *l);
void top_list_done(struct top_list *l);
void top_list_sort(struct top_list *l, const struct top_choice *c);
