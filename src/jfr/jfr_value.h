/*
 * jfr_value.h - the values of an event's fields, and of what constants lead to.
 *
 * A value is a number, a text, a structure or an array; the last two are opened when somebody asks.
 * The key of a constant is followed; one that is in no pool is null, as in the JDK's reader. The
 * one field of a simple type stands for the whole.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "jfr/jfr_chunk.h"
#include "jfr/jfr_text.h"

enum jfr_shape {
    JFR_NULL,
    JFR_NUMBER, /* boolean, byte, char, short, int, long */
    JFR_REAL,   /* float, double */
    JFR_TEXT,
    JFR_OBJECT,
    JFR_ARRAY,
};

struct jfr_value {
    enum jfr_shape shape;
    const struct jfr_field *field; /* whose value it is: what a number means */
    const struct jfr_type *type;   /* of the value, or of an array's elements */
    int64_t number;
    double real;
    struct jfr_text text;
    struct leb at;           /* a structure's first field, an array's first element */
    uint64_t count;          /* of an array's elements; a byte is there for each */
    uint64_t key;            /* of a constant, which may be 0 */
    const uint8_t *constant; /* where it lies; NULL: the value is none */
    bool is_shared;          /* it lies in a constant, so that many events lead there */
};

/** Reads the value of a field and moves behind it. */
void jfr_value_read(const struct jfr_chunk *c, const struct jfr_field *field, struct leb *l,
                    struct jfr_value *ret_value);
/** Reads an element of `array`, where `l` begins as array->at, and moves behind it. */
void jfr_value_element(const struct jfr_chunk *c, const struct jfr_value *array, struct leb *l,
                       struct jfr_value *ret_value);
/**
 * Follows a text of that type that is only the key of another one. Returns false where that leads
 * to none.
 */
bool jfr_value_follow_text(const struct jfr_chunk *c, const struct jfr_type *type,
                           struct jfr_text *text);
/** The event of a record as a structure. */
struct jfr_value jfr_value_event(const struct jfr_type *type, const struct jfr_record *record);
/** Field `number` of a structure, or of a null of such a type. */
void jfr_value_field(const struct jfr_chunk *c, const struct jfr_value *object, uint32_t number,
                     struct jfr_value *ret_value);
/**
 * What a path of names leads to: "stackTrace", "eventThread.javaName"; null behind a null. Returns
 * false where the types have no such field.
 */
bool jfr_value_named(const struct jfr_chunk *c, const struct jfr_value *object, const char *path,
                     struct jfr_value *ret_value);
/** A number, of a narrow unsigned type as one without a sign. */
int64_t jfr_value_widened(const struct jfr_value *value);
/** A number or real as a number; 0 for others. */
int64_t jfr_value_number(const struct jfr_value *value);
/** The text as UTF-8 with a NUL, cut to `room` bytes; empty for others. Returns its length. */
size_t jfr_value_utf8(const struct jfr_value *value, char *to, size_t room);
/**
 * A number and a text as they are, a thread and a class by their names. Returns whether there is
 * anything to be said.
 */
bool jfr_value_words(const struct jfr_chunk *chunk, const struct jfr_value *value, char *ret_text,
                     size_t size);
