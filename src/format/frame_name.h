/*
 * frame_name.h - the name of a frame, as people read it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "profile/profile.h"

/** The name of a function of C, C++ or the kernel: the function alone. If only its address is
 * known, the name is LIBRARY+0xADDRESS. */
struct frame_name {
    const struct profile_string *library;  /* NULL: not a part of the name */
    const struct profile_string *function; /* NULL: unknown */
};

struct frame_name frame_name(struct profile *p, const struct profile_method *m);
/** The whole name in one text: "java.lang.String.length", or a name as above; "?" if nothing is
 * known. The text becomes a string of the model `names`, which may be `p`. 0: no memory. */
string_id frame_name_whole(struct profile *names, struct profile *p, const struct profile_frame *f);
/** "A.b" if `between` is "."; if one of the two texts is empty, the other one alone; "?" if both
 * are empty. 0: no memory. */
string_id frame_name_join(struct profile *p, const char *a, const char *between, const char *b);
/**
 * How a Java frame ran, as an ending of its name. The endings are async-profiler's: _[0]
 * interpreted, _[1] compiled by C1, _[j] compiled by C2, _[i] inlined. NULL: a frame of another
 * kind, or it is unknown how the frame ran.
 */
const char *frame_name_ending(enum frame_kind kind);
/** The name of what an event belongs to in addition to its trace: the class of an object, a
 * monitor, or both. `names` as in frame_name_whole(). 0: no memory. */
string_id frame_name_object(struct profile *names, struct profile *p, const struct event *event);
