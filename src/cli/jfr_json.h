/*
 * jfr_json.h - events as JSON, byte for byte as the JDK's `jfr print --json` has them, but for the
 * contexts where they are asked for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct jfr_printer;
struct jfr_record;
struct jfr_type;

void jfr_json_begin(struct jfr_printer *o);
void jfr_json_event(struct jfr_printer *o, const struct jfr_type *type,
                    const struct jfr_record *record);
/** What a contextual event says of others, as one of them has it where the printer has contexts. */
void jfr_json_context(struct jfr_printer *o, const struct jfr_type *type,
                      const struct jfr_record *record);
void jfr_json_end(struct jfr_printer *o);
