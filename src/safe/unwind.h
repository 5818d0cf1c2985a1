/*
 * unwind.h - how to leave C and C++ code of one memory: where the rows of cfi.h come from.
 *
 * In signal handlers, the rows are in a map (cfi_map.h). The map is made outside of handlers and
 * published by one atomic pointer; until then a walk can only ask for a map. In walks that may take
 * their time, `find` gives a row instead, and makes rows when they are asked for.
 * The functions read only our own memory: a lookup cannot fault, whatever happened to the library.
 * Context of everything here: signal, as long as `find` is NULL.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/cfi_map.h"
#include <stdatomic.h>
#include <stdbool.h>

struct unwind_range {
    uint64_t low, high; /* [low, high) */
};

/** The ranges in which code of libraries and programs is mapped. */
struct unwind_code {
    uint32_t count;
    struct unwind_range ranges[];
};

/** The rows of one memory. All zero: nothing is known yet. */
struct unwind {
    _Atomic(const struct cfi_map *) map;
    _Atomic int wanted;
    /** Find the row for `pc` (for a return address: the address less 1). Returns 1, or 0. If `find`
     * is NULL, only the map is used. */
    int (*find)(void *arg, uint64_t pc, struct cfi_row *ret_row);
    void *arg;
    /** The ranges of mapped code. If they are known, a walk follows the frame pointer when no row
     * leads on (libjvm.so keeps frame pointers), but only into this code. NULL: the walk ends at a
     * frame without a row. */
    _Atomic(const struct unwind_code *) code;
};

/** Publish what handlers search from now on. The caller must keep the previous map and code, which
 * may be in use. Context: any. */
void unwind_publish(struct unwind *u, const struct cfi_map *map);
void unwind_publish_code(struct unwind *u, const struct unwind_code *code);

/** Whether rows can be found. If not yet, unwind_is_wanted() is true from now on. */
bool unwind_is_ready(struct unwind *u);
/** Whether a walk has asked for a map. Context: any. */
bool unwind_is_wanted(const struct unwind *u);

/** Find the row for `pc` (for a return address: the address less 1). Returns 1; or 0 if there is no
 * row, or the row leads nowhere. */
int unwind_find(const struct unwind *u, uint64_t pc, struct cfi_row *ret_row);

/** Whether unwind_publish_code() was called. */
bool unwind_knows_code(const struct unwind *u);
/** Whether `pc` may be code: it lies in mapped code, or it is not known where code is mapped. */
bool unwind_may_be_code(const struct unwind *u, uint64_t pc);
