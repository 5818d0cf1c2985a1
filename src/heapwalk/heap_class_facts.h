/*
 * heap_class_facts.h - offsets in the VM's structs that describe classes.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct target;

/**
 * Offsets for value classes, since JDK 28; -1: not in this release. An InstanceKlass has an array
 * with a row of `row_bytes` for each field; for a flat field the row has the class of the value. A
 * value class has a pointer to a struct, `part`; `part` says where the fields begin in an object,
 * and where the byte lies that is 0 for null.
 */
struct heap_class_value_facts {
    /* the kind is one byte; flat_kind and value_kind are its values */
    int32_t klass_kind, flat_kind, value_kind;
    int32_t klass_rows, rows_data, row_klass, klass_part, part_payload, part_marker;
    uint32_t row_bytes;
};

/** Offsets in the VM's structs; -1: not in this release. */
struct heap_class_facts {
    int32_t layout_helper, klass_vtable, klass_itable, klass_oop_map, klass_reference,
        element_klass;
    int32_t pool_cache, cache_resolved, pool_resolved;
    int32_t klass_loader_data, data_loader, data_holder;
    uint32_t instance_klass_bytes;
    int32_t mirror_klass, mirror_size, mirror_array; /* offsets in a mirror */
    struct heap_class_value_facts values;
};

/** Finds the offsets. Returns the name of a missing fact; "": everything that is needed in every
 * release is there. */
const char *heap_class_facts_find(const struct target *t, struct heap_class_facts *f);

/** Like heap_class_facts_find(), for the facts that a heap with flat values needs in addition. */
const char *heap_class_facts_of_values(const struct heap_class_value_facts *f);
