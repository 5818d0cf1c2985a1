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
struct probe_counts;
struct probe_frames;
struct probe_pairs;
struct probe_record;
struct probe_row;
struct sink;

enum { PROBE_RECORD_TYPES = 64 /* CUSTOM_TYPES */ };

/** What the events of a recording are. All is borrowed. */
struct probe_record_of {
    const struct probe_hit_form *forms; /* of the sites; those without a name are left out */
    uint32_t count;
    const struct probe_pairs *pairs;
    bool has_stack;
};

/**
 * Begin a recording in the file of `out`, which is borrowed and gets nothing else. A pair is a
 * type, and so is a probe that is in no pair. Sites of one probe share a type, with the fields of
 * the site that has most. Errors: 0; E_LIMIT: more types than PROBE_RECORD_TYPES; -ENOMEM.
 * Owner: probe_record_close().
 */
int probe_record_open(struct sink *out, const struct probe_record_of *of,
                      struct probe_record **ret);
/** Note the thread and the frames of a hit. `stack` NULL: none. */
void probe_record_frames(struct probe_record *r, const struct probe_ring_hit *hit,
                         const struct copied_stack_result *stack, struct probe_frames *ret);
/** Add a hit of the site `site`; if row->end, a pair of the number `pair`. */
void probe_record_add(struct probe_record *r, uint32_t site, uint32_t pair,
                      const struct probe_row *row);
/** Call this now and then. Errors: 0; -errno of writing, for ever. */
int probe_record_flush(struct probe_record *r);
/** Write the counts and everything else, and free the memory. Errors: as probe_record_flush(). */
int probe_record_close(struct probe_record *r, const struct probe_counts *counts);
