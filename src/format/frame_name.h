/*
 * frame_name.h - what a frame is called where people read it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "profile/profile.h"

/** Of C, C++ and the kernel: the function alone, or, where only its address is known,
 * LIBRARY+0xADDRESS. */
struct frame_name {
    const struct profile_string *library;  /* NULL: not a part of the name */
    const struct profile_string *function; /* NULL: unknown */
};

struct frame_name frame_name(struct profile *p, const struct profile_method *m);
/** In one text, "java.lang.String.length" or as above; "?" where nothing is known. The text becomes
 * a string of the model `names`, which may be `p`. 0: no memory. */
string_id frame_name_whole(struct profile *names, struct profile *p, const struct profile_frame *f);
/** "A.b", or where one of the two is empty the other alone, or "?". 0: no memory. */
string_id frame_name_join(struct profile *p, const char *a, const char *between, const char *b);
/** How a Java frame ran, as endings of names that async-profiler has made: _[0] interpreted, _[1]
 * compiled by C1, _[j] by C2, _[i] inlined. NULL: another kind, or it is not known. */
const char *frame_name_ending(enum frame_kind kind);
/** The class of an object, or a monitor, or both: what an event is of besides its trace. `names` is
 * as above. */
string_id frame_name_object(struct profile *names, struct profile *p, const struct event *event);
