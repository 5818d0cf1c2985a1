/*
 * jfr_put.h - writes events of the model as events of a JFR recording: chooses the type for a kind,
 * and fills its fields.
 *
 * Kinds without a type of the JDK's, and rows that stand for several events, become sums of our own
 * (jfr_schema.h). Context: any, not signal.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/ids.h"

struct event;
struct event_timing;
struct jfr_out;

/** Writes an event with its time (event.time_ns) and its thread. */
void jfr_put_event(struct jfr_out *o, const struct event *event);
/** Writes a sum of events with the time `now_ns`. Sums of CPU samples are left out, because each
 * sample has its own event. */
void jfr_put_total(struct jfr_out *o, const struct event *event, uint64_t now_ns);
/** Writes how long the calls of a method took up to `now_ns`. */
void jfr_put_timing(struct jfr_out *o, const struct event_timing *timing, uint64_t now_ns);
/** Writes a count of the quality of the recording. */
void jfr_put_quality(struct jfr_out *o, uint64_t time_ns, const char *name, uint64_t count);
/** Writes that `samples` CPU samples of a thread found no room, at most 2^31-1. Thread 0: the
 * thread is unknown. */
void jfr_put_lost(struct jfr_out *o, uint64_t time_ns, thread_id thread, uint64_t samples);
