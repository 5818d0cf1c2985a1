/*
 * dumpwriter_run.h - writes the whole dump: classes, roots and objects, one after another.
 *
 * Context: as in dumpwriter.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "heapdump/dumpwriter.h"

/** Check that the ids are large enough for the heap. Errors: 0; E_LIMIT; `why` says more. */
int dumpwriter_run_check_ids(struct dumpwriter *w);
/** Write the dump. Errors: 0; -ENOMEM; E_FACT_MISSING; the sink's error; `why` says more. */
int dumpwriter_run(struct dumpwriter *w);
