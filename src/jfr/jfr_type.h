/*
 * jfr_type.h - the types that a chunk of a JFR file declares: what its events and constants are
 * made of.
 *
 * Types, fields and annotations lie in the arena of the metadata they came with (jfr_metadata.h)
 * and die with it. A field's value in the file is an array where it says so, else the key of a
 * constant where it is pooled, else the value itself: a primitive, or the fields of its type one
 * after the other. Source: jdk.jfr, ParserFactory; docs/format/jfr.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "jfr/leb.h"

enum {
    JFR_NESTING = 32, /* structures within structures: deeper ones are refused */
};

/** What the values of a type are. */
enum jfr_kind {
    JFR_UNKNOWN, /* declared without fields, and no primitive that is known */
    JFR_BOOLEAN,
    JFR_BYTE,
    JFR_CHAR,
    JFR_SHORT,
    JFR_INT,
    JFR_LONG,
    JFR_FLOAT,
    JFR_DOUBLE,
    JFR_STRING,
    JFR_STRUCT,
};

/** What a field's number means, by its annotations. */
enum jfr_content {
    JFR_PLAIN,
    JFR_TICKS_SPAN,
    JFR_NANOS_SPAN,
    JFR_MICROS_SPAN,
    JFR_MILLIS_SPAN,
    JFR_SECONDS_SPAN,
    JFR_TICKS_STAMP,
    JFR_MILLIS_STAMP, /* since the epoch */
};

/** Further marks of a field, bits. */
enum jfr_mark {
    JFR_UNSIGNED = 1,
    JFR_BYTES_AMOUNT = 2,
    JFR_BITS_AMOUNT = 4,
    JFR_FREQUENCY = 8,
    JFR_PERCENTAGE = 16,
    JFR_ADDRESS = 32,
    JFR_CONTEXTUAL = 64,
};

struct jfr_type;

/** A key and its text: an attribute of an element of the metadata. */
struct jfr_pair {
    const char *key, *value;
};

struct jfr_annotation {
    uint64_t type_id;
    const struct jfr_type *type; /* NULL: not declared */
    struct jfr_pair *pairs;      /* those of an array are value-0, value-1 ... */
    uint32_t pair_count;
};

struct jfr_annotations {
    struct jfr_annotation *rows;
    uint32_t count;
};

/** A field, or a setting of an event type. */
struct jfr_field {
    const char *name;
    uint64_t type_id;
    const struct jfr_type *type;
    const char *label; /* NULL: none */
    struct jfr_annotations annotations;
    bool is_pooled, is_array;
    enum jfr_content content;
    unsigned marks; /* enum jfr_mark */
};

struct jfr_type {
    uint64_t id;
    uint32_t number; /* its place among the types of its metadata */
    const char *name;
    const char *known_as; /* the name since JDK 11: jdk.X of com.oracle.jdk.X, by which code asks */
    const char *super;    /* NULL: none */
    enum jfr_kind kind;
    bool is_simple;   /* its one field stands for it */
    bool is_readable; /* each value of it takes a byte at least, and its types are all known */
    struct jfr_field *fields, *settings;
    uint32_t field_count, setting_count;
    const uint32_t *by_name; /* the numbers of its fields, sorted; NULL: they are few */
    uint32_t numbers; /* so many integers are all that a value of it is; 0: it has other things */
    struct jfr_annotations annotations;
};

/** Whether values of the type are events. */
bool jfr_type_is_event(const struct jfr_type *type);
/** Whether they are events that say something of others of their thread (JDK 25). */
bool jfr_type_is_contextual(const struct jfr_type *type);
/** Its one field's type, for a simple type, and so on; else itself. */
const struct jfr_field *jfr_type_simple_field(const struct jfr_type *type);
/** The number of the first field of this name, or -1. */
int jfr_type_find(const struct jfr_type *type, const char *name);
/** The same of a name of `len` bytes. */
int jfr_type_find_part(const struct jfr_type *type, const char *name, size_t len);
/** The value of an annotation's pair, or NULL: an annotation of the type `name`. */
const char *jfr_type_annotation(const struct jfr_annotations *annotations, const char *name,
                                const char *key);
/** Passes over a value of the field; a malformed one leaves `l` bad. */
void jfr_type_skip(const struct jfr_field *field, struct leb *l);
/** The same for `count` elements of an array, whose number was read. */
void jfr_type_skip_elements(const struct jfr_field *field, uint64_t count, struct leb *l);
/** The same for the first `count` fields of a structure, or a whole constant. */
void jfr_type_skip_fields(const struct jfr_type *type, uint32_t count, struct leb *l);
