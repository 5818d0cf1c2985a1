/*
 * units.h - parses durations and sizes as people write them.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

/**
 * Parse "10", "500us", "1ms", "1.7s", "5min" or "5m", "1h", "1d", "100ns" to nanoseconds. A number
 * without a unit has the unit `bare_ns`.
 *
 * Errors:  0; E_SYNTAX for any other text, also an empty one or one with a sign; E_RANGE beyond
 *          2^63-1 ns.
 */
int units_parse_duration(const char *text, uint64_t bare_ns, uint64_t *ret_ns);
/** Parse "4096", "512k", "16m", "1g" (powers of 1024, either case) to bytes. Errors: like
 * units_parse_duration(); E_RANGE beyond 2^64-1 bytes. */
int units_parse_size(const char *text, uint64_t *ret_bytes);
