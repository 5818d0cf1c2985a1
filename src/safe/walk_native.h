/*
 * walk_native.h - walker=vm with native=y: C and C++ frames too, and threads that are not Java's.
 *
 * Adapts hs_mixed.h to signal handlers of the agent: all frames of the interrupted thread at once,
 * the Java ones named as walk_vm.h names them.
 * Context: signal, where not said otherwise. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/hs_memory.h"
#include "safe/walk.h"

struct hs_names;
struct hs_names_visit;
struct regs;

/** In walk_frame.flags of a native frame: its callers, up to the next Java frame, are not known. */
enum { WALK_NATIVE_CUT = 0x100 };

/** kind WALK_KIND_CPP: method is the pc (of callers: within the call), not a name. */
extern const struct walker walk_native;

/** Prepares walks of C code, as walk_vm_prepare() does those of Java; that function is called
 * before. Context: any, before the first signal. */
void walk_native_prepare(const struct hs_memory *memory, struct hs_names *names);

/**
 * A Java thread of any memory, from registers: as walk_vm_thread(). `names`: of own classes, above
 * which no C code is shown; then frames may be named already (HS_FRAME_NAMED). NULL: none.
 */
int walk_native_thread(const struct hs_memory *memory, struct hs_names_visit *names,
                       uint64_t java_thread, const struct regs *regs, const void *window,
                       struct walk_frame *frames, uint32_t max, bool *ret_truncated);

/**
 * Native frames alone from registers on, to the end of the thread or the first code without a row.
 * `may_read` as of hs_mixed_begin_native(). Returns how many; writes `max` at most.
 */
uint32_t walk_native_alone(const struct hs_memory *memory, const struct regs *regs, bool may_read,
                           struct walk_frame *frames, uint32_t max, bool *ret_truncated);
