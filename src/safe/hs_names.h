/*
 * hs_names.h - the names of methods, copied out of the VM in the handler that first meets one.
 *
 * No jmethodIDs: an entry holds the class, name, signature and source file of a method and its
 * compressed line table, so an ordinary thread can print the frame when class and method are long
 * gone. Lock-free: any number of handlers find and add, nobody waits; entries never move or change
 * once published. Memory is the caller's, given once; when it is full, methods stay without names
 * and are counted.
 *
 * A Method* may be freed and its address used again. Each hit compares the ConstMethod* too; after
 * hs_names_new_epoch() the first hit of an entry compares the whole fingerprint again. An entry
 * that no longer fits is left alone (old samples point to it) and the method gets a new one.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/hs_method.h"
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct hs_names {
    const struct hs_layout *layout;
    unsigned char *memory;
    size_t bytes;
    _Atomic uint32_t *slots; /* open addressing by Method*; an index, 0 free */
    uint32_t slot_mask;
    _Atomic uint64_t used; /* bytes of `memory` given out */
    _Atomic uint32_t epoch;
    _Atomic uint64_t count; /* entries */
    _Atomic uint64_t full;  /* methods that got no entry for lack of room */
    _Atomic uint64_t unreadable;
};

/** One entry as the ordinary world sees it. Texts are UTF-8 as the VM has it, without a final 0. */
struct hs_names_method {
    const char *class_name; /* internal form: java/lang/String */
    const char *name, *signature, *source_file;
    uint32_t class_name_len, name_len, signature_len, source_file_len; /* 0: none */
};

/** Bytes of memory that hold about `methods` methods. Context: any. */
size_t hs_names_bytes(uint32_t methods);
/** Prepare over zeroed `memory`, 8-byte aligned, at least 64 KB. Context: any. */
void hs_names_init(struct hs_names *n, const struct hs_layout *layout, void *memory, size_t bytes);

/** The index of a method, added if it is new; 0: no name. Context: signal. */
uint32_t hs_names_find(struct hs_names *n, struct mem_view *v, uint64_t method);

/** From now on entries are compared with the VM before they are used. Call it when classes were
 * unloaded or redefined (JVM TI: GarbageCollectionFinish, and so on). Context: any. */
void hs_names_new_epoch(struct hs_names *n);

/** Read an entry by index. 1, or 0 for an index that is none. Context: any. */
int hs_names_get(const struct hs_names *n, uint32_t index, struct hs_names_method *ret_method);

/** The line of a bci, or -1. Context: any. */
int32_t hs_names_line(const struct hs_names *n, uint32_t index, int32_t bci);
