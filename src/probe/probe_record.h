/*
 * probe_record.h - hits of probes as a JFR recording: each probe is a type of events with its
 * arguments as fields.
 *
 * A chunk is written every few seconds and at the end, so a recording that was broken off has all
 * chunks up to then.
 * Context of everything here: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "probe/probe_hit.h"

struct copied_stack_result;
struct probe_record;
struct probe_counts;
struct sink;

enum { PROBE_RECORD_TYPES = 64 /* CUSTOM_TYPES */ };

/**
 * Begin a recording in the file of `out`, which is borrowed and gets nothing else. `forms`: `count`
 * sites, borrowed; those without a name are left out. Sites of one probe share a type, with the
 * fields of the site that has most. Errors: 0; E_LIMIT: more probes than PROBE_RECORD_TYPES;
 * -ENOMEM. Owner: probe_record_close().
 */
int probe_record_open(struct sink *out, const struct probe_hit_form *forms, uint32_t count,
                      bool has_stack, struct probe_record **ret);
/** Add a hit of the site `site`. `values`: those of its fields. `stack` NULL: none. */
void probe_record_add(struct probe_record *r, uint32_t site, const struct probe_ring_hit *hit,
                      const struct probe_hit_value *values,
                      const struct copied_stack_result *stack);
/** Call this now and then. Errors: 0; -errno of writing, for ever. */
int probe_record_flush(struct probe_record *r);
/** Write the counts and everything else, and free the memory. Errors: as probe_record_flush(). */
int probe_record_close(struct probe_record *r, const struct probe_counts *counts);
