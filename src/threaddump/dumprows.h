/*
 * dumprows.h - the threads of dumps as rows of a table (command/tabular.h): what `hprof threads`
 * sorts and writes as CSV and JSON. A row is a thread in a dump. Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "base/window.h"

struct dumpset;
struct tabular;
struct threaddump;
struct threads_outside;

/** Adds the columns; docs/man/hprof-threads.1 says what they hold. */
void dumprows_begin(struct tabular *t);
/** Adds the threads of dump number `number`, and of `o` the virtual threads that are not mounted.
 * `when` is the time of the dump, or "". Errors: 0; -ENOMEM. */
int dumprows_add(struct tabular *t, unsigned number, const char *when, const struct threaddump *d,
                 const struct threads_outside *o);
/** Leaves out the dumps that were not made in the window, and those of which the time is not known.
 * An edge since the start counts from the first dump that has a time. *ret_timeless: how many have
 * none. Errors: 0; E_UNSUPPORTED: a dump does not know System.nanoTime(). */
int dumprows_cut(struct dumpset *set, struct window *window, unsigned *ret_timeless);
