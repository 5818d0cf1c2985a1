/*
 * textin_histo.h - reads HISTOGRAM and LIVE HISTOGRAM; for the list of records in
 * format_hprof_text.c. `s` is the rest of the first line.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "format/textin.h"

void textin_histo(struct textin *t, enum kind_id kind, struct textin_span rest_of_line);
