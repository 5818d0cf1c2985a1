/*
 * hprof_text_sites.h - writes the SITES table, for struct hprof_out_ops of the text form.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/event.h"

struct hprof_out;
struct hprof_sites;

void hprof_text_sites(struct hprof_out *o, struct hprof_sites *t);
void hprof_text_sites_summary(struct hprof_out *o, const uint64_t total[KIND_VALUES]);
