/*
 * stackmap.h - writes a StackMapTable for moved code.
 *
 * If no probe keeps a value only offsets change. Kept values lie in new locals behind all others,
 * so every frame must contain these locals: frames that only differ a little from the frame before
 * stay short, the others are written as full frames. A handler gets another frame behind each
 * inserted call, an island gets one for each jump, unwind gets one. If the method had no frames
 * (`bytes` NULL), the frame of unwind is the only one.
 * Source: JVM specification, section 4.7.4.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "classfile/frames.h"

struct arena;
struct codeplan;
struct outbuf;

/**
 * Set BYTECODE_FRAME where the frames are, and list the events again.
 *
 * Errors:  0; E_FORMAT: a VM would not accept the frames; -ENOMEM.
 */
int stackmap_mark(const struct frames_map *m, struct frames_room *room, struct arena *a);

/**
 * Append the new contents of the attribute to `o`.
 *
 * Errors:  0; E_FORMAT: as above; E_LIMIT: the constant pool is full; -ENOMEM. `o` keeps its own
 *          errors.
 */
int stackmap_write(const struct frames_map *m, const struct codeplan *plan, struct outbuf *o,
                   struct frames_room *room, struct arena *a);
