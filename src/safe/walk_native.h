/*
 * walk_native.h - walker=vm with native=y: also C and C++ frames, and threads that are not Java
 * threads.
 *
 * This file adapts hs_mixed.h to signal handlers of the agent. A walk takes all frames of the
 * interrupted thread at once; Java frames are named as walk_vm.h names them.
 * Context: signal, unless said otherwise.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "safe/hs_memory.h"
#include "safe/walk.h"

struct hs_names;
struct hs_names_visit;
struct regs;

/** In walk_frame.flags of a native frame: its callers up to the next Java frame are not known. */
enum { WALK_NATIVE_CUT = 0x100 };

/** In a frame of kind WALK_KIND_CPP, `method` is the pc (for callers: an address within the call),
 * not a name. */
extern const struct walker walk_native;

/** Prepare walks of C code. Call walk_vm_prepare() first, which prepares walks of Java code.
 * Context: any, before the first signal. */
void walk_native_prepare(const struct hs_memory *memory, struct hs_names *names);

/**
 * Walk a Java thread of any memory, from registers, as walk_vm_thread() does. `names` is used to
 * find own classes, above which no C code is shown; then frames may already have their names
 * (HS_FRAME_NAMED). NULL: own classes are not looked for.
 */
int walk_native_thread(const struct hs_memory *memory, struct hs_names_visit *names,
                       uint64_t java_thread, const struct regs *regs, const void *window,
                       struct walk_frame *frames, uint32_t max, bool *ret_truncated);

/**
 * Walk native frames alone, from registers to the end of the thread or to the first code without a
 * row. `may_read` means the same as for hs_mixed_begin_native(). Returns the number of frames, at
 * most `max`.
 */
uint32_t walk_native_alone(const struct hs_memory *memory, const struct regs *regs, bool may_read,
                           struct walk_frame *frames, uint32_t max, bool *ret_truncated);
