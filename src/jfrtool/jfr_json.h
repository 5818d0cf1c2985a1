/*
 * jfr_json.h - writes events as JSON, byte for byte as the JDK's `jfr print --json` does; only
 * contexts are added if the user asks for them.
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
/** Writes what a contextual event says, as a member of the "context" of another event. */
void jfr_json_context(struct jfr_printer *o, const struct jfr_type *type,
                      const struct jfr_record *record);
void jfr_json_end(struct jfr_printer *o);
