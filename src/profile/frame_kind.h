/*
 * frame_kind.h - whose code a frame is (Java, native, kernel) and, in Java, how it ran.
 *
 * The kind is a part of a frame's identity: a method that ran interpreted and compiled has two
 * frames. Readers set how a frame ran if their file says so, because the formats that tell it (JFR,
 * pprof, collapsed stacks) tell it for each frame of each stack. Tables of reports join such frames
 * (frame_kind_plain()); pictures keep it as counts beside one node (format/stacktree.h). The agent
 * sets it only for a writer that asks for it (WRITER_TIERS).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "safe/walk.h"

enum frame_kind {
    FRAME_JAVA, /* a Java method; how it ran is not known */
    FRAME_INTERPRETED,
    FRAME_C1,
    FRAME_C2,
    FRAME_INLINED,
    FRAME_NATIVE, /* a C or C++ function; the class is its library, 0: unknown */
    FRAME_KERNEL, /* a kernel function; its name ends in _[k] */
    FRAME_KINDS,
    FRAME_JAVA_KINDS = FRAME_NATIVE, /* the kinds of Java come first */
};

/** Whether it is a Java method. Otherwise it is a function of C, C++ or the kernel. */
static inline bool frame_kind_is_java(enum frame_kind kind)
{
    return kind < FRAME_JAVA_KINDS;
}

/** Whose code it is, without how it ran: FRAME_JAVA, FRAME_NATIVE or FRAME_KERNEL. */
static inline enum frame_kind frame_kind_plain(enum frame_kind kind)
{
    return frame_kind_is_java(kind) ? FRAME_JAVA : kind;
}

/** The kind of a frame that a walk has found. */
enum frame_kind frame_kind_walked(enum walk_kind kind);
/** The word for a kind: "java", "interpreted", "C1", "C2", "inlined", "native", "kernel". Owner:
 * static. */
const char *frame_kind_word(enum frame_kind kind);
/** The kind with this word of `len` bytes; FRAME_KINDS: there is none. */
enum frame_kind frame_kind_named(const char *word, size_t len);
