/*
 * textin_events.h - reads an EVENTS table of any kind; for the list of records in
 * format_hprof_text.c.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "format/textin.h"

/** `s` is the rest of the table's first line; it begins with the word of the kind. */
void textin_events(struct textin *t, struct textin_span s);
