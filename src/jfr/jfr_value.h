/*
 * jfr_value.h - the values of an event's fields, and of the constants to which they lead.
 *
 * A value is a number, a text, a structure or an array. Structures and arrays are opened on demand.
 * The key of a constant is followed; a key that is in no pool gives null, as in the JDK's reader.
 * The one field of a simple type stands for the whole value.
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
    const struct jfr_field *field; /* the field that has the value; says what a number means */
    const struct jfr_type *type;   /* type of the value, or of the elements of an array */
    int64_t number;
    double real;
    struct jfr_text text;
    struct leb at;           /* first field of a structure, first element of an array */
    uint64_t count;          /* elements of an array; each has at least one byte */
    uint64_t key;            /* key of the constant; may be 0 */
    const uint8_t *constant; /* where the constant lies; NULL: the value is no constant */
    bool is_shared;          /* it lies in a constant, so many events may lead to it */
};

/** Reads the value of a field and moves `l` behind it. */
void jfr_value_read(const struct jfr_chunk *c, const struct jfr_field *field, struct leb *l,
                    struct jfr_value *ret_value);
/** Reads an element of `array` and moves `l` behind it. For the first element `l` is array->at. */
void jfr_value_element(const struct jfr_chunk *c, const struct jfr_value *array, struct leb *l,
                       struct jfr_value *ret_value);
/**
 * If the text is only a key of the pool of that type, replaces it with the text in the pool, and so
 * on. Returns false if there is no such text.
 */
bool jfr_value_follow_text(const struct jfr_chunk *c, const struct jfr_type *type,
                           struct jfr_text *text);
/** The event of a record, as a structure. */
struct jfr_value jfr_value_event(const struct jfr_type *type, const struct jfr_record *record);
/** Reads the field with index `number` of a structure. If `object` is a null, the field is null. */
void jfr_value_field(const struct jfr_chunk *c, const struct jfr_value *object, uint32_t number,
                     struct jfr_value *ret_value);
/**
 * Reads the field to which a path of names leads: "stackTrace", "eventThread.javaName". The last
 * name may have dots. A field of a null is null. Returns false if the types have no such field.
 */
bool jfr_value_named(const struct jfr_chunk *c, const struct jfr_value *object, const char *path,
                     struct jfr_value *ret_value);
/** The number; if its type is unsigned and narrow, without its sign. */
int64_t jfr_value_widened(const struct jfr_value *value);
/**
 * The moment or the span of a number in ns: since the epoch, or its length. Returns false if the
 * field is neither, if the number means "none" or "for ever" (the smallest and the largest one), or
 * if the ns do not fit 64 bits.
 */
bool jfr_value_ns(const struct jfr_chunk *c, const struct jfr_value *value, int64_t *ret_ns);
/** A number or real as a number; 0 for other values. */
int64_t jfr_value_number(const struct jfr_value *value);
/** The text as UTF-8 with a final NUL, cut to `room` bytes; empty for other values. Returns its
 * length. */
size_t jfr_value_utf8(const struct jfr_value *value, char *to, size_t room);
/**
 * Writes a number or a text, or the name of a thread or a class. Returns whether there was anything
 * to write.
 */
bool jfr_value_words(const struct jfr_chunk *chunk, const struct jfr_value *value, char *ret_text,
                     size_t size);
