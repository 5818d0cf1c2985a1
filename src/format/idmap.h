/*
 * idmap.h - a map from identifiers in a file to numbers in the model.
 *
 * It is for readers. The keys come from a file, which may be hostile, so the place of a key depends
 * on a random number. The map is sticky: when it finds no memory, later puts do nothing and
 * idmap_error() returns the error.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct idmap_slot;

struct idmap {
    struct idmap_slot *slots;
    uint64_t mask, used, seed;
    int error; /* 0 or -ENOMEM */
};

void idmap_init(struct idmap *m);
void idmap_done(struct idmap *m);
/** Remember `value`, which must not be 0, for `key`. A later value replaces an earlier one. */
void idmap_put(struct idmap *m, uint64_t key, uint32_t value);
/** The value of `key`, or 0. */
uint32_t idmap_get(const struct idmap *m, uint64_t key);
int idmap_error(const struct idmap *m);
