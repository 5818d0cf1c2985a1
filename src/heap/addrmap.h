/*
 * addrmap.h - which addresses are objects, and which number each object has.
 *
 * One bit for each unit of the address space, in pages; pages without objects are left out. The
 * number of an object is the count of objects at lower addresses, which a look-up finds in constant
 * time. Objects may be added in any order. A unit is 8 bytes, or 1 where ids are no addresses.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/splitmix.h"
#include "heap/heaproom.h"

enum {
    ADDRMAP_WORDS = 64, /* of 64 bits, in a page */
    ADDRMAP_PAGE_SHIFT = 12,
};

struct addrmap_page {
    uint64_t words[ADDRMAP_WORDS];
    uint64_t key;                   /* address of the first unit >> (shift + ADDRMAP_PAGE_SHIFT) */
    uint64_t base;                  /* number of the first object of the page */
    uint16_t before[ADDRMAP_WORDS]; /* objects of the page in front of each word */
};

struct addrmap {
    struct heaproom *room;
    unsigned shift;             /* log2 of the bytes of a unit */
    struct heaproom_list pages; /* struct addrmap_page; sorted by key after addrmap_seal() */
    uint32_t *slots;            /* hash table of pages: place + 1, or 0 */
    uint64_t slot_count;        /* a power of 2 */
    uint64_t last_key;          /* the page that was found last, and its place */
    uint32_t last_page;
    uint32_t *direct; /* after addrmap_seal(): place + 1 by key - first_key; or NULL */
    uint64_t first_key, span;
    uint64_t count; /* of objects */
};

void addrmap_init(struct addrmap *m, struct heaproom *room, unsigned shift);
void addrmap_done(struct addrmap *m);
/** Adds an object. Returns 1; 0: it was there already. Errors: E_LIMIT: no memory. */
int addrmap_add(struct addrmap *m, uint64_t address);
/** Adds all objects of a page that is not there yet. Errors: 0; E_LIMIT: no memory. */
int addrmap_add_page(struct addrmap *m, uint64_t key, const uint64_t words[ADDRMAP_WORDS]);
/** Numbers the objects; to be called once, behind the last addrmap_add(). Errors: E_LIMIT. */
int addrmap_seal(struct addrmap *m);
/** The address of the object with this number, which is lower than `count`. */
uint64_t addrmap_address(const struct addrmap *m, uint64_t number);

static inline uint64_t addrmap_hash(const struct addrmap *m, uint64_t key)
{
    return splitmix_mix(key ^ m->room->seed);
}

/** The place + 1 of a page in the table; 0: there is none. */
static inline uint32_t addrmap_slot(const struct addrmap *m, uint64_t key)
{
    if (m->direct)
        return key - m->first_key < m->span ? m->direct[key - m->first_key] : 0;
    if (m->slot_count == 0)
        return 0;
    const struct addrmap_page *pages = (const void *)m->pages.at;
    uint64_t mask = m->slot_count - 1, at = addrmap_hash(m, key) & mask;
    while (m->slots[at] != 0 && pages[m->slots[at] - 1].key != key)
        at = (at + 1) & mask;
    return m->slots[at];
}

static inline unsigned addrmap_bits(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(x * UINT64_C(0x0101010101010101) >> 56);
}

/** The number of the object at this address; UINT64_MAX: there is none. After addrmap_seal(). */
static inline uint64_t addrmap_number(const struct addrmap *m, uint64_t address)
{
    uint64_t unit = address >> m->shift;
    uint32_t slot = addrmap_slot(m, unit >> ADDRMAP_PAGE_SHIFT);
    if (slot == 0 || unit << m->shift != address)
        return UINT64_MAX;
    const struct addrmap_page *page =
        (const struct addrmap_page *)(const void *)m->pages.at + (slot - 1);
    unsigned word = unit / 64 % ADDRMAP_WORDS;
    uint64_t bit = UINT64_C(1) << unit % 64;
    if (!(page->words[word] & bit))
        return UINT64_MAX;
    return page->base + page->before[word] + addrmap_bits(page->words[word] & (bit - 1));
}

/** Asks for the memory that addrmap_number() will need for this address. After addrmap_seal(). */
static inline void addrmap_prefetch(const struct addrmap *m, uint64_t address)
{
    uint64_t unit = address >> m->shift, key = unit >> ADDRMAP_PAGE_SHIFT;
    if (!m->direct || key - m->first_key >= m->span || m->direct[key - m->first_key] == 0)
        return;
    const struct addrmap_page *page = (const struct addrmap_page *)(const void *)m->pages.at +
                                      (m->direct[key - m->first_key] - 1);
    unsigned word = unit / 64 % ADDRMAP_WORDS;
    __builtin_prefetch(&page->words[word]);
    __builtin_prefetch(&page->before[word]);
}
