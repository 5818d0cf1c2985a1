/*
 * stop_now.h - the stop of a live JVM that lasts at this moment, beside its counters.
 *
 * The counters of stops move when a stop has ended (hotspot/vm_stop.h), so who waits for the end
 * of a long one would see nothing of it. Says nothing: who may read the counters' file may not
 * always read the memory. SPDX-License-Identifier: Apache-2.0
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

/** Of process `pid`; 0 is none. Where it cannot be looked at no stop is seen. Owner:
 * stop_now_close(). */
void stop_now_open(struct stop_now *s, pid_t pid);
/** The seconds of the stop that lasts which the counters do not have; 0: there is none, or it is
 * not known. */
double stop_now_s(struct stop_now *s);
void stop_now_close(struct stop_now *s);
