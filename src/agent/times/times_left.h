/*
 * times_left.h - the methods that cpu=times leaves alone, and why.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>
#include "classfile/instrument.h"

struct hprof_out;

enum times_left_intrinsic {
    TIMES_LEFT_NO_INTRINSIC,
    TIMES_LEFT_CAN_BE_OFF, /* the compiler can be told not to */
    TIMES_LEFT_IS_FIXED,
};

/** Whether a JIT compiler of JDK 8, which marks no intrinsics, replaces the method's code. */
enum times_left_intrinsic times_left_intrinsic_8(const struct instrument_method *m);
/** HotSpot's names of those that can be off, as its flag DisableIntrinsic wants them. */
extern const char times_left_ids_8[];
/** Remember the method, if it is not known yet. Context: java, any thread. */
void times_left_add(struct cpool_utf8 class_name, struct cpool_utf8 name, struct cpool_utf8 desc,
                    enum instrument_verdict why);
/** How many there are, and how many of them for `why`. */
uint32_t times_left_count(void);
uint32_t times_left_count_of(enum instrument_verdict why);
/** None is known any more. */
void times_left_forget(void);
/** The recording at a place begins: nothing has been written for it. */
void times_left_join(int place);
/** Write the block of those that were not written for the recording at a place before, sorted;
 * nothing if there are none. */
void times_left_write(struct hprof_out *o, int place);
