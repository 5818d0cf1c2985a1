/*
 * hookwalk.h - the stack of a thread that is in a hook, and which Java thread it is.
 *
 * Hooks are functions that stand in the imports of libraries (src/imports). They run on any thread
 * of the process: Java threads in any state, threads of the VM that hold its locks, threads that
 * the VM does not know, signal handlers of the program, and the child of a fork(). Therefore
 * nothing here allocates, takes a lock, waits, or asks the VM.
 *
 * What is read: the table of threads, which is never freed; the thread's own stack above the hook's
 * frame, which is mapped; and what walk_native.h reads with guarded loads. A guarded load may
 * fault, so a thread that blocks SIGSEGV or SIGBUS is not walked: its stack has the calling frame
 * only. A walk stands on the stack like a walk in a handler of safe/tick.h, and needs less than
 * 5,000 bytes.
 *
 * Context of everything here: signal, unless said otherwise.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "safe/walk.h"

enum { HOOKWALK_THREADS = 1 << 16 }; /* rows of the table of threads */

/** A Java thread that lives, found by the kernel's number. */
struct hookwalk_thread {
    _Atomic int32_t tid; /* 0: never used; -1: the thread has ended */
    uint32_t serial;
    uint64_t java_thread; /* address of the JavaThread */
};

/** What the hooks of one engine need for stacks; set up once, kept for ever. */
struct hookwalk {
    struct hookwalk_thread *threads; /* HOOKWALK_THREADS rows */
    const struct walker *walker;
    uint32_t depth;            /* frames wanted; a stack has room for one more */
    _Atomic uint64_t unwalked; /* Java threads whose stack has no Java frames for a reason */
};

/** Where a hook was called. */
struct hookwalk_caller {
    uint64_t pc, sp, fp; /* the return address, and the registers of the caller after the return */
};

/** A part of a hook that asks for the hook's frame: inlined always, so that the frame is the
 * hook's.
 */
#define HOOKWALK_CODE static inline __attribute__((always_inline))

/** The caller of the function that this is part of. */
HOOKWALK_CODE struct hookwalk_caller hookwalk_caller_here(void)
{
    return (struct hookwalk_caller){
        .pc = (uint64_t)(uintptr_t)__builtin_return_address(0),
        .sp = (uint64_t)(uintptr_t)__builtin_dwarf_cfa(),
        .fp = *(const uint64_t *)__builtin_frame_address(0),
    };
}

/** The calling thread; NULL: not a Java thread. */
const struct hookwalk_thread *hookwalk_mine(const struct hookwalk *w);
/** The thread with this number of the kernel; NULL: not a Java thread. */
const struct hookwalk_thread *hookwalk_other(const struct hookwalk *w, int32_t tid);
/**
 * Walk the calling thread from the caller of a hook; `request` has its java_thread. At most `depth`
 * + 1 frames are written, of which `depth` count. The caller calls walker->leave() afterwards.
 * Returns the number of frames, or -(1 + enum walk_cause).
 */
int32_t hookwalk_take(struct hookwalk *w, struct walk_request *request,
                      const struct hookwalk_caller *caller, struct walk_frame *frames,
                      bool *ret_truncated);

/** Tell which Java thread has the kernel's number `tid`, before it is needed. Returns false: no
 * room. Context: any; one thread at a time. */
bool hookwalk_add_thread(struct hookwalk *w, int32_t tid, uint32_t serial, uint64_t java_thread);
/** The thread is about to end. Context: as hookwalk_add_thread(). */
void hookwalk_remove_thread(struct hookwalk *w, int32_t tid);
