/*
 * stack_oops.h - the references on the stack of a Java thread, frame by frame.
 *
 * A frame is exact if the VM's own data say which of its slots hold references: the oop map of
 * compiled code (oop_maps.h), or the types of the locals and of the expression stack of an
 * interpreted method (interp_mask.h). Its other words are no references. All that lies between
 * exact frames is handed out as words of which nothing is known: frames of C and C++ code, of
 * stubs, and those that cannot be read exactly.
 *
 * A frame is not exact
 *   - if it was interrupted: maps exist for return addresses and for the VM's own stops alone;
 *   - if it has no map for its place, or a slot of its map holds neither null nor an address of the
 *     heap: then the map does not fit;
 *   - if what it called may hold arguments that nobody lists: a stub that resolves a call, or a
 *     frame without a map. Its references are handed out, and its words as well.
 * Registers: compiled code keeps nothing in registers across a call, but for the frame pointer,
 * which the called frame has saved. What a map says of other registers is in the frame of a stub
 * that saved them, whose words are handed out.
 * The references that compiled code has as constants count as words of its frames.
 * A thread that runs C code of a JNI method holds no reference outside of its Java frames and
 * handles, since the collector may run meanwhile: the words of that C code are left out.
 * C code that calls Java leaves its handles with the frame of the call stub, in a JavaCallWrapper.
 * Exact are frames of x86-64 alone; elsewhere all words are handed out, and no such handles.
 * Source: HotSpot frame.cpp (oops_do), javaCalls.hpp, oopMap.cpp, sharedRuntime_x86_64.cpp,
 * x86_64.ad.
 * Context of everything here: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "heapimage/interp_mask.h"
#include "heapimage/oop_maps.h"

struct heap;
struct hs_memory;
struct java_thread;
struct regs;

/** How many frames of Java code were met. */
struct stack_oops_counts {
    uint32_t compiled, interpreted; /* exact ones */
    uint32_t unsure;
};

struct stack_oops {
    const struct heap *heap;
    const struct target *target;
    const struct hs_memory *memory;
    struct oop_maps maps;
    struct interp_mask masks;
    int32_t must_gc_at; /* offset in a CodeBlob; -1: not known, so no stub is trusted */
    int32_t lock_object_at, lock_bytes; /* BasicObjectLock */
    /* where an nmethod has the offsets of the references that are constants of its code, and of
     * their end; or, since JDK 23, of its data, which are these references */
    int32_t oops_at, oops_end_at, data_at;
    bool is_known; /* exact frames can be read */
    struct stack_oops_counts counts;
    struct oop_maps_value values[OOP_MAPS_VALUES];
    uint64_t words[OOP_MAPS_VALUES];
};

/** What a walk hands out. */
struct stack_oops_user {
    void *arg;
    /** A reference of the exact frame whose stack pointer is `sp`. It is decoded but for the forms
     * of ZGC. */
    void (*reference)(void *arg, uint64_t sp, uint64_t word);
    /** Words of the stack of which nothing is known; and the constants of the code of a frame. */
    void (*words)(void *arg, uint64_t low, uint64_t high);
    /** A block of handles: the local references of C code that has called Java. */
    void (*handles)(void *arg, uint64_t block);
    /** The words of the registers may be references, too. */
    void (*registers)(void *arg, const struct regs *regs);
};

/** Learn how this VM keeps its frames. Owner: stack_oops_done(). */
void stack_oops_init(struct stack_oops *s, const struct heap *h, const struct target *t,
                     const struct hs_memory *memory);
void stack_oops_done(struct stack_oops *s);

/** Walk the stack of a thread from `sp` on. `regs`: NULL if they are not known. */
void stack_oops_walk(struct stack_oops *s, const struct java_thread *thread,
                     const struct regs *regs, uint64_t sp, const struct stack_oops_user *user);
