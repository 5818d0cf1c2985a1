/*
 * probecode.h - the instructions of the probes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct codeplan;
struct cpool;
struct instrument_probe;

/** Where the tracker's methods are in the constant pool of one class; 0: not added yet. */
struct probecode {
    uint16_t tracker, enter, exit, enter_keep, exit_keep, caught;
    uint16_t object, array, arrays, maybe;
};

/**
 * Fill in plan->enter, exit and caught for the method of that number; the kept value, if any, goes
 * to the local `local`. Returns 0 when the constant pool is full.
 */
int probecode_make(struct probecode *refs, const struct instrument_probe *probe, struct cpool *pool,
                   int32_t number, int is_kept, uint16_t local, struct codeplan *plan);

/**
 * Fill in plan->made, and plan->enter for the constructor of Object. Returns 0 when the constant
 * pool is full.
 */
int probecode_make_objects(struct probecode *refs, const struct instrument_probe *probe,
                           struct cpool *pool, int is_object_init, struct codeplan *plan);
