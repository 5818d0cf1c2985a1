/*
 * heap_class_facts.h - where the VM keeps what it knows of classes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct target;

/** Where the VM keeps what, in its own structs: offsets, -1 not in this release. */
struct heap_class_facts {
    int32_t layout_helper, klass_vtable, klass_itable, klass_oop_map, klass_reference,
        element_klass;
    int32_t pool_cache, cache_resolved, pool_resolved;
    int32_t klass_loader_data, data_loader, data_holder;
    uint32_t instance_klass_bytes;
    int32_t mirror_klass, mirror_size, mirror_array; /* in a mirror */
};

/** Returns the name of what is missing, "" where all is there that every release has. */
const char *heap_class_facts_find(const struct target *t, struct heap_class_facts *f);
