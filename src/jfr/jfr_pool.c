/*
 * jfr_pool.c - see jfr_pool.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfr/jfr_pool.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/random.h>
#include "base/err.h"
#include "base/splitmix.h"
#include "jfr/jfr_budget.h"
#include "jfr/jfr_metadata.h"

/* The numbers of a checkpoint are its start, its duration and the distance to the one before it. */
enum { SLOTS_MIN = 16, CHECKPOINT_NUMBERS = 3 };

struct slot {
    uint64_t key;
    const uint8_t *value; /* NULL: the slot is free */
};

struct jfr_pool {
    struct slot *slots;
    size_t mask, used;
    bool *marks; /* one for each slot; NULL: no mark was set */
};

struct note {
    const uint8_t *from, *at; /* `from` NULL: the slot is free */
    /* numbers of the type and the field; two structures may begin at the same byte, one inside the
     * other */
    uint64_t what;
};

struct jfr_notes {
    uint64_t seed;
    struct note *slots;
    size_t mask, used;
};

/* `count` zeroed rows from the budget; NULL: there is no memory, or no budget for it. */
static void *take(struct jfr_budget *b, size_t count, size_t row)
{
    if (!jfr_budget_take(b, count * row))
        return NULL;
    void *rows = calloc(count, row);
    if (!rows)
        jfr_budget_give(b, count * row);
    return rows;
}

static void give(struct jfr_budget *b, void *rows, size_t count, size_t row)
{
    if (rows)
        jfr_budget_give(b, count * row);
    free(rows);
}

int jfr_pool_init(struct jfr_pools *p, const struct jfr_metadata *metadata,
                  struct jfr_budget *budget)
{
    *p = (struct jfr_pools){
        .metadata = metadata,
        .budget = budget,
        .by_type = take(budget, metadata->type_count + (size_t)1, sizeof(*p->by_type))};
    if (getrandom(&p->seed, sizeof(p->seed), GRND_NONBLOCK) != (ssize_t)sizeof(p->seed))
        p->seed = (uint64_t)(uintptr_t)p->by_type;
    p->seed |= 1;
    p->notes = calloc(1, sizeof(*p->notes));
    if (p->notes)
        p->notes->seed = p->seed;
    return p->by_type && p->notes ? 0 : -ENOMEM;
}

void jfr_pool_done(struct jfr_pools *p)
{
    jfr_pool_unmark_all(p);
    for (uint32_t i = 0; p->by_type && i < p->metadata->type_count; i++)
        give(p->budget, p->by_type[i].slots, p->by_type[i].mask + 1, sizeof(struct slot));
    if (p->by_type)
        give(p->budget, p->by_type, p->metadata->type_count + (size_t)1, sizeof(*p->by_type));
    if (p->notes)
        give(p->budget, p->notes->slots, p->notes->mask + 1, sizeof(struct note));
    free(p->notes);
    *p = (struct jfr_pools){0};
}

/* Keys may differ only in their high bits. A single multiplication would not move these bits
 * down. */
uint64_t jfr_pool_mix(const struct jfr_pools *p, uint64_t key)
{
    return splitmix_mix(key ^ p->seed);
}

static struct slot *find(const struct jfr_pools *p, const struct jfr_pool *pool, uint64_t key)
{
    size_t at = jfr_pool_mix(p, key) & pool->mask;
    while (pool->slots[at].value && pool->slots[at].key != key)
        at = (at + 1) & pool->mask;
    return &pool->slots[at];
}

static int grow(const struct jfr_pools *p, struct jfr_pool *pool)
{
    struct jfr_pool larger = {.mask = pool->slots ? pool->mask * 2 + 1 : SLOTS_MIN - 1,
                              .used = pool->used};
    larger.slots = take(p->budget, larger.mask + 1, sizeof(*larger.slots));
    if (!larger.slots)
        return -ENOMEM;
    for (size_t i = 0; pool->slots && i <= pool->mask; i++)
        if (pool->slots[i].value)
            *find(p, &larger, pool->slots[i].key) = pool->slots[i];
    give(p->budget, pool->slots, pool->mask + 1, sizeof(*pool->slots));
    *pool = larger;
    return 0;
}

static int put(const struct jfr_pools *p, struct jfr_pool *pool, uint64_t key, const uint8_t *value)
{
    if (!pool->slots || pool->used >= pool->mask - pool->mask / 4) {
        int r = grow(p, pool);
        if (r < 0)
            return r;
    }
    struct slot *slot = find(p, pool, key);
    pool->used += !slot->value;
    *slot = (struct slot){key, value};
    return 0;
}

static int add_pool(struct jfr_pools *p, struct leb *l)
{
    const struct jfr_type *type = jfr_metadata_type(p->metadata, leb_number(l));
    uint64_t count = leb_number(l);
    if (l->is_bad)
        return E_TRUNCATED;
    /* Each constant has at least one byte for the key and one for the value. */
    if (!type || !type->is_readable || count > leb_left(l) / 2)
        return E_FORMAT;
    for (; count > 0; count--) {
        uint64_t key = leb_number(l);
        const uint8_t *value = l->at;
        jfr_type_skip_fields(type, type->field_count, l);
        if (l->is_bad)
            return E_TRUNCATED;
        int r = put(p, &p->by_type[type->number], key, value);
        if (r < 0)
            return r;
    }
    return 0;
}

int jfr_pool_add(struct jfr_pools *p, struct leb payload)
{
    struct leb *l = &payload;
    leb_skip_numbers(l, CHECKPOINT_NUMBERS);
    leb_skip(l, 1); /* the flags */
    uint64_t count = leb_number(l);
    for (uint64_t i = 0; i < count; i++) {
        int r = l->is_bad ? E_TRUNCATED : add_pool(p, l);
        if (r < 0)
            return r;
    }
    return l->is_bad ? E_TRUNCATED : 0;
}

const uint8_t *jfr_pool_find(const struct jfr_pools *p, const struct jfr_type *type, uint64_t key)
{
    const struct jfr_pool *pool = p->by_type ? &p->by_type[type->number] : NULL;
    return pool && pool->slots ? find(p, pool, key)->value : NULL;
}

int jfr_pool_mark(struct jfr_pools *p, const struct jfr_type *type, uint64_t key,
                  const uint8_t **ret_value)
{
    struct jfr_pool *pool = p->by_type ? &p->by_type[type->number] : NULL;
    if (!pool || !pool->slots)
        return 0;
    if (!pool->marks && !(pool->marks = calloc(pool->mask + 1, sizeof(*pool->marks))))
        return -ENOMEM;
    const struct slot *slot = find(p, pool, key);
    bool *mark = &pool->marks[slot - pool->slots];
    if (!slot->value || *mark)
        return 0;
    *mark = true;
    *ret_value = slot->value;
    return 1;
}

void jfr_pool_unmark_all(struct jfr_pools *p)
{
    for (uint32_t i = 0; p->by_type && i < p->metadata->type_count; i++) {
        free(p->by_type[i].marks);
        p->by_type[i].marks = NULL;
    }
}

static uint64_t what_of(const struct jfr_type *type, uint32_t number)
{
    return (uint64_t)type->number << 32 | number;
}

static struct note *find_note(const struct jfr_notes *n, const uint8_t *from, uint64_t what)
{
    uint64_t mixed = ((uint64_t)(uintptr_t)from + what * 3) * n->seed;
    size_t at = (size_t)(mixed >> 32) & n->mask;
    while (n->slots[at].from && (n->slots[at].from != from || n->slots[at].what != what))
        at = (at + 1) & n->mask;
    return &n->slots[at];
}

bool jfr_pool_again(const struct jfr_pools *p, const struct jfr_type *type, uint32_t number,
                    struct leb *l)
{
    const struct jfr_notes *notes = p->notes;
    const struct note *n =
        notes && notes->used > 0 ? find_note(notes, l->at, what_of(type, number)) : NULL;
    if (!n || !n->from)
        return false;
    l->at = n->at;
    return true;
}

static bool grow_notes(const struct jfr_pools *p, struct jfr_notes *n)
{
    struct jfr_notes larger = {
        .seed = n->seed, .mask = n->slots ? n->mask * 2 + 1 : SLOTS_MIN - 1, .used = n->used};
    larger.slots = take(p->budget, larger.mask + 1, sizeof(*larger.slots));
    if (!larger.slots)
        return false;
    for (size_t i = 0; n->slots && i <= n->mask; i++)
        if (n->slots[i].from)
            *find_note(&larger, n->slots[i].from, n->slots[i].what) = n->slots[i];
    give(p->budget, n->slots, n->mask + 1, sizeof(*n->slots));
    n->slots = larger.slots;
    n->mask = larger.mask;
    return true;
}

void jfr_pool_note(const struct jfr_pools *p, const struct jfr_type *type, uint32_t number,
                   const uint8_t *from, const uint8_t *at)
{
    struct jfr_notes *notes = p->notes;
    if (!notes || (notes->used * 2 >= notes->mask && !grow_notes(p, notes)))
        return;
    struct note *n = find_note(notes, from, what_of(type, number));

    notes->used += !n->from;
    *n = (struct note){from, at, what_of(type, number)};
}

size_t jfr_pool_count(const struct jfr_pools *p, const struct jfr_type *type)
{
    return p->by_type ? p->by_type[type->number].used : 0;
}
