/*
 * jfr_typed.h - makes single events of the model from events of any type of a JFR file. The file's
 * metadata says which fields they have.
 *
 * A structure within an event becomes a text if it has a name (a thread, a method, a module).
 * Otherwise each of its fields becomes a field of the event. Deeper structures and arrays are left
 * out.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct reader_in;
struct jfr_chunk;
struct jfr_keys;
struct jfr_record;
struct jfr_stacks;
struct jfr_type;
struct jfr_typed_part;
struct jfr_typed_shape;

struct jfr_typed {
    const struct reader_in *in; /* borrowed, like the next three */
    const struct jfr_chunk *chunk;
    struct jfr_stacks *stacks;
    struct jfr_keys *contexts;
    struct jfr_typed_shape *shapes; /* by jfr_type.number */
    struct jfr_typed_part *parts;   /* of all shapes */
    uint32_t part_count, part_room;
};

/**
 * Begins a chunk. jfr_stacks_begin() must have been called for this chunk. All zero is an empty
 * struct jfr_typed. Errors: 0, -ENOMEM. Owner: jfr_typed_done(), also after an error, and before
 * the next chunk.
 */
int jfr_typed_begin(struct jfr_typed *t, const struct reader_in *in, const struct jfr_chunk *chunk,
                    struct jfr_stacks *stacks, struct jfr_keys *contexts);
void jfr_typed_done(struct jfr_typed *t);
/** From now on events of this type are kept. Bit N of `kinds`: some of them are also in the sums of
 * kind N. Returns false if there is no room for the type. */
bool jfr_typed_add(struct jfr_typed *t, const struct jfr_type *type, uint32_t kinds);
/** Keeps an event of such a type, if its time is wanted. Errors: 0; -ENOMEM. */
int jfr_typed_take(struct jfr_typed *t, const struct jfr_type *type,
                   const struct jfr_record *record);
