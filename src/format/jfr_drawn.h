/*
 * jfr_drawn.h - events of the types of a JFR file that a user has named, which are drawn as such.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct format_in;
struct jfr_type;

/** Whether events of this type are wanted, and have a stack. */
bool jfr_drawn_is(const struct format_in *in, const struct jfr_type *type);
/** Whether events of this type can be drawn, as they have a stack. */
bool jfr_drawn_can(const struct jfr_type *type);
/** The field with the amount of bytes that such an event had to do with; NULL: none. */
const char *jfr_drawn_bytes(const struct jfr_type *type);
