/*
 * dumpseries.h - several dumps of one JVM: each thread over time.
 *
 * A thread is the same one in two dumps if it has the same number, or, in dumps without numbers,
 * the same name. Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "threaddump/dumplocks.h"
#include "threaddump/dumpset.h"

struct dumpseries_place {
    uint32_t dump, thread; /* indexes */
};

/** A thread over time. */
struct dumpseries_thread {
    uint32_t first, count; /* its places, ordered by dump */
    bool is_same_stack;    /* in all dumps, with one stack and state */
    bool is_blocked;       /* in all dumps it waits for a lock that a thread has */
    double cpu_s;          /* CPU time between its first and its last place; -1: not known */
    double elapsed_s;      /* the time between these; -1: not known */
};

struct dumpseries {
    const struct dumpset *set;
    struct dumpseries_place *places;
    uint32_t place_count;
    struct dumpseries_thread *threads;
    uint32_t count;
    struct dumplocks *locks; /* of each dump */
    uint32_t begun, ended;   /* threads that the first dump does not have; that the last has not */
    bool is_mixed;           /* the dumps are of several JVMs: nothing else is known */
};

/** Errors: 0; -ENOMEM. Owner: dumpseries_done(), also after an error; borrows the set. */
int dumpseries_make(const struct dumpset *set, struct dumpseries *ret);
void dumpseries_done(struct dumpseries *s);
/** The row of a thread in one of its dumps. */
const struct threaddump_thread *dumpseries_at(const struct dumpseries *s,
                                              const struct dumpseries_thread *t, uint32_t n);
/** Seconds behind "cpu=" or "elapsed=" in the head of a thread; -1: there is no such word. */
double dumpseries_seconds(const struct threaddump_thread *t, const char *word);
