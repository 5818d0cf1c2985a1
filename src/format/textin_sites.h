/*
 * textin_sites.h - reads the SITES table; for the list of records in format_hprof_text.c.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "format/textin.h"

void textin_sites(struct textin *t, enum kind_id kind, struct textin_span rest_of_line);
