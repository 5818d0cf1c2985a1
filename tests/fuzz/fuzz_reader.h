/*
 * fuzz_reader.h - one input through a reader, and what was read through both writers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

/** Reads `bytes` with the format `name`; aborts when the reader breaks a promise of format.h. */
void fuzz_reader(const char *name, const uint8_t *bytes, size_t len);
