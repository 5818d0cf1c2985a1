/*
 * jfr_levels.h - events of a JFR file that say how much memory and CPU time its process used, and
 * what the process and the machine are, as levels and findings of the model.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "profile/ids.h"

struct format_in;
struct jfr_chunk;
struct jfr_record;
struct jfr_type;

/** Whether events of this type are any. */
bool jfr_levels_has(const struct jfr_type *type);
/** Takes such an event, where its time is wanted. */
void jfr_levels_take(const struct format_in *in, const struct jfr_chunk *c,
                     const struct jfr_type *type, const struct jfr_record *record,
                     process_id process);
