/*
 * firefox_ms.h - times in milliseconds, the unit of the Firefox Profiler.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <inttypes.h>
#include <stdint.h>
#include "base/sink.h"

enum { FIREFOX_MS_NS = 1000000 };

/** Writes the time with six digits after the point: 1500000 ns are "1.500000". */
static inline void firefox_ms_put(struct sink *s, uint64_t ns)
{
    sink_printf(s, "%" PRIu64 ".%06" PRIu64, ns / FIREFOX_MS_NS, ns % FIREFOX_MS_NS);
}
