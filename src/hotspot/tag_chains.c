/*
 * tag_chains.c - see tag_chains.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/tag_chains.h"
#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"
#include "safe/mem.h"

enum {
    JDK_FIRST = 8,
    ENV_WORDS = 128, /* words of the environment in which its map is searched */
    MAP_WORDS = 32,  /* words of the map in which its table is searched */
    CHAINS_MAX = 1 << 16,
    TRACE_ABOVE = 10000,
    BATCH = 256,                  /* chains that are read at a time */
    ENTRIES_KEPT = -(1 << 30),    /* the VM keeps an entry while their number is less than 4096 */
    ENTRIES_PER_CHAIN = 4,        /* average at which the VM takes more chains */
    ENTRIES_PER_CHAIN_WANTED = 1, /* with 4, a lookup missed the cache up to four times */
};

/* The VM's JvmtiTagHashmap. */
struct table {
    int32_t chain_count, size_index, entry_count;
    float entries_per_chain;
    int32_t grows_above;
    uint8_t may_grow, unused[3];
    int32_t trace_above; /* JDK 8: -1, no trace; later TRACE_ABOVE, if a log is on */
    uint32_t unused_too;
    uint64_t chains;
};

/* The VM's JvmtiTagHashmapEntry. */
struct entry {
    uint64_t object;
    int64_t tag;
    uint64_t next;
};

/* The list of unused entries: part of JvmtiTagMap, behind the pointer to the table. */
struct unused {
    uint64_t first;
    int32_t count;
};

_Static_assert(sizeof(struct table) == 40 && sizeof(struct entry) == 24, "as the VM has them");

static bool is_pointer(uint64_t word)
{
    return word >> 12 != 0 && word >> 48 == 0 && word % 8 == 0;
}

/* Whether `at` is a table with this number of entries that has never grown. */
static bool is_table(struct mem *m, uint64_t at, int32_t entries, struct table *ret)
{
    return mem_read(m, at, ret, sizeof(*ret)) == 0 && ret->chain_count > 0 &&
           ret->chain_count <= CHAINS_MAX && ret->size_index == 0 && ret->entry_count == entries &&
           ret->entries_per_chain == (float)ENTRIES_PER_CHAIN &&
           ret->grows_above == ENTRIES_PER_CHAIN * ret->chain_count && ret->may_grow == 1 &&
           (ret->trace_above == -1 || ret->trace_above == TRACE_ABOVE) && is_pointer(ret->chains);
}

/* The only entry that hangs in a chain; 0: there are none or more, or they cannot be read. */
static uint64_t only_entry(struct mem *m, const struct table *t)
{
    uint64_t heads[BATCH], found = 0;
    for (int32_t i = 0; i < t->chain_count; i += BATCH) {
        int32_t n = t->chain_count - i < BATCH ? t->chain_count - i : BATCH;
        if (mem_read(m, t->chains + (uint64_t)i * 8, heads, (size_t)n * 8) < 0)
            return 0;
        for (int32_t k = 0; k < n; k++) {
            if (heads[k] != 0 && found != 0)
                return 0;
            found |= heads[k];
        }
    }
    return is_pointer(found) ? found : 0;
}

static bool is_unused(struct mem *m, uint64_t at, uint64_t first, int32_t count)
{
    struct unused u;
    return mem_read(m, at, &u, sizeof(u)) == 0 && u.first == first && u.count == count;
}

static bool is_room(struct mem *m, const struct tag_chains *r, int64_t tag)
{
    struct table t;
    struct entry e;
    return is_table(m, r->table, 1, &t) && only_entry(m, &t) == r->entry &&
           mem_read(m, r->entry, &e, sizeof(e)) == 0 && e.tag == tag && e.next == 0 &&
           is_pointer(e.object) && is_unused(m, r->unused, 0, 0);
}

/* Find the table to which the map leads, if it has that tag. Returns 1, or 0. */
static int find_in_map(struct mem *m, uint64_t map, int64_t tag, struct tag_chains *ret)
{
    for (uint64_t i = 1; i < MAP_WORDS; i++) {
        struct tag_chains r = {.unused = map + (i + 1) * 8};
        struct table t;
        if (mem_load8(m, map + i * 8, &r.table) < 0 || !is_pointer(r.table) ||
            !is_table(m, r.table, 1, &t))
            continue;
        r.entry = only_entry(m, &t);
        if (r.entry && is_room(m, &r, tag)) {
            *ret = r;
            return 1;
        }
    }
    return 0;
}

int tag_chains_find(struct mem *m, int version, uint64_t env, int64_t tag, struct tag_chains *ret)
{
    if (version < JDK_FIRST || version > TAG_CHAINS_JDK_LAST)
        return E_FACT_MISSING;
    for (uint64_t i = 0; i < ENV_WORDS; i++) {
        uint64_t map, owner;
        if (mem_load8(m, env + i * 8, &map) == 0 && is_pointer(map) &&
            mem_load8(m, map, &owner) == 0 && owner == env && find_in_map(m, map, tag, ret))
            return 0;
    }
    return E_FACT_MISSING;
}

int tag_chains_make(struct mem *m, const struct tag_chains *r)
{
    struct table t, *own = (struct table *)(uintptr_t)r->table;
    struct unused *unused = (struct unused *)(uintptr_t)r->unused;
    struct entry e;
    if (!is_table(m, r->table, 0, &t) || only_entry(m, &t) != 0 ||
        mem_read(m, r->entry, &e, sizeof(e)) < 0 || e.next != 0 ||
        !is_unused(m, r->unused, r->entry, 1))
        return E_FACT_MISSING;
    own->entries_per_chain = ENTRIES_PER_CHAIN_WANTED;
    own->grows_above = ENTRIES_PER_CHAIN_WANTED * t.chain_count;
    unused->count = ENTRIES_KEPT;
    return 0;
}

uint64_t tag_chains_expect(struct mem *m, const struct tag_chains *r, uint64_t object)
{
    uint32_t count, hash = (uint32_t)object >> 3;
    uint64_t chains, unused, chain;
    if (mem_load4(m, r->table + offsetof(struct table, chain_count), &count) < 0 ||
        mem_load8(m, r->table + offsetof(struct table, chains), &chains) < 0 ||
        mem_load8(m, r->unused, &unused) < 0 || count == 0)
        return 0;
    chain = chains + (uint64_t)(hash % count) * 8;
    __builtin_prefetch((const void *)(uintptr_t)chain, 1);
    __builtin_prefetch((const void *)(uintptr_t)unused, 1);
    return chain;
}
