/*
 * keyset.h - a set of keys of any bytes, in which each key has a number. For tables whose rows are
 * made as events come.
 *
 * Numbers begin with 1 and have no gaps. Nobody can make a file whose keys collide: see
 * profile/lookup.h.
 *
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
/** The number of a key. A new key gets the next number. 0: no memory. */
uint32_t keyset_number(struct keyset *s, const char *bytes, size_t len);
/** The bytes of a key, with a NUL at the end. They do not move. */
const char *keyset_at(const struct keyset *s, uint32_t number);
