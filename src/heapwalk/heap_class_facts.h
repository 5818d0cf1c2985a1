/*
 * heap_class_facts.h - where the VM keeps what it knows of classes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct target;

/**
 * Of value classes, from JDK 28 on. An array of the class's fields, with a row of `row_bytes` for
 * each, leads to the class of what lies flat in a field. A value class points to its own part,
 * which says where its fields begin in an object and where the byte that is 0 for null lies.
 * Offsets, -1 not in this release.
 */
struct heap_class_value_facts {
    int32_t klass_kind, flat_kind, value_kind; /* the kind is one byte; its values */
    int32_t klass_rows, rows_data, row_klass, klass_part, part_payload, part_marker;
    uint32_t row_bytes;
};

/** Where the VM keeps what, in its own structs: offsets, -1 not in this release. */
struct heap_class_facts {
    int32_t layout_helper, klass_vtable, klass_itable, klass_oop_map, klass_reference,
        element_klass;
    int32_t pool_cache, cache_resolved, pool_resolved;
    int32_t klass_loader_data, data_loader, data_holder;
    uint32_t instance_klass_bytes;
    int32_t mirror_klass, mirror_size, mirror_array; /* in a mirror */
    struct heap_class_value_facts values;
};

/** Returns the name of what is missing, "" where all is there that every release has. */
const char *heap_class_facts_find(const struct target *t, struct heap_class_facts *f);

/** As heap_class_facts_find(), for what a heap with flat values wants beside it. */
const char *heap_class_facts_of_values(const struct heap_class_value_facts *f);
