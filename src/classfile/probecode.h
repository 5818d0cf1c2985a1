/*
 * probecode.h - makes the instructions of the probes.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "classfile/cpool.h"

struct codeplan_probe;
struct instrument_probe;

/** Constant pool indexes of the tracker's methods in one class; 0: not added yet. */
struct probecode {
    uint16_t tracker, enter, exit, enter_keep, exit_keep, caught;
    uint16_t enter_object, enter_keep_object;
    uint16_t object, array, arrays, maybe, constructed, unlock;
};

/** The method for which the instructions are made. */
struct probecode_method {
    int32_t number;      /* the number that the calls pass */
    bool is_kept;        /* the method keeps a value */
    uint16_t local;      /* the local of the kept value */
    bool has_handlers;   /* it has exception handlers */
    bool is_object_init; /* the constructor of Object */
    bool is_constructor;
    struct cpool_utf8 desc;
    bool is_static;
    /* it is synchronized, and its monitor's object is known where it ends */
    bool gives_back;
    bool can_unwind;     /* it may get a handler behind its entry, for INSTRUMENT_KEEP_UNWOUND */
    uint16_t this_class; /* index of the Class constant of its class */
};

/** The arguments of a method that a probe passes on. */
struct probecode_arguments {
    bool has_object, has_number;
    uint16_t object, number; /* their locals */
    uint16_t end;            /* the first local after them */
};

/** Finds the first argument, if it is a reference, and the next one, if it is a long. */
struct probecode_arguments probecode_arguments_of(struct cpool_utf8 desc, bool is_static);

/**
 * Fill in the pieces that `probe` inserts into the method. `ret` is zeroed. Returns 0 if the
 * constant pool is full.
 */
int probecode_make(struct probecode *refs, const struct instrument_probe *probe, struct cpool *pool,
                   const struct probecode_method *m, struct codeplan_probe *ret);
