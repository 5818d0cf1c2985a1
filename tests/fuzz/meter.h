/*
 * meter.h - what an input costs: the memory and the processor time that a target takes for it.
 *
 * Memory is the most that malloc() and its like had given at one time, counted byte by byte in
 * builds with glibc; time is that of the thread. Both have a bound by the length of the input, a
 * thousand times what an ordinary one of it takes: what grows by the square, or believes a number
 * of the file, is beyond it. Builds with a sanitizer are not judged.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

/** Defined by a target for which each input may take so much memory; otherwise 8 MB. */
extern const size_t meter_least __attribute__((weak));

void meter_begin(void);
/** Ends the test with a message where the input of `len` bytes has cost too much. */
void meter_end(size_t len);
/** The dearest inputs so far, for the last line. */
void meter_say(void);
