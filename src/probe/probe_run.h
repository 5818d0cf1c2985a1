/*
 * probe_run.h - `hprof probe TARGET count|trace`: hits of probes, counted or one by one.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "probe/probe_pair.h"
#include "probe/probe_where.h"

struct probe_counts;
struct probe_sites;
struct sink;

/** What the user asked for. */
struct probe_run {
    pid_t pid;
    const char *const
        *names; /* probe_sites_is_named(); those of functions are added to the sites */
    unsigned count;
    struct probe_pair_wish pairs; /* their names are among `names`, too */
    struct probe_where where;     /* of parsed conditions; they are tried here */
    const char *by; /* count: a line for each value of this field; NULL: for each probe */
    bool is_trace, is_json;
    uint32_t stack_bytes; /* trace: copied at each hit for its frames; 0: no frames */
    bool is_recorded;     /* trace: as a JFR file; otherwise hits are written as text */
    uint64_t duration_ns; /* 0: until a signal */
    uint32_t rate;        /* hits a second that are looked at; the others are counted as dropped */
    const volatile sig_atomic_t *is_ended; /* set by a signal */
    void (*begun)(uint32_t sites);         /* called when all probes are in place; may be NULL */
};

enum probe_run_step {
    PROBE_RUN_NAMES, /* the probes, the pairs and the fields that were asked for */
    PROBE_RUN_BY,    /* no probe has the field `by` */
    PROBE_RUN_PAIRS, /* no pair is among them */
    PROBE_RUN_OTHER,
};

/**
 * Put the probes, and write what they meet. The descriptors of the probes are closed by a child, so
 * call this once. *ret_step says what an error is about; ret->wrong and ret->why what is wrong.
 * Errors:  0; E_NOT_FOUND: no site has these names; E_UNSUPPORTED: none of them may be used;
 *          E_SYNTAX: a condition cannot be true; E_RANGE: a name of a pair names several probes;
 *          -ENOENT: the kernel has no uprobes; another -errno of perf_event_open();
 *          with `is_recorded` those of probe_record.h, too;
 *          with `stack_bytes` those of copied_stack_open(), too.
 */
int probe_run_do(struct probe_sites *s, const struct probe_run *how, struct sink *out,
                 struct probe_counts *ret, enum probe_run_step *ret_step);
