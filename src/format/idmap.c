/*
 * idmap.c - a hash table with open addressing and a random seed: see idmap.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/idmap.h"
#include <errno.h>
#include <stdlib.h>
#include "base/splitmix.h"
#include "profile/lookup.h"

struct idmap_slot {
    uint64_t key;
    uint32_t value; /* 0: free */
};

void idmap_init(struct idmap *m)
{
    struct lookup_key key;
    lookup_key_init(&key);
    *m = (struct idmap){.seed = key.k0};
}

void idmap_done(struct idmap *m)
{
    free(m->slots);
    m->slots = NULL;
}

/* The places of two similar identifiers are far apart. */
static uint64_t place(const struct idmap *m, uint64_t key)
{
    return splitmix_mix(key ^ m->seed);
}

static struct idmap_slot *find(const struct idmap *m, uint64_t key)
{
    uint64_t at = place(m, key);
    while (m->slots[at & m->mask].value != 0 && m->slots[at & m->mask].key != key)
        at++;
    return &m->slots[at & m->mask];
}

static int grow(struct idmap *m)
{
    uint64_t size = m->slots ? (m->mask + 1) * 2 : 64;
    struct idmap bigger = *m;
    bigger.slots = calloc(size, sizeof(*bigger.slots));
    bigger.mask = size - 1;
    if (!bigger.slots) {
        m->error = -ENOMEM;
        return 0;
    }
    for (uint64_t i = 0; m->slots && i <= m->mask; i++) {
        if (m->slots[i].value != 0)
            *find(&bigger, m->slots[i].key) = m->slots[i];
    }
    free(m->slots);
    *m = bigger;
    return 1;
}

void idmap_put(struct idmap *m, uint64_t key, uint32_t value)
{
    if (value == 0 || m->error != 0)
        return;
    if ((!m->slots || m->used > m->mask / 2) && !grow(m))
        return;
    struct idmap_slot *slot = find(m, key);
    if (slot->value == 0)
        m->used++;
    *slot = (struct idmap_slot){key, value};
}

uint32_t idmap_get(const struct idmap *m, uint64_t key)
{
    return m->slots ? find(m, key)->value : 0;
}

int idmap_error(const struct idmap *m)
{
    return m->error;
}
