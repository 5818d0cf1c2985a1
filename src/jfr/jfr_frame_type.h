/*
 * jfr_frame_type.h - the words by which JFR files say how the code of a frame ran.
 *
 * The first four are those of HotSpot, the others those of async-profiler. format/ writes the words
 * with these numbers as their keys; other writers use other keys, so readers go by the words.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

enum jfr_frame_type {
    JFR_FRAME_TYPE_INTERPRETED,
    JFR_FRAME_TYPE_JIT,
    JFR_FRAME_TYPE_INLINED,
    JFR_FRAME_TYPE_NATIVE,
    JFR_FRAME_TYPE_CPP,
    JFR_FRAME_TYPE_KERNEL,
    JFR_FRAME_TYPE_C1,
    JFR_FRAME_TYPES, /* other words, or none */
};

enum { JFR_FRAME_TYPE_ROOM = 32 }; /* bytes in which each of the words fits, with its NUL */

extern const char *const jfr_frame_type_words[JFR_FRAME_TYPES];
/** The type with these words. */
enum jfr_frame_type jfr_frame_type_of(const char *words);
