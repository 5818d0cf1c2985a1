/*
 * heaphisto.h - reads a saved histogram of classes: what `hprof histo` prints, and also jmap -histo
 * and jcmd GC.class_histogram.
 *
 * A row is " 1:  50743  43367440  [B (java.base@25.0.3)". Names become those of Java source,
 * byte[]; the module is left out. The last row "Total" is not needed.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/** A class; several rows may have one name. Returns whether more are wanted. */
typedef bool heaphisto_visit(void *with, const char *name, uint64_t objects, uint64_t bytes);

/**
 * Reads the file. *ret_ms is when it was written last, in ms since 1970.
 *
 * Errors: -errno; E_FORMAT: it is no histogram.
 */
int heaphisto_read(const char *path, heaphisto_visit *visit, void *with, int64_t *ret_ms);
/** Whether a file looks like a histogram: its first row that is not a head is one. */
bool heaphisto_is(const char *path);
