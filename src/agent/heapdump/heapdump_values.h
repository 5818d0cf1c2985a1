/*
 * heapdump_values.h - the numbers of value objects in a dump inside the pause, found by the place
 * of the object.
 *
 * Value objects have no tags: see vm_heap_is_value(). A flat value may begin at the same address as
 * another value inside it, so the class is a part of the key. Context: gc; memory comes from mmap.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct heapdump_values_slot {
    uint64_t place; /* 0: free */
    uint32_t klass, number;
};

/** A table of values; all zero: empty. */
struct heapdump_values {
    struct heapdump_values_slot *slots;
    uint64_t max, count; /* number of slots, a power of two; number of values */
};

/** The number of the value at this place; 0: it has none. */
uint32_t heapdump_values_find(const struct heapdump_values *v, uint64_t place, uint32_t klass);
/** Bytes that the next heapdump_values_add() will take; mostly 0. */
uint64_t heapdump_values_growth(const struct heapdump_values *v);
/** Give a number to a value that has none. Errors: 0, -ENOMEM. */
int heapdump_values_add(struct heapdump_values *v, uint64_t place, uint32_t klass, uint32_t number);
void heapdump_values_done(struct heapdump_values *v);
