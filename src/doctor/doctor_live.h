/*
 * doctor_live.h - the facts of a live JVM, from outside: nothing is loaded into it, it is neither
 * asked nor stopped.
 *
 * Reads /proc, the counters, and the memory of the VM. What may not be read stays unknown.
 * Context: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "doctor/doctor_fact.h"
#include "metrics/metric_jvm.h"
#include "threaddump/dumpset.h"

struct jvm;

struct doctor_live {
    struct metric_jvm_open jvm;
    struct metric_set set;
    struct dumpset dumps;
    struct doctor_facts facts;
    uint64_t looked_ns;        /* when the first look was made */
    uint64_t finalizer;        /* the class java.lang.ref.Finalizer; 0: not found */
    bool has_ended, is_hidden; /* the JVM has ended; its memory may not be read */
};

/** Opens a JVM and makes the first look. `jvm` must live as long. Owner: doctor_live_close(). */
void doctor_live_open(const struct jvm *jvm, struct doctor_live *ret);
/** Makes the second look, and judges the threads. Errors: 0; -ENOMEM; -ESRCH: it has ended. */
int doctor_live_look(struct doctor_live *l);
void doctor_live_close(struct doctor_live *l);
