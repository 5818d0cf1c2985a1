/*
 * hprof_text_sites.h - the SITES table of the text form, for the table of functions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/event.h"

struct hprof_out;
struct hprof_sites;

void hprof_text_sites(struct hprof_out *o, struct hprof_sites *t);
void hprof_text_sites_summary(struct hprof_out *o, const uint64_t total[KIND_VALUES]);
