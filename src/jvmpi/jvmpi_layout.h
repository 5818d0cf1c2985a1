/*
 * jvmpi_layout.h - where the values of fields lie in the records of a dump.
 *
 * JVM TI numbers the fields of an object: first those of all interfaces, then those of the classes
 * from java.lang.Object down to the object's class. A record has the fields in another order: first
 * those of the object's class, then those of the class above, and so on. The layout of a class maps
 * one order to the other. It also has the other facts about a class that a dump needs and that JVM
 * TI does not tell in a walk of the heap. A layout is made for one dump. Source: JVM TI,
 * jvmtiHeapReferenceInfoField.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"

struct jvmpi_layout_field {
    uint8_t type; /* JVMPI_INT ...; JVMPI_CLASS: a reference */
    bool is_static;
    /* offset among the values that the class itself declares, of instances or static */
    uint32_t at;
};

struct jvmpi_layout {
    struct jvmpi_layout *next; /* in its bucket */
    jobjectID class_id, loader_id;
    const struct jvmpi_layout *super;
    /* all interfaces; those that the class names come first */
    const struct jvmpi_layout **interfaces;
    uint32_t interface_count, direct_count;
    uint32_t interface_fields; /* count of the fields of all interfaces */
    uint32_t super_fields;     /* count of the fields of all classes above */
    uint32_t field_count;
    struct jvmpi_layout_field *fields; /* in the order of CLASS_LOAD */
    uint32_t instance_bytes;           /* size of the values of its own fields in a record */
    uint32_t static_bytes;
    /* size of all fields of an object, even if the level of the dump leaves some out */
    uint32_t object_bytes;
    bool is_own; /* jvmpi_class_is_own(): the class has no record */
    /* a walk has found the class, but nothing else is known of it yet */
    bool is_only_noted;
    bool has_objects;              /* the walk has found objects of this class, too */
    struct jvmpi_dump_class *part; /* data that a walk has found of the class; owned by the walk */
};

struct jvmpi_layouts {
    struct arena arena;
    struct jvmpi_layout **buckets; /* indexed by the id's hash; NULL: no memory */
    bool has_primitives;           /* the level has values of primitive types */
    bool failed;                   /* there was no memory */
};

/** Begin, for a dump of this level. Owner: the caller, by jvmpi_layout_close(). Context: java. */
void jvmpi_layout_open(struct jvmpi_layouts *all, jint level);
void jvmpi_layout_close(struct jvmpi_layouts *all);
/** The layout of a class that is prepared, of an array class or of a primitive type. After the call
 * the class and the classes above have had their CLASS_LOAD. NULL: no memory. Context: java. */
struct jvmpi_layout *jvmpi_layout_of(struct jvmpi_layouts *all, JNIEnv *env, jclass klass);
/** Make the layouts of all classes there are. Context: java. */
void jvmpi_layout_learn(struct jvmpi_layouts *all, JNIEnv *env);
/** The layout of a class for which one was made; NULL: there is none. Context: gc. */
struct jvmpi_layout *jvmpi_layout_find(const struct jvmpi_layouts *all, jobjectID class_id);
/** Note a class without a layout that a walk has found. `has_objects`: the walk has found it by an
 * object of this class. Context: gc. */
void jvmpi_layout_note(struct jvmpi_layouts *all, jobjectID class_id, bool has_objects);
/** Make the layouts of the noted classes. Classes that have objects are prepared for this; of the
 * other classes some may not be prepared and get no layout. Returns whether a layout was made.
 * Context: java. */
bool jvmpi_layout_learn_noted(struct jvmpi_layouts *all, JNIEnv *env);
/** Call `each` for all layouts. Context: any. */
void jvmpi_layout_visit(struct jvmpi_layouts *all, void (*each)(struct jvmpi_layout *l, void *arg),
                        void *arg);
/**
 * The field for which JVM TI's number stands in an object of a class; with `is_static`, in the
 * class. *ret_at is the offset of its value in the record. NULL: there is no such field.
 * Context: gc.
 */
const struct jvmpi_layout_field *jvmpi_layout_field(const struct jvmpi_layout *l, jint index,
                                                    bool is_static, uint32_t *ret_at);
/** How many bytes a value of this type has in a dump of this level: 0 if the level leaves it
 * out. */
uint32_t jvmpi_layout_width(const struct jvmpi_layouts *all, jint type);
