/*
 * hs_names.h - the names of methods, copied out of the VM in the handler that first meets one.
 *
 * The code uses no jmethodIDs. An entry holds the class, name, signature and source file of a
 * method and its compressed line table. An ordinary thread can therefore print the frame when class
 * and method are long gone. The table is lock-free: any number of handlers find and add entries,
 * and no handler waits.
 *
 * Bound. The caller gives the memory once; it has two halves. Handlers add entries to one half, the
 * half of the current generation. When this half is half full, the thread that reads the ring (the
 * reader) begins the next generation in the other half. Methods that are still met are copied again
 * there; the other methods go away with the old half. If a half is completely full, a new method
 * gets no name, and `full` counts it. This happens only if more new methods come between two looks
 * of the reader than fit into half of a half.
 *
 * Who writes what, and why a name never belongs to another method:
 * - A handler writes entries and slots of the half that it has entered, between hs_names_enter()
 *   and hs_names_leave(). It also writes the half's field `inside`. After a slot shows an entry,
 *   only the entry's stamp is written.
 * - Only the reader writes `generation`. Only the reader empties the half that is not the current
 *   one, when no thread can know an index of that half any more. Two conditions must hold. First,
 *   no handler is inside. (A handler that enters is counted and then looks at the generation again,
 *   so no handler comes later.) Second, each sample of the handlers that were inside has been read.
 *   For this, a handler publishes its sample in the ring before it leaves, and hs_names_turn()
 *   waits until the reader has passed the samples that were in the ring when the last handler had
 *   left. An index that is kept elsewhere must be kept with its generation (hs_calls.h), or must be
 *   thrown away with the half (`ret_emptied` of hs_names_turn()).
 * - A Method* may be freed, and its address may then belong to another method; the same is true of
 *   the address of its name. Therefore an entry is valid for one state of two counters of the VM:
 *   unloaded classes, and safepoints. The VM counts a class before it frees the class's memory, and
 *   a method replaces another method only at a safepoint. The walker reads the counters when the
 *   method is already on the stack. If the counters have the values with which the entry was last
 *   found right, no method has come or gone in between. Otherwise the whole entry is compared with
 *   the VM, text by text. If the VM does not count (-XX:-UsePerfData), each walk does this
 *   comparison once for each method.
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

enum { HS_NAMES_RINGS = 8 }; /* the most rings into which samples go at one time */

struct hs_names_half {
    _Atomic uint32_t *slots; /* indices; open addressing by Method*; 0: free */
    uint64_t first, end;     /* the part of `memory` in which the half's entries lie */
    _Atomic uint64_t next;   /* place of the next entry; past `end`: full */
    _Atomic uint64_t count;  /* entries */
    _Atomic uint32_t inside; /* handlers that may use the half now */
};

struct hs_names {
    const struct hs_layout *layout;
    unsigned char *memory;
    uint32_t slot_mask;
    _Atomic uint32_t generation;  /* counts from 1; the current half is half[generation & 1] */
    struct hs_names_half half[2]; /* indexed by the lowest bit of the generation */
    _Atomic uint64_t full;        /* methods that got no entry because there was no room */
    _Atomic uint64_t unreadable;
    _Atomic uint64_t unstamped; /* walks in a VM that does not count */

    /* only the reader uses these */
    uint64_t full_seen;
    uint64_t given_back; /* entries of emptied halves */
    /* samples of these rings in front of these places may have indices of the old half */
    struct {
        const struct ring *ring; /* NULL: none, or it was read so far */
        uint64_t end;
    } waits[HS_NAMES_RINGS];
    enum { HS_NAMES_ONE_HALF, HS_NAMES_WAIT_LEAVE, HS_NAMES_WAIT_READ } state;
};

/** The use of the names by one handler. If `half` is NULL, hs_names_find() returns 0. */
struct hs_names_visit {
    struct hs_names *names;
    struct hs_names_half *half;
    uint32_t generation;
    uint64_t stamp; /* the VM's counters at hs_names_enter() */
};

/** One entry, for ordinary threads. The texts are the VM's UTF-8, without a final 0. */
struct hs_names_method {
    const char *class_name; /* internal form, for example java/lang/String */
    const char *name, *signature, *source_file;
    uint32_t class_name_len, name_len, signature_len, source_file_len; /* 0: none */
};

/** How many bytes of memory hold about `methods` methods in one generation. Context: any. */
size_t hs_names_bytes(uint32_t methods);
/** Prepare the names in zeroed `memory`, 8-byte aligned, 64 KB to 16 GB. Context: any. */
void hs_names_init(struct hs_names *n, const struct hs_layout *layout, void *memory, size_t bytes);

/**
 * Begin a visit. Call this before the walk whose frames are to be named, on the thread that walks
 * (or while the walked thread is stopped). Context: signal.
 */
void hs_names_enter(struct hs_names *n, struct mem_view *v, struct hs_names_visit *ret_visit);
/** The index of a method; a new method is added. 0: the method has no name. Context: signal. */
uint32_t hs_names_find(struct hs_names_visit *visit, struct mem_view *v, uint64_t method);
/** End a visit. Call this when the sample with the indices is in the ring. Context: signal. */
void hs_names_leave(struct hs_names_visit *visit);

/**
 * Begin a generation, or empty the half of the last generation, if it is time for that. `rings` are
 * the `ring_count` rings into which all samples go, at most HS_NAMES_RINGS. 0: no index is used any
 * more when its visit has ended.
 * Returns 1 if a half was emptied; *ret_emptied says which. The indices of that half will be given
 * to other methods (see hs_names_half_of()). Context: the one reader of the rings, or one thread at
 * a time.
 */
int hs_names_turn(struct hs_names *n, const struct ring *const *rings, uint32_t ring_count,
                  int *ret_emptied);
/** The half in which an index lies, 0 or 1. Context: any. */
int hs_names_half_of(const struct hs_names *n, uint32_t index);

/** Read an entry by its index. Returns 1, or 0 if no half can have this index. Context: any. */
int hs_names_get(const struct hs_names *n, uint32_t index, struct hs_names_method *ret_method);

/** Whether the method of an entry belongs to an own class (own_class.h). Context: any. */
bool hs_names_is_own(const struct hs_names *n, uint32_t index);

/** The line of a bci, or -1. Context: any. */
int32_t hs_names_line(const struct hs_names *n, uint32_t index, int32_t bci);
