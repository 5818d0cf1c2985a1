/*
 * hprof_bin_sites.h - writes ALLOC SITES and HEAP SUMMARY: slots of the binary form.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "profile/event.h"

struct writer_out;
struct writer_sites;

int hprof_bin_sites(struct writer_out *w, struct writer_sites *t);
void hprof_bin_sites_summary(struct writer_out *w, const uint64_t total[KIND_VALUES]);
