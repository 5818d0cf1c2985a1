/*
 * unwind.h - how C and C++ code of one memory is left: who knows the rows of cfi.h.
 *
 * Where walks run in signal handlers the rows are a map (cfi_map.h), made outside of handlers and
 * published by one atomic pointer; until then a walk can only ask for one. Where they may take
 * their time `find` answers instead, and makes rows as they are asked for.
 * Reads memory of our own only: looking a row up cannot fault, whatever happened to the library.
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

/** Where code of libraries and programs is mapped. */
struct unwind_code {
    uint32_t count;
    struct unwind_range ranges[];
};

/** Zeroed: nothing is known yet. */
struct unwind {
    _Atomic(const struct cfi_map *) map;
    _Atomic int wanted;
    /** The row for `pc` (a return address less 1). 1, or 0. NULL: there is the map, or nothing. */
    int (*find)(void *arg, uint64_t pc, struct cfi_row *ret_row);
    void *arg;
    /** Where it is known, frame pointers are followed where no row leads on (libjvm.so keeps them),
     * and only into this code. NULL: frames without a row end the way. */
    _Atomic(const struct unwind_code *) code;
};

/** What handlers search from now on. What was there before may be in use: keep it. Context: any. */
void unwind_publish(struct unwind *u, const struct cfi_map *map);
void unwind_publish_code(struct unwind *u, const struct unwind_code *code);

/** Whether rows can be found. Where they cannot yet, whoever publishes hears that rows are wanted.
 */
bool unwind_is_ready(struct unwind *u);
/** Whether a walk has asked for a map. Context: any. */
bool unwind_is_wanted(const struct unwind *u);

/** The row for `pc` (a return address less 1). 1, or 0: no row, or one that leads nowhere. */
int unwind_find(const struct unwind *u, uint64_t pc, struct cfi_row *ret_row);

/** Whether somebody has said where code is mapped. */
bool unwind_knows_code(const struct unwind *u);
/** Whether `pc` may be code: it lies where code is mapped, or nobody has said where code is mapped.
 */
bool unwind_may_be_code(const struct unwind *u, uint64_t pc);
