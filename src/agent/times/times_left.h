/*
 * times_left.h - the methods that cpu=times does not count, and why.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "classfile/instrument.h"

struct recording;

enum times_left_intrinsic {
    TIMES_LEFT_NO_INTRINSIC,
    TIMES_LEFT_CAN_BE_OFF, /* the compiler can be told not to replace it */
    TIMES_LEFT_IS_FIXED,
};

/**
 * Whether a JIT compiler of JDK 8 replaces the method's code. JDK 8 does not mark its intrinsics.
 */
enum times_left_intrinsic times_left_intrinsic_8(const struct instrument_method *m);
/** HotSpot's names of the intrinsics that can be off, in the form of its flag DisableIntrinsic. */
extern const char times_left_ids_8[];
/** Note the method, if it is new. Context: java, any thread. */
void times_left_add(struct cpool_utf8 class_name, struct cpool_utf8 name, struct cpool_utf8 desc,
                    enum instrument_verdict why);
/** How many methods were noted, and how many of them for the reason `why`. */
uint32_t times_left_count(void);
uint32_t times_left_count_of(enum instrument_verdict why);
/** Forget all noted methods. */
void times_left_forget(void);
/** The recording at a place begins: no method has been written for it. */
void times_left_join(int place);
/** Write the methods that were not written for the recording before, sorted by the reason. */
void times_left_write(struct recording *r);
