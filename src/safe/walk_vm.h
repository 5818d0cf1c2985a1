/*
 * walk_vm.h - the walker that reads HotSpot's own structures (walker=vm).
 *
 * The innermost frame comes first. `walk_frame.method` is an index of hs_names.h; if no hs_names is
 * set, it is the address of the Method*. `flags` is enum hs_trust. Memory: see hs_frame.h. A walk
 * uses less than 4 KB of stack (walk_vm.c says for what).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/hs_top.h"
#include "safe/walk.h"

struct hs_names;
struct hs_names_visit;
struct regs;

extern const struct walker walk_vm;

/** The `leave` of walkers whose `kept` is the struct hs_names_half that the walk has entered. */
void walk_vm_leave(struct walk_request *request);

/**
 * Tell the walker about the VM of this process; kept call sites are forgotten. Call mem_self_open()
 * and fill the layout first. `names` may be NULL. Borrows `memory` and `names` for ever. Context:
 * any, before the first signal.
 */
void walk_vm_prepare(const struct hs_memory *memory, struct hs_names *names);

/**
 * Walk a thread of any memory from given registers; `regs` NULL: from the thread's anchor.
 *
 * The thread must not run (it is the caller's own, interrupted; suspended; or dead). Frames have
 * Method* addresses. Returns the same as walker.walk. `window`: see struct mem_view; with NULL the
 * stack is read through memory->mem.
 */
int walk_vm_thread(const struct hs_memory *memory, uint64_t java_thread, const struct regs *regs,
                   const void *window, struct walk_frame *frames, uint32_t max,
                   bool *ret_truncated);

/**
 * Prepare the cursor for a thread whose lowest live stack address is `sp` (0: the thread has no
 * Java frame). `view` has the memory already, and gets the window; `window` means the same as for
 * walk_vm_thread(). Returns 0, or -(1 + enum walk_cause).
 */
int walk_vm_open(struct hs_cursor *c, struct mem_view *view, const struct hs_memory *memory,
                 uint64_t java_thread, uint64_t sp, const void *window);

/**
 * Name the Java frames of a walk that used `names`: each Method* becomes an index. `marks_own`: set
 * WALK_FRAME_OWN in those of the innermost frames that belong to an own class.
 */
void walk_vm_name(struct hs_names_visit *names, struct mem_view *view, struct walk_frame *frames,
                  int count, int marks_own);

/**
 * The parts of a walk, for users that take it frame by frame (hs_mixed.h). The cursor is
 * initialised by hs_cursor_init(), and its `frames` and `max` are set.
 *
 * walk_vm_find() chooses the start, and leaves the cursor at the place where the check of the start
 * ended. With `max` 0, a start that is certain by the VM or by exact debug data costs one frame, a
 * guess the whole stack. Returns 0, or -(1 + enum walk_cause). walk_vm_try() checks one start in
 * the same way and returns 1, or 0. walk_vm_enter() appends the frames with which the start leads
 * and leaves the cursor behind them; hs_frame_step() goes on from there.
 */
int walk_vm_find(struct hs_cursor *c, const struct regs *regs, struct hs_start *ret_start);
int walk_vm_try(struct hs_cursor *c, const struct hs_start *start);
enum hs_step walk_vm_enter(struct hs_cursor *c, const struct hs_start *start);
