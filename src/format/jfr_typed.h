/*
 * jfr_typed.h - events of any type of a JFR file as single events of the model: its metadata says
 * what their fields are.
 *
 * A structure within an event is a text where it has a name (a thread, a method, a module), else
 * each of its fields is one; what lies deeper, and arrays, are left out.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct format_in;
struct jfr_chunk;
struct jfr_keys;
struct jfr_record;
struct jfr_stacks;
struct jfr_type;
struct jfr_typed_part;
struct jfr_typed_shape;

struct jfr_typed {
    const struct format_in *in; /* borrowed, as are the next three */
    const struct jfr_chunk *chunk;
    struct jfr_stacks *stacks;
    struct jfr_keys *contexts;
    struct jfr_typed_shape *shapes; /* by jfr_type.number */
    struct jfr_typed_part *parts;   /* of all shapes */
    uint32_t part_count, part_room;
};

/** All zero is none. Begins a chunk, whose stacks have begun. Errors: 0, -ENOMEM. Owner:
 * jfr_typed_done(), also after an error, and before the next chunk. */
int jfr_typed_begin(struct jfr_typed *t, const struct format_in *in, const struct jfr_chunk *chunk,
                    struct jfr_stacks *stacks, struct jfr_keys *contexts);
void jfr_typed_done(struct jfr_typed *t);
/** From now on events of this type are taken; sums of these kinds have some of them, too, bit N of
 * kind N. Returns false where there is no room for it. */
bool jfr_typed_add(struct jfr_typed *t, const struct jfr_type *type, uint32_t kinds);
/** Takes an event of such a type, where its time is wanted. Errors: 0; -ENOMEM. */
int jfr_typed_take(struct jfr_typed *t, const struct jfr_type *type,
                   const struct jfr_record *record);
