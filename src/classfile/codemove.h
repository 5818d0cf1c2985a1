/*
 * codemove.h - writes a Code attribute anew, with the probes that a plan has places for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "classfile/stackmap.h"

struct codeplan;
struct outbuf;

struct codemove {
    const struct codeplan *plan;
    struct frames_map map; /* `bytes` NULL: the method has no frames */
    uint16_t max_stack, max_locals;
    uint16_t frames_name; /* "StackMapTable" in the pool where unwind alone has a frame; else 0 */
    struct frames_room *room;
    struct arena *arena;
};

/**
 * Append the contents of the new Code attribute to `o`.
 *
 * Each `caught` before a handler gets an exception table entry of the handler's kind that covers
 * just that call and leads behind it: an overflow of the stack in the call then runs the other
 * calls and the handler all the same, monitors stay balanced, and a handler that covers itself does
 * not loop. Attributes
 * that are not known are copied as they are.
 *
 * Errors:  0; E_FORMAT: a table does not fit the code; E_LIMIT: too many entries; -ENOMEM.
 */
int codemove_write(const struct codemove *m, struct outbuf *o);
