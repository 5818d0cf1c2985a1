/*
 * probe_tally.h - the table of `count`: a line for each probe or pair, or for each value of a field
 * of it, with the durations of pairs.
 *
 * Memory is bounded: what finds no line is counted together.
 * Context of everything here: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct probe_row;
struct probe_tally;
struct sink;

enum { PROBE_TALLY_LINES = 4096 };

/** `by`: the field whose values get a line each; NULL: none. NULL: no memory. Owner:
 * probe_tally_free(). */
struct probe_tally *probe_tally_new(const char *by);
void probe_tally_free(struct probe_tally *t);
/** Count `hits` hits, or a pair. A row without the field counts as one whose value could not be
 * read. */
void probe_tally_add(struct probe_tally *t, const struct probe_row *row, uint64_t hits);
/** Write the table: pairs by the sum of their durations, then probes by their hits. */
void probe_tally_write(struct probe_tally *t, struct sink *out, bool is_json);
