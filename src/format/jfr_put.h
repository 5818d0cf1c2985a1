/*
 * jfr_put.h - events of the model as events of a JFR recording: which type a kind has, and how its
 * fields are filled.
 *
 * Kinds without a type of the JDK's, and what stands for several events, become sums of our own
 * (jfr_schema.h). Context: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/ids.h"

struct event;
struct event_timing;
struct jfr_out;

/** An event of its time (event.time_ns), on its thread. */
void jfr_put_event(struct jfr_out *o, const struct event *event);
/** A sum of events, dated `now_ns`. Samples, which come one by one, are left out. */
void jfr_put_total(struct jfr_out *o, const struct event *event, uint64_t now_ns);
/** How long the calls of a method took by `now_ns`. */
void jfr_put_timing(struct jfr_out *o, const struct event_timing *timing, uint64_t now_ns);
/** So many samples of CPU time of a thread that found no room, up to 2^31-1; 0: whose is unknown.
 */
void jfr_put_lost(struct jfr_out *o, uint64_t time_ns, thread_id thread, uint64_t samples);
