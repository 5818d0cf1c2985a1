/*
 * idmap.h - from an identifier in a file to a number in the model.
 *
 * For readers: the keys come from the file and may be hostile, so the place of a key depends on a
 * number drawn at random. Sticky: after memory has run out, puts do nothing and idmap_error() says
 * so.
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
/** Remember `value` (not 0) for `key`; a later value replaces an earlier one. */
void idmap_put(struct idmap *m, uint64_t key, uint32_t value);
/** The value of `key`, or 0. */
uint32_t idmap_get(const struct idmap *m, uint64_t key);
int idmap_error(const struct idmap *m);
