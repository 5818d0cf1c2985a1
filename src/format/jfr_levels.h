/*
 * jfr_levels.h - reads events of a JFR file that say how much memory and CPU time a process used,
 * and facts about the process and the machine, into the levels and findings of the model.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "profile/ids.h"

struct reader_in;
struct jfr_chunk;
struct jfr_record;
struct jfr_type;

/** Whether events of this type are read here. */
bool jfr_levels_has(const struct jfr_type *type);
/** Reads such an event. A level is kept if its time is wanted. */
void jfr_levels_take(const struct reader_in *in, const struct jfr_chunk *c,
                     const struct jfr_type *type, const struct jfr_record *record,
                     process_id process);
