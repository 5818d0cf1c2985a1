/*
 * hs_names.h - the names of methods, copied out of the VM in the handler that first meets one.
 *
 * No jmethodIDs: an entry holds the class, name, signature and source file of a method and its
 * compressed line table, so an ordinary thread can print the frame when class and method are long
 * gone. Lock-free: any number of handlers find and add, nobody waits.
 *
 * Bound. The memory is the caller's, given once, in two halves. Handlers add to one half, that of
 * the current generation. When it is half full the thread that reads the ring (the reader) begins
 * the next generation in the other one: methods that are still met are copied again, the others
 * are given back with their half. A method that comes while a half is quite full has no name, which
 * is counted (`full`); that takes more new methods between two looks of the reader than half of a
 * half holds.
 *
 * Who writes what, and why a name is never one of another method:
 * - Handlers write entries and slots of the half they have entered, between hs_names_enter() and
 *   hs_names_leave(), and `inside` of it. An entry that a slot shows is never written again, but
 *   for its stamp.
 * - The reader alone writes `generation`, and empties the half that is not the current one, when
 *   nobody can know an index of it any more: no handler is inside (who enters looks at the
 *   generation again after it has been counted, so nobody comes later), and each sample of those
 *   that were has been read. For this, a handler publishes its sample in the ring before it leaves:
 *   hs_names_turn() waits until the reader has passed what the ring had when the last handler had
 *   left. Indices that are kept elsewhere need their generation (hs_calls.h), or to be
 *   thrown away with the half (`ret_emptied` of hs_names_turn()).
 * - A Method* may be freed, and its address, even the address of its name, get a new owner. So an
 *   entry holds good for one state of two counters that the VM keeps: classes unloaded, and
 *   safepoints. A class is counted before its memory is freed, and a method that replaces another
 *   one comes in at a safepoint. The walker looks at the counters when the method is on the stack
 *   already; if they are what they were when the entry was last right, no method has come or gone
 *   in between. Else the whole entry is compared with the VM, text by text. Where the VM does not
 *   count (-XX:-UsePerfData) this is done once per walk and method.
 * Source: HotSpot instanceKlass.cpp (unload_class), runtimeService.cpp (record_safepoint_begin),
 * jvmtiRedefineClasses.cpp.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/hs_method.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring;

struct hs_names_half {
    _Atomic uint32_t *slots; /* open addressing by Method*; an index, 0 free */
    uint64_t first, end;     /* where in `memory` its entries may lie */
    _Atomic uint64_t next;   /* where the next one goes; past `end`: full */
    _Atomic uint64_t count;  /* entries */
    _Atomic uint32_t inside; /* handlers that may use it now */
};

struct hs_names {
    const struct hs_layout *layout;
    unsigned char *memory;
    uint32_t slot_mask;
    _Atomic uint32_t generation;  /* from 1; its half is that of its lowest bit */
    struct hs_names_half half[2]; /* by the lowest bit of the generation */
    _Atomic uint64_t full;        /* methods that got no entry for lack of room */
    _Atomic uint64_t unreadable;
    _Atomic uint64_t unstamped; /* walks in a VM that does not count */

    /* the reader's */
    uint64_t full_seen;
    uint64_t given_back; /* entries */
    uint64_t ring_end;   /* samples before it may have indices of the old half */
    enum { HS_NAMES_ONE_HALF, HS_NAMES_WAIT_LEAVE, HS_NAMES_WAIT_READ } state;
};

/** A handler's use of the names. `half` NULL: none is to be had, find answers 0. */
struct hs_names_visit {
    struct hs_names *names;
    struct hs_names_half *half;
    uint32_t generation;
    uint64_t stamp; /* the VM's counters */
};

/** One entry as the ordinary world sees it. Texts are UTF-8 as the VM has it, without a final 0. */
struct hs_names_method {
    const char *class_name; /* internal form: java/lang/String */
    const char *name, *signature, *source_file;
    uint32_t class_name_len, name_len, signature_len, source_file_len; /* 0: none */
};

/** Bytes of memory that hold about `methods` methods in one generation. Context: any. */
size_t hs_names_bytes(uint32_t methods);
/** Prepare over zeroed `memory`, 8-byte aligned, 64 KB to 16 GB. Context: any. */
void hs_names_init(struct hs_names *n, const struct hs_layout *layout, void *memory, size_t bytes);

/**
 * Begin to use the names: before the walk whose frames are to be named, on the thread that walks
 * (or with the walked one stopped). Context: signal.
 */
void hs_names_enter(struct hs_names *n, struct mem_view *v, struct hs_names_visit *ret_visit);
/** The index of a method, added if it is new; 0: no name. Context: signal. */
uint32_t hs_names_find(struct hs_names_visit *visit, struct mem_view *v, uint64_t method);
/** The end of it, once the sample with the indices is in the ring. Context: signal. */
void hs_names_leave(struct hs_names_visit *visit);

/**
 * Begin a generation, or empty the half of the last one, if it is time. `ring`: all samples go into
 * it; NULL: nobody knows an index any more when he leaves. Context: the one reader of the ring, or
 * one thread at a time. Returns 1 if a half was emptied, *ret_emptied says which: its indices are
 * free to be given anew (see hs_names_half_of()).
 */
int hs_names_turn(struct hs_names *n, const struct ring *ring, int *ret_emptied);
/** In which half an index lies, 0 or 1. Context: any. */
int hs_names_half_of(const struct hs_names *n, uint32_t index);

/** Read an entry by index. 1, or 0 for an index that is none. Context: any. */
int hs_names_get(const struct hs_names *n, uint32_t index, struct hs_names_method *ret_method);

/** Whether an entry is a method of an own class (own_class.h). Context: any. */
bool hs_names_is_own(const struct hs_names *n, uint32_t index);

/** The line of a bci, or -1. Context: any. */
int32_t hs_names_line(const struct hs_names *n, uint32_t index, int32_t bci);
