/*
 * jfr_wall.h - which jdk.ExecutionSample of a chunk are samples of the wall clock.
 *
 * async-profiler had no event of its own for them before its version 4: what its option event=wall
 * or wall= measures, is among the samples of CPU time. It says in its settings what was asked for,
 * and samples of CPU time have the state STATE_DEFAULT there if there are others. A thread that
 * sleeps uses no CPU time, whoever says so.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct jfr_chunk;
struct jfr_record;
struct jfr_type;
struct jfr_value;

struct jfr_wall {
    bool is_all;  /* of the chunk: event=wall */
    bool has_any; /* wall= beside another event */
};

/** Takes a jdk.ActiveSetting. */
void jfr_wall_setting(struct jfr_wall *w, const struct jfr_chunk *c, const struct jfr_type *type,
                      const struct jfr_record *record);
/** Whether the jdk.ExecutionSample is one, of a chunk whose settings were all taken. */
bool jfr_wall_is(const struct jfr_wall *w, const struct jfr_chunk *c,
                 const struct jfr_value *event);
