/*
 * codemove.h - writes a new Code attribute, with the probes at the places that the plan gives them.
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
    /* index of "StackMapTable" in the pool, if `unwind` is the only place with a frame;
     * otherwise 0 */
    uint16_t frames_name;
    struct frames_room *room;
    struct arena *arena;
};

/**
 * Append the contents of the new Code attribute to `o`.
 *
 * Each `caught` call in front of a handler gets its own exception table entry. The entry has the
 * handler's catch type, covers only the call, and leads to the place behind the call. So when the
 * call overflows the stack, the other calls and the handler still run, monitors stay balanced, and
 * a handler that covers itself does not loop. Unknown attributes are copied unchanged.
 *
 * Errors:  0; E_FORMAT: a table does not fit the code; E_LIMIT: too many entries; -ENOMEM.
 */
int codemove_write(const struct codemove *m, struct outbuf *o);
