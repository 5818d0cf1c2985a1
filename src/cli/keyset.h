/*
 * keyset.h - keys of any bytes, each with a number: for tables whose rows are made as events come.
 *
 * Numbers go from 1 up, without gaps. No file can be made whose keys collide: profile/lookup.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "profile/lookup.h"
#include "profile/table.h"

struct keyset {
    struct arena arena;
    struct lookup_key secret;
    struct lookup index;
    struct table keys;
};

void keyset_init(struct keyset *s);
void keyset_done(struct keyset *s);
/** The number of a key, which is the next one if it was not there. 0: no memory. */
uint32_t keyset_number(struct keyset *s, const char *bytes, size_t len);
/** A key, with a NUL behind it; it stays where it is. */
const char *keyset_at(const struct keyset *s, uint32_t number);
