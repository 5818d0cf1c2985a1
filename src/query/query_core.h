/*
 * query_core.h - a core file as an input: its heap is written as a dump into a temporary file, as
 * `hprof heap CORE` does, once a query asks for a table of heaps.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct query;
struct query_input;

/** Replaces the core by the dump of its heap. Says what is missing in it. Errors: 0; negative after
 * saying why. */
int query_core_take(struct query *q, struct query_input *in);
