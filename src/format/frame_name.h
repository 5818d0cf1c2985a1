/*
 * frame_name.h - what a frame of C or C++, or of the kernel, is called.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "profile/profile.h"

/** The function alone, or, where only its address is known, LIBRARY+0xADDRESS. */
struct frame_name {
    const struct profile_string *library;  /* NULL: not a part of the name */
    const struct profile_string *function; /* NULL: unknown */
};

struct frame_name frame_name(struct profile *p, const struct profile_method *m);
