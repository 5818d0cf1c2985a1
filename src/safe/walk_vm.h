/*
 * walk_vm.h - the walker that reads HotSpot's own structures (walker=vm).
 *
 * Frames come in the order innermost first. `walk_frame.method` is an index of hs_names.h, or,
 * while no name cache is set, the address of the Method*; `flags` is enum hs_trust. Memory: see
 * hs_frame.h. Stack use of a walk: less than 4 KB (walk_vm.c says where it goes).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/hs_top.h"
#include "safe/walk.h"

struct hs_names;
struct hs_names_visit;
struct regs;

extern const struct walker walk_vm;

/** The `leave` of walkers whose `kept` is a struct hs_names_half that they have entered. */
void walk_vm_leave(struct walk_request *request);

/**
 * Tell the walker about the VM of this process; call sites that are kept are forgotten.
 * mem_self_open() and a layout come first. `names` may be NULL. Borrows `memory` and `names` for
 * ever. Context: any, before the first signal.
 */
void walk_vm_prepare(const struct hs_memory *memory, struct hs_names *names);

/**
 * Walk a thread of any memory from given registers; `regs` NULL: from its anchor.
 *
 * The thread must not run (it is the caller's own, interrupted; suspended; or dead).
 * Frames carry Method* addresses. Results as walker.walk. `window`: see struct mem_view; NULL
 * reads the stack through `m`.
 */
int walk_vm_thread(const struct hs_memory *memory, uint64_t java_thread, const struct regs *regs,
                   const void *window, struct walk_frame *frames, uint32_t max,
                   bool *ret_truncated);

/**
 * Set the cursor up for a thread whose lowest live stack address is `sp` (0: it has no Java frame).
 * `view` is set up with the memory, and gets the window, which is as above. 0, or -(1 + enum
 * walk_cause).
 */
int walk_vm_open(struct hs_cursor *c, struct mem_view *view, const struct hs_memory *memory,
                 uint64_t java_thread, uint64_t sp, const void *window);

/**
 * Name the Java frames of a walk that had these names: what their Method* are becomes an index.
 * `marks_own`: set WALK_FRAME_OWN where it is due, in the innermost frames.
 */
void walk_vm_name(struct hs_names_visit *names, struct mem_view *view, struct walk_frame *frames,
                  int count, int marks_own);

/**
 * The parts of a walk, for those who take it frame by frame (hs_mixed.h). The cursor is
 * initialised by hs_cursor_init(), its `frames` and `max` are set.
 *
 * walk_vm_find() chooses where to start and leaves the cursor as its check left it. With `max` 0 a
 * start that the VM or exact debug data vouches for costs one frame, a guess the whole stack. 0; or
 * -(1 + enum walk_cause). walk_vm_try() checks one start in the same way: 1, or 0. walk_vm_enter()
 * appends what the start leads with and leaves the cursor behind it; hs_frame_step() goes on from
 * there.
 */
int walk_vm_find(struct hs_cursor *c, const struct regs *regs, struct hs_start *ret_start);
int walk_vm_try(struct hs_cursor *c, const struct hs_start *start);
enum hs_step walk_vm_enter(struct hs_cursor *c, const struct hs_start *start);
