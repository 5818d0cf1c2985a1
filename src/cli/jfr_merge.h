/*
 * jfr_merge.h - `hprof jfr merge`: recordings of several JVMs, or of several parts of a run, as one
 * file.
 *
 * Chunks go in whole, in the order in which they began. Those of the JVM whose chunk is the first
 * stay as they are; for each other JVM types get numbers, and moments a clock, by which no reader
 * takes anything of one JVM for that of another (jfr/jfr_renumber.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

/**
 * Writes the chunks of all files into one. A chunk that several files have, as two dumps of one
 * JVM do, is written once. Returns an enum cmd_status.
 */
int jfr_merge_files(const char *const *paths, size_t count, const char *output);
