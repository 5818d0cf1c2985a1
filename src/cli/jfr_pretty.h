/*
 * jfr_pretty.h - events as text for people, as the JDK's `jfr print` has them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct jfr_printer;
struct jfr_record;
struct jfr_type;

void jfr_pretty_begin(struct jfr_printer *o);
void jfr_pretty_event(struct jfr_printer *o, const struct jfr_type *type,
                      const struct jfr_record *record);
void jfr_pretty_end(struct jfr_printer *o);
