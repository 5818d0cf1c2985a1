/*
 * firefox_ms.h - times in milliseconds, as the Firefox Profiler has them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <inttypes.h>
#include <stdint.h>
#include "base/sink.h"

enum { FIREFOX_MS_NS = 1000000 };

/** With six digits behind the point. */
static inline void firefox_ms_put(struct sink *s, uint64_t ns)
{
    sink_printf(s, "%" PRIu64 ".%06" PRIu64, ns / FIREFOX_MS_NS, ns % FIREFOX_MS_NS);
}
