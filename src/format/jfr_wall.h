/*
 * jfr_wall.h - finds the events jdk.ExecutionSample of a chunk that are samples of wall-clock time.
 *
 * Before its version 4 async-profiler had no type of its own for them: samples of the options
 * event=wall and wall= are events of the same type as samples of CPU time. The events
 * jdk.ActiveSetting say which options were given. If there are samples of both clocks, those of CPU
 * time have the state STATE_DEFAULT. A sample of a sleeping thread is never one of CPU time,
 * whatever program wrote the file.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct jfr_chunk;
struct jfr_record;
struct jfr_type;
struct jfr_value;

struct jfr_wall {
    bool is_all;  /* event=wall: all samples of the chunk are */
    bool has_any; /* wall= in addition to another event */
};

/** Reads an event jdk.ActiveSetting. */
void jfr_wall_setting(struct jfr_wall *w, const struct jfr_chunk *c, const struct jfr_type *type,
                      const struct jfr_record *record);
/** Whether the event jdk.ExecutionSample is a sample of wall-clock time. All settings of the chunk
 * must have been read. */
bool jfr_wall_is(const struct jfr_wall *w, const struct jfr_chunk *c,
                 const struct jfr_value *event);
