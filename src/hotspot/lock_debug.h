/*
 * lock_debug.h - the monitors that compiled code holds at a call site, from its debug data.
 *
 * Source: HotSpot scopeDesc.cpp, debugInfo.cpp (MonitorValue, ScopeValue), location.hpp.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct oops;

struct lock_debug {
    uint64_t object;
    uint32_t level; /* level of inlining; 0: innermost */
};

/**
 * Find the monitors at return address `pc` of a frame with stack pointer `sp`. Objects that the
 * compiler removed, and constants, are left out. Returns how many there are, at most `max`.
 * *ret_is_bare is true if the debug data has no monitors at all: then no frame at `pc` holds a
 * monitor.
 */
uint32_t lock_debug_find(const struct oops *o, uint64_t pc, uint64_t sp, struct lock_debug *found,
                         uint32_t max, bool *ret_is_bare);
