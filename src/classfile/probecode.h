/*
 * probecode.h - the instructions of the probes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "classfile/cpool.h"

struct codeplan_probe;
struct instrument_probe;

/** Where the tracker's methods are in the constant pool of one class; 0: not added yet. */
struct probecode {
    uint16_t tracker, enter, exit, enter_keep, exit_keep, caught;
    uint16_t enter_object, enter_keep_object;
    uint16_t object, array, arrays, maybe, constructed, unlock;
};

/** The method that they are made for. */
struct probecode_method {
    int32_t number;      /* that the calls pass */
    bool is_kept;        /* a value is kept, */
    uint16_t local;      /* in this local */
    bool has_handlers;   /* of exceptions */
    bool is_object_init; /* the constructor of Object */
    bool is_constructor;
    struct cpool_utf8 desc;
    bool is_static;
    bool gives_back;     /* it is synchronized, and its object is to be had where it ends */
    uint16_t this_class; /* the Class constant of its class */
};

/** Of a method's arguments those that a probe passes on. */
struct probecode_arguments {
    bool has_object, has_number;
    uint16_t object, number; /* their locals */
    uint16_t end;            /* the first local behind them */
};

/** The first argument, where it is a reference, and the next one, where it is a long. */
struct probecode_arguments probecode_arguments_of(struct cpool_utf8 desc, bool is_static);

/**
 * Fill in what `probe` inserts into the method: `ret` is empty. Returns 0 when the constant pool is
 * full.
 */
int probecode_make(struct probecode *refs, const struct instrument_probe *probe, struct cpool *pool,
                   const struct probecode_method *m, struct codeplan_probe *ret);
