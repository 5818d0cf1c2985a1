/*
 * jvmpi_layout.h - where the values of fields lie in the records of a dump.
 *
 * JVM TI numbers the fields of an object: those of all interfaces first, then those of its class
 * and the classes above, from java.lang.Object down. A record has those of its class first, then
 * those of the class above. A layout says for each class where the two meet, and what else a dump
 * must know of a class that JVM TI cannot be asked for in a walk of the heap. It is made for one
 * dump. Source: JVM TI, jvmtiHeapReferenceInfoField. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"

struct jvmpi_layout_field {
    uint8_t type; /* JVMPI_INT ...; JVMPI_CLASS: a reference */
    bool is_static;
    uint32_t at; /* its place among the values of its kind that the class itself has */
};

struct jvmpi_layout {
    struct jvmpi_layout *next; /* in its bucket */
    jobjectID class_id, loader_id;
    const struct jvmpi_layout *super;
    const struct jvmpi_layout **interfaces; /* all of them, those that the class names first */
    uint32_t interface_count, direct_count;
    uint32_t interface_fields; /* fields of all interfaces */
    uint32_t super_fields;     /* of all classes above */
    uint32_t field_count;
    struct jvmpi_layout_field *fields; /* in the order of CLASS_LOAD */
    uint32_t instance_bytes;           /* of the values of its own fields in a record */
    uint32_t static_bytes;
    uint32_t object_bytes;         /* of an object's fields, whether or not the level has them */
    bool is_own;                   /* jvmpi_class_is_own(): it has no record */
    bool is_only_noted;            /* a walk has found the class, but nobody has asked what it is */
    bool has_objects;              /* and has found objects of it then */
    struct jvmpi_dump_class *part; /* what a walk has found of the class; the walk's */
};

struct jvmpi_layouts {
    struct arena arena;
    struct jvmpi_layout **buckets; /* by id; NULL: no memory */
    bool has_primitives;           /* the level has values of primitive types */
    bool failed;                   /* no memory */
};

/** Begin, for a dump of this level. Owner: the caller, by jvmpi_layout_close(). Context: java. */
void jvmpi_layout_open(struct jvmpi_layouts *all, jint level);
void jvmpi_layout_close(struct jvmpi_layouts *all);
/** The layout of a class that is prepared, of arrays or of a primitive type, which has had its
 * CLASS_LOAD then, as have those above. NULL: no memory. Context: java. */
struct jvmpi_layout *jvmpi_layout_of(struct jvmpi_layouts *all, JNIEnv *env, jclass klass);
/** The same of all classes there are. Context: java. */
void jvmpi_layout_learn(struct jvmpi_layouts *all, JNIEnv *env);
/** The layout of a class that was asked for before; NULL: it was not. Context: gc. */
struct jvmpi_layout *jvmpi_layout_find(const struct jvmpi_layouts *all, jobjectID class_id);
/** A walk has found a class that was not asked for before; `has_objects`: by an object of it.
 * Context: gc. */
void jvmpi_layout_note(struct jvmpi_layouts *all, jobjectID class_id, bool has_objects);
/** Ask for the classes that were noted. Those that have objects are prepared for that; of the
 * others some may not be. Returns whether anything was learned. Context: java. */
bool jvmpi_layout_learn_noted(struct jvmpi_layouts *all, JNIEnv *env);
/** Call `each` for all of them. Context: any. */
void jvmpi_layout_visit(struct jvmpi_layouts *all, void (*each)(struct jvmpi_layout *l, void *arg),
                        void *arg);
/**
 * The field that JVM TI's number stands for in an object of a class, or with `is_static` in the
 * class. *ret_at is where its value lies in the record. NULL: there is none. Context: gc.
 */
const struct jvmpi_layout_field *jvmpi_layout_field(const struct jvmpi_layout *l, jint index,
                                                    bool is_static, uint32_t *ret_at);
/** How many bytes the values of a type have in a dump of this level: 0 where it has none. */
uint32_t jvmpi_layout_width(const struct jvmpi_layouts *all, jint type);
