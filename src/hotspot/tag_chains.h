/*
 * tag_chains.h - room for many tags in the VM's table of them, where it is a slow one: JDK 8 to 15.
 *
 * Where every object gets a tag, most of SetTag's time went into two habits of that table: it lets
 * its chains grow to four entries on average before it takes more chains, and it keeps no more than
 * 4096 unused entries, so that malloc and free are called for each object that lives and dies. Both
 * are numbers in the table's own fields: they are set to one entry a chain, and to keep all
 * entries. The VM's code and the meaning of tags stay what they are.
 *
 * These structures are not described by the VM, so nothing is guessed: a table is written to only
 * after two looks at it, around a SetTag of the caller's, in which all its fields and the way of
 * one entry from its chain to the list of unused ones were as expected. Source: HotSpot
 * jvmtiTagMap.hpp and .cpp, JDK 8 and 11. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct mem;

enum { TAG_CHAINS_JDK_LAST = 15 }; /* the last release with such a table */

/** The table of one environment, as tag_chains_find() saw it. Addresses. */
struct tag_chains {
    uint64_t table;  /* its sizes and limits */
    uint64_t entry;  /* of the one object that has a tag */
    uint64_t unused; /* where the list of unused entries begins, and behind it their number */
};

/**
 * Find the table of `env`, in which one object has a tag, `tag`; no other was ever set there.
 * Errors: 0, E_FACT_MISSING nothing looks as expected, or another JDK. Context: any, not signal.
 */
int tag_chains_find(struct mem *m, int version, uint64_t env, int64_t tag, struct tag_chains *ret);

/**
 * After that tag was taken away: make room. `m` is the own process, and nobody uses the
 * environment's tags meanwhile. Errors: 0, E_FACT_MISSING it does not look as expected, nothing is
 * changed. Context: as above.
 */
int tag_chains_make(struct mem *m, const struct tag_chains *r);

/**
 * The address of the chain that the tag of `object` would hang in; that and the next unused entry
 * are fetched into the caches. Only a hint: the table may change at the same time, and an address
 * that is wrong costs nothing. 0: not known. Shape: reads 3 words of `m`, the own process, and the
 * words that are fetched, which cannot fault. Context: any.
 */
uint64_t tag_chains_expect(struct mem *m, const struct tag_chains *r, uint64_t object);
