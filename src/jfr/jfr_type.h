/*
 * jfr_type.h - the types that a chunk of a JFR file declares: what its events and constants consist
 * of.
 *
 * Types, fields and annotations lie in the arena of their metadata (jfr_metadata.h) and are freed
 * with it. The value of a field in the file is one of three things. If the field is an array, the
 * value is a count and elements. If the field is pooled, the value is the key of a constant.
 * Otherwise the value stands there itself: a primitive, or the fields of the field's type one after
 * another.
 * Source: jdk.jfr, ParserFactory; docs/format/jfr.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "jfr/leb.h"

enum {
    JFR_NESTING = 32, /* levels of structures inside structures; deeper ones are refused */
};

/** The kind of value that a type has. */
enum jfr_kind {
    JFR_UNKNOWN, /* declared without fields, and no known primitive */
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

/** The meaning of the number in a field, by its annotations. */
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

/** More properties of a field, as bits. */
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

/** An attribute of an element of the metadata. */
struct jfr_pair {
    const char *key, *value;
};

struct jfr_annotation {
    uint64_t type_id;
    const struct jfr_type *type; /* NULL: the type is not declared */
    struct jfr_pair *pairs;      /* the elements of an array have the keys value-0, value-1 ... */
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
    const char *label; /* NULL: the field has no label */
    struct jfr_annotations annotations;
    bool is_pooled, is_array;
    enum jfr_content content;
    unsigned marks; /* enum jfr_mark */
};

struct jfr_type {
    uint64_t id;
    uint32_t number; /* its index among the types of its metadata */
    const char *name;
    /* the name since JDK 11, by which code asks: jdk.X if `name` is com.oracle.jdk.X */
    const char *known_as;
    const char *super; /* the supertype; NULL: none */
    enum jfr_kind kind;
    bool is_simple; /* it has one field, which stands for the whole value */
    /* all its types are known, and each value has at least one byte */
    bool is_readable;
    struct jfr_field *fields, *settings;
    uint32_t field_count, setting_count;
    const uint32_t *by_name; /* the indexes of its fields, sorted by name; NULL: it has few */
    /* the number of integers of which a value consists; 0: it has other parts */
    uint32_t numbers;
    struct jfr_annotations annotations;
};

/** Whether values of the type are events. */
bool jfr_type_is_event(const struct jfr_type *type);
/** Whether the type is an event that says something about other events of its thread (JDK 25). */
bool jfr_type_is_contextual(const struct jfr_type *type);
/** The field that stands for the whole value of a simple type; NULL: the type is not simple. */
const struct jfr_field *jfr_type_simple_field(const struct jfr_type *type);
/** The index of the first field with this name; -1: none. */
int jfr_type_find(const struct jfr_type *type, const char *name);
/** Like jfr_type_find(), for a name of `len` bytes. */
int jfr_type_find_part(const struct jfr_type *type, const char *name, size_t len);
/** The value of the attribute `key` of the annotation whose type is `name`; NULL: none. */
const char *jfr_type_annotation(const struct jfr_annotations *annotations, const char *name,
                                const char *key);
/** Skips a value of the field. A malformed value leaves `l` bad. */
void jfr_type_skip(const struct jfr_field *field, struct leb *l);
/** Skips `count` elements of an array whose count was read already. */
void jfr_type_skip_elements(const struct jfr_field *field, uint64_t count, struct leb *l);
/** Skips the first `count` fields of a structure. If the type is no structure, skips the whole
 * constant. */
void jfr_type_skip_fields(const struct jfr_type *type, uint32_t count, struct leb *l);
