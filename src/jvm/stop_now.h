/*
 * stop_now.h - measures a stop of a live JVM that is not over yet.
 *
 * The counters of stops change only when a stop has ended (hotspot/vm_stop.h), so they show nothing
 * of a long stop. No messages are printed, because a user who may read the file of counters may not
 * always read the memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "hotspot/target.h"
#include "hotspot/vm_stop.h"
#include "mem/mem_live.h"

struct stop_now {
    struct mem_live live;
    struct target target;
    struct vm_stop stop;
    bool is_open;
};

/** Opens process `pid`; 0: none. If the process cannot be read, no stop is seen. Owner:
 * stop_now_close(). */
void stop_now_open(struct stop_now *s, pid_t pid);
/** The seconds of the current stop that the counters do not have; 0: there is no stop, or it is not
 * known. `count` as for vm_stop_read(). */
double stop_now_s(struct stop_now *s, uint64_t count);
void stop_now_close(struct stop_now *s);
