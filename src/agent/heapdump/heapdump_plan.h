/*
 * heapdump_plan.h - the classes of a dump inside the pause: their fields, and the index that JVM TI
 * gives to each field.
 *
 * JVM TI numbers the fields of a class in this order: the fields of all its superinterfaces, then
 * the fields of its superclasses from java.lang.Object on, then its own fields. Static fields are
 * included.
 * Source: JVM TI specification, jvmtiHeapReferenceInfoField.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "format/hprof_heap.h"
#include "format/hprof_redact.h"

struct heapdump;

struct heapdump_plan_class {
    struct hprof_heap_class out; /* the id of an object that is no class is its tag */
    uint64_t tag;
    const struct dumpwriter_known *known;
    jclass klass; /* borrowed */
    bool is_array;
    enum hprof_heap_type element_type; /* for an array of primitive values; 0: none */
    uint32_t super;                    /* number of the superclass; 0: none */
    uint32_t *interfaces;              /* numbers of the direct superinterfaces */
    uint32_t interface_count;
    uint32_t total;           /* fields that the class declares */
    uint32_t inherited;       /* fields of the superclasses */
    uint32_t from_interfaces; /* fields of all superinterfaces, also of those of the superclasses */
    int32_t *slots; /* for each own field: >= 0: place in out.fields of an instance field; < 0: -1 -
                       the place in out.statics of a static field; INT32_MAX: left out, or a
                       static field that is 0 in the file */
    bool *is_zeroed; /* for each own field: 0 in objects of classes that do not keep their values */
    bool is_kept;    /* its objects and statics keep their values */
    uint32_t value_count; /* number of values of an instance in the file */
    struct heapdump_plan_class *super_class;
    uint32_t visit; /* by which each interface is counted only once */
    int own_locals; /* references made for the dump that are still to be met among the roots */
    uint32_t constant_max;
};

struct heapdump_plan {
    struct heapdump *d;
    struct hprof_redact_rule rule;
    struct heapdump_plan_class *classes; /* the first row is the class with number 1 */
    uint32_t count;
    uint32_t visit;
};

/** Make the plan, and tag the classes. The function writes nothing, so that no class is loaded
 * until the pause. Errors: 0, -ENOMEM. Context: java. */
int heapdump_plan_make(struct heapdump_plan *p, struct heapdump *d, JNIEnv *env);
/** Write the names of classes and fields, before all other records. Context: gc. */
void heapdump_plan_write(const struct heapdump_plan *p);
/** The place of a field among the values of an instance; -1: the field is not written. `index` is
 * JVM TI's. */
int32_t heapdump_plan_value(const struct heapdump_plan_class *c, jint index);
/** Set the value of a static field. Context: gc. */
void heapdump_plan_static(struct heapdump_plan *p, struct heapdump_plan_class *c, jint index,
                          uint64_t value);
/** Add an entry of the constant pool. Context: gc. */
void heapdump_plan_constant(struct heapdump_plan *p, struct heapdump_plan_class *c, jint index,
                            uint64_t object);
