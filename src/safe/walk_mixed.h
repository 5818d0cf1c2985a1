/*
 * walk_mixed.h - walker=vm with native=y: C and C++ frames too, and threads that are not Java's.
 *
 * Java frames are those of walk_vm.h. Native frames come from tables that were prepared outside
 * (cfi_map.h): those of the code that runs, and those between Java frames where C code calls Java.
 * Where no table leads on, the native frames end there, marked, and the walk goes on at the next
 * Java frame, which the VM's own anchors name: missing native frames never cost a Java frame.
 * Context: signal, where not said otherwise.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/cfi_map.h"
#include "safe/walk.h"

struct hs_layout;
struct hs_names;

/** In walk_frame.flags of a native frame: its callers, up to the next Java frame, are not known. */
#define WALK_MIXED_CUT 0x100u

/** kind WALK_KIND_CPP: method is the pc (of callers: within the call), not a name. */
extern const struct walker walk_mixed;

/** As walk_vm_prepare(), whose call comes first. Context: any, before the first signal. */
void walk_mixed_prepare(const struct hs_layout *layout, struct hs_names *names);

/**
 * Native frames from registers on, to the end of the thread or the first code without a table.
 * Reads the stack through `m`. Returns how many; writes `max` at most.
 */
uint32_t walk_mixed_native(struct mem *m, enum hs_cpu cpu, const struct cfi_map *map,
                           const struct cfi_regs *regs, struct walk_frame *frames, uint32_t max);
