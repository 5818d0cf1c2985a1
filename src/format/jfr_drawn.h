/*
 * jfr_drawn.h - events of types that the user has named (reader_in.drawn), whose stacks are shown.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct reader_in;
struct jfr_type;

/** Whether the user named this type and its events have a stack. */
bool jfr_drawn_is(const struct reader_in *in, const struct jfr_type *type);
/** Whether events of this type have a stack, so that they could be shown. */
bool jfr_drawn_can(const struct jfr_type *type);
/** The name of the field that says how many bytes such an event is about; NULL: the type has
 * none. */
const char *jfr_drawn_bytes(const struct jfr_type *type);
