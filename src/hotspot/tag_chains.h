/*
 * tag_chains.h - make room for many tags in the VM's table of tags, where that table is slow: JDK 8
 * to 15.
 *
 * If every object gets a tag, two habits of the table take most of SetTag's time. The table lets
 * its chains grow to four entries on average before it takes more chains. And it keeps at most 4096
 * unused entries, so that malloc and free are called for each object that lives and dies. The two
 * limits are numbers in the table's own fields. This file sets them to one entry per chain, and to
 * keep all entries. The VM's code and the meaning of tags do not change.
 *
 * The VM does not describe these structures. Therefore the code looks at a table twice, before and
 * after a SetTag of the caller, and writes to it only if all its fields were as expected, and if
 * one entry moved from its chain to the list of unused entries as expected.
 * Source: HotSpot jvmtiTagMap.hpp and .cpp, JDK 8 and 11.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct mem;

enum { TAG_CHAINS_JDK_LAST = 15 }; /* the last release with such a table */

/** The addresses of the table of one environment, as tag_chains_find() saw it. */
struct tag_chains {
    uint64_t table;  /* the table's sizes and limits */
    uint64_t entry;  /* the entry of the one object that has a tag */
    uint64_t unused; /* start of the list of unused entries; their number lies behind it */
};

/**
 * Find the table of `env`. In this environment one object must have a tag, `tag`, and no other tag
 * may ever have been set. Errors: 0; E_FACT_MISSING no table looks as expected, or the JDK is
 * another one. Context: any, not signal.
 */
int tag_chains_find(struct mem *m, int version, uint64_t env, int64_t tag, struct tag_chains *ret);

/**
 * Make room. The caller has taken the tag away before. `m` is the own process, and no thread uses
 * the environment's tags meanwhile. Errors: 0; E_FACT_MISSING the table does not look as expected,
 * and nothing is changed. Context: any, not signal.
 */
int tag_chains_make(struct mem *m, const struct tag_chains *r);

/**
 * The address of the chain in which the tag of `object` would hang; this chain and the next unused
 * entry are fetched into the caches. The address is only a hint: the table may change at the same
 * time, and a wrong address costs nothing. 0: not known. Shape: reads 3 words of `m`, the own
 * process, and the words that are fetched, which cannot fault. Context: any.
 */
uint64_t tag_chains_expect(struct mem *m, const struct tag_chains *r, uint64_t object);
