/*
 * metric_host.h - all JVMs of this machine, or one of them, read again and again.
 *
 * JVMs that begin are found at the next reading that is at least a second later than the last
 * search; JVMs that have ended are dropped. Context: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "metrics/metric.h"

struct jvms;
struct metric_jvm_open;

struct metric_host {
    bool is_all;      /* JVMs that begin are read, too */
    uint64_t seen_ns; /* when JVMs were searched for */
    uint32_t hidden;
    struct metric_jvm_open **rows; /* ordered by pid */
    uint32_t count, room;
    struct metric_set set; /* the last reading */
};

/** Begins with the JVMs in `jvms`. Errors: 0; -ENOMEM. Owner: metric_host_close(), also after an
 * error. */
int metric_host_open(struct metric_host *h, const struct jvms *jvms, bool is_all);
void metric_host_close(struct metric_host *h);
/** Makes a new reading in `set`. Errors: 0; -ESRCH: `is_all` is not set, and the JVM has ended;
 * -ENOMEM; another -errno of the search. */
int metric_host_read(struct metric_host *h);
