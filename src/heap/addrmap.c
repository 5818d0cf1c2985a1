/*
 * addrmap.c - which addresses are objects.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/addrmap.h"
#include <stdlib.h>
#include "base/err.h"

enum { FIRST_SLOTS = 1 << 14, DIRECT_LEAST = 1 << 18 };

void addrmap_init(struct addrmap *m, struct heaproom *room, unsigned shift)
{
    *m = (struct addrmap){.room = room, .shift = shift, .last_key = UINT64_MAX};
}

void addrmap_done(struct addrmap *m)
{
    heaproom_list_done(&m->pages, m->room);
    heaproom_give(m->room, m->slots, m->slot_count * sizeof(*m->slots));
    heaproom_give(m->room, m->direct, m->span * sizeof(*m->direct));
    m->slots = m->direct = NULL;
    m->slot_count = m->span = 0;
}

static struct addrmap_page *pages_of(const struct addrmap *m)
{
    return (struct addrmap_page *)(void *)m->pages.at;
}

static void put_slot(struct addrmap *m, uint64_t key, uint32_t place)
{
    uint64_t mask = m->slot_count - 1, at = addrmap_hash(m, key) & mask;
    while (m->slots[at] != 0)
        at = (at + 1) & mask;
    m->slots[at] = place + 1;
}

/* Makes the hash table anew, with room for twice the pages. */
static int grow_slots(struct addrmap *m)
{
    uint64_t count = m->slot_count == 0 ? FIRST_SLOTS : m->slot_count * 2;
    uint32_t *slots = heaproom_take(m->room, count * sizeof(*slots));
    if (!slots)
        return E_LIMIT;
    heaproom_give(m->room, m->slots, m->slot_count * sizeof(*slots));
    m->slots = slots;
    m->slot_count = count;
    for (uint64_t i = 0; i < m->pages.count; i++)
        put_slot(m, pages_of(m)[i].key, (uint32_t)i);
    return 0;
}

static int add_page(struct addrmap *m, uint64_t key)
{
    if (m->pages.count >= UINT32_MAX - 1)
        return E_LIMIT;
    if (m->pages.count * 2 >= m->slot_count && grow_slots(m) < 0)
        return E_LIMIT;
    struct addrmap_page *page = heaproom_list_add(&m->pages, m->room, sizeof(*page));
    if (!page)
        return E_LIMIT;
    page->key = key;
    put_slot(m, key, (uint32_t)(m->pages.count - 1));
    return 0;
}

int addrmap_add(struct addrmap *m, uint64_t address)
{
    uint64_t unit = address >> m->shift, key = unit >> ADDRMAP_PAGE_SHIFT;
    if (key != m->last_key) {
        uint32_t slot = addrmap_slot(m, key);
        if (slot == 0 && add_page(m, key) < 0)
            return E_LIMIT;
        m->last_page = slot == 0 ? (uint32_t)(m->pages.count - 1) : slot - 1;
        m->last_key = key;
    }
    uint64_t *word = &pages_of(m)[m->last_page].words[unit / 64 % ADDRMAP_WORDS];
    uint64_t bit = UINT64_C(1) << unit % 64;
    if (*word & bit)
        return 0;
    *word |= bit;
    m->count++;
    return 1;
}

int addrmap_add_page(struct addrmap *m, uint64_t key, const uint64_t words[ADDRMAP_WORDS])
{
    if (add_page(m, key) < 0)
        return E_LIMIT;
    uint64_t *to = pages_of(m)[m->pages.count - 1].words;
    for (int i = 0; i < ADDRMAP_WORDS; i++) {
        to[i] = words[i];
        m->count += addrmap_bits(words[i]);
    }
    return 0;
}

static int by_key(const void *a, const void *b)
{
    const struct addrmap_page *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

static bool is_sorted(const struct addrmap *m)
{
    const struct addrmap_page *pages = pages_of(m);
    for (uint64_t i = 1; i < m->pages.count; i++)
        if (pages[i - 1].key > pages[i].key)
            return false;
    return true;
}

/* Makes the table that finds a page by its key: a plain one where keys lie close together. */
static int index_pages(struct addrmap *m)
{
    const struct addrmap_page *pages = pages_of(m);
    uint64_t count = m->pages.count;
    m->first_key = pages[0].key;
    uint64_t span = pages[count - 1].key - pages[0].key + 1;
    if (span <= DIRECT_LEAST || span / 64 <= count) {
        m->direct = heaproom_take(m->room, span * sizeof(*m->direct));
        if (!m->direct)
            return E_LIMIT;
        m->span = span;
        for (uint64_t i = 0; i < count; i++)
            m->direct[pages[i].key - m->first_key] = (uint32_t)(i + 1);
        heaproom_give(m->room, m->slots, m->slot_count * sizeof(*m->slots));
        m->slots = NULL;
        m->slot_count = 0;
        return 0;
    }
    for (uint64_t i = 0; i < m->slot_count; i++)
        m->slots[i] = 0;
    for (uint64_t i = 0; i < count; i++)
        put_slot(m, pages[i].key, (uint32_t)i);
    return 0;
}

int addrmap_seal(struct addrmap *m)
{
    struct addrmap_page *pages = pages_of(m);
    uint64_t base = 0;
    if (m->pages.count == 0)
        return 0;
    if (!is_sorted(m))
        qsort(pages, m->pages.count, sizeof(*pages), by_key);
    for (uint64_t i = 0; i < m->pages.count; i++) {
        unsigned in_page = 0;
        pages[i].base = base;
        for (unsigned w = 0; w < ADDRMAP_WORDS; w++) {
            pages[i].before[w] = (uint16_t)in_page;
            in_page += addrmap_bits(pages[i].words[w]);
        }
        base += in_page;
    }
    return index_pages(m);
}

uint64_t addrmap_address(const struct addrmap *m, uint64_t number)
{
    const struct addrmap_page *pages = pages_of(m);
    uint64_t low = 0, high = m->pages.count;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (pages[middle].base <= number)
            low = middle;
        else
            high = middle;
    }
    const struct addrmap_page *page = &pages[low];
    unsigned rest = (unsigned)(number - page->base), word = 0;
    while (word + 1 < ADDRMAP_WORDS && page->before[word + 1] <= rest)
        word++;
    uint64_t bits = page->words[word];
    for (rest -= page->before[word]; rest > 0; rest--)
        bits &= bits - 1;
    uint64_t unit =
        (page->key << ADDRMAP_PAGE_SHIFT) + (uint64_t)word * 64 + (unsigned)__builtin_ctzll(bits);
    return unit << m->shift;
}
