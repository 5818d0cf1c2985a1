/*
 * dumpwriter_run.h - the dump itself: classes, roots and objects, one after the other.
 *
 * Context: as dumpwriter.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "heapdump/dumpwriter.h"

/** 0, or E_LIMIT with `why`: the heap is too large for ids of so many bytes. */
int dumpwriter_run_check_ids(struct dumpwriter *w);
/** Errors: 0; -ENOMEM, E_FACT_MISSING, or the sink's error; see `why`. */
int dumpwriter_run(struct dumpwriter *w);
