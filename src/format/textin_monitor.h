/*
 * textin_monitor.h - reads MONITOR DUMP and MONITOR TIME; for the list of records in
 * format_hprof_text.c. `s` is the rest of the first line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "format/textin.h"

void textin_monitor_dump(struct textin *t, struct textin_span s);
void textin_monitor_time(struct textin *t, enum kind_id kind, struct textin_span s);
