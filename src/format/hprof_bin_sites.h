/*
 * hprof_bin_sites.h - writes ALLOC SITES and HEAP SUMMARY, for struct hprof_out_ops of the binary
 * form.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/event.h"

struct hprof_out;
struct hprof_sites;

void hprof_bin_sites(struct hprof_out *o, struct hprof_sites *t);
void hprof_bin_sites_summary(struct hprof_out *o, const uint64_t total[KIND_VALUES]);
