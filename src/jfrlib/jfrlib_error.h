/*
 * jfrlib_error.h - the errors of the reader as those of the interface.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <hprof_jfr.h>

/** The code for an error of src/jfr or an -errno. `is_short`: the budget was. */
int jfrlib_error_code(int error, bool is_short);
/** Fills `e`. `detail` NULL: the sentence for the code. Returns the code. */
int jfrlib_error_set(struct hprof_jfr_error *e, int error, bool is_short, uint64_t offset,
                     const char *detail);
