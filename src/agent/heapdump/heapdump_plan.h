/*
 * heapdump_plan.h - the classes of a dump as JVM TI knows them: their fields, and which index means
 * which.
 *
 * JVM TI numbers the fields of a class so: those of all its superinterfaces, then those of its
 * superclasses from java.lang.Object on, then its own, static ones included.
 * Source: JVM TI specification, jvmtiHeapReferenceInfoField.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <jvmti.h>
#include <stdint.h>
#include "format/hprof_heap.h"

struct heapdump;

struct heapdump_plan_class {
    struct hprof_heap_class out; /* the ids of objects that are no classes are their tags */
    uint64_t tag;
    const struct dumpwriter_known *known;
    jclass klass; /* borrowed */
    bool is_array;
    enum hprof_heap_type element_type; /* of a primitive array; 0 none */
    uint32_t super;                    /* number of the superclass, 0 none */
    uint32_t *interfaces;              /* numbers of the direct ones */
    uint32_t interface_count;
    uint32_t total;           /* fields that it declares */
    uint32_t inherited;       /* of superclasses */
    uint32_t from_interfaces; /* of all superinterfaces, and those of superclasses */
    int32_t *slots; /* of its own fields: >= 0 an instance field's place in out.fields, else -1 - a
                       static's in out.statics */
    uint32_t value_count; /* of an instance, in the file */
    struct heapdump_plan_class *super_class;
    uint32_t visit; /* for counting interfaces once */
    int own_locals; /* references of the dump itself that are still to be met among the roots */
    uint32_t constant_max;
};

struct heapdump_plan {
    struct heapdump *d;
    struct heapdump_plan_class *classes; /* number 1 first */
    uint32_t count;
    uint32_t visit;
};

/** Errors: 0, -ENOMEM. Tags the classes. Writes nothing: no class shall be loaded until the pause.
 * Context: java. */
int heapdump_plan_make(struct heapdump_plan *p, struct heapdump *d, JNIEnv *env);
/** The names of classes and fields, before anything else. Context: gc. */
void heapdump_plan_write(const struct heapdump_plan *p);
/** Where an instance's field lies in its record; -1 nowhere. */
int32_t heapdump_plan_value(const struct heapdump_plan_class *c, jint index);
/** A static field's value. Context: gc. */
void heapdump_plan_static(struct heapdump_plan *p, struct heapdump_plan_class *c, jint index,
                          uint64_t value);
/** An entry of the constant pool. Context: gc. */
void heapdump_plan_constant(struct heapdump_plan *p, struct heapdump_plan_class *c, jint index,
                            uint64_t object);
