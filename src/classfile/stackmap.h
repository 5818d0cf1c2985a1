/*
 * stackmap.h - a StackMapTable, moved with its code.
 *
 * Without a kept value only offsets change. With some, locals behind all others hold them, so every
 * frame must say so: frames that only differ from the one before stay short, the others are written
 * in full. A handler gets another frame behind each of its inserted calls, an island one per jump,
 * unwind one. Without `bytes` that of unwind is the only one. Source: JVM specification,
 * section 4.7.4. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "classfile/frames.h"

struct arena;
struct codeplan;
struct outbuf;

/**
 * Set BYTECODE_FRAME where the frames are, and list the events again.
 *
 * Errors:  0; E_FORMAT: not frames that a VM would take; -ENOMEM.
 */
int stackmap_mark(const struct frames_map *m, struct frames_room *room, struct arena *a);

/**
 * Append the new contents of the attribute to `o`.
 *
 * Errors:  0; E_FORMAT as above; E_LIMIT the constant pool is full; -ENOMEM. `o` has its own.
 */
int stackmap_write(const struct frames_map *m, const struct codeplan *plan, struct outbuf *o,
                   struct frames_room *room, struct arena *a);
