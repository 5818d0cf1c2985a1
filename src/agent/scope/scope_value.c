/*
 * scope_value.c - see scope_value.h.
 *
 * A number has its place in the low bits, from 1, and its generation above. Free places are reused
 * in the order in which they became free.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/scope/scope_value.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "agent/scope/scope_cell.h"
#include "base/lock.h"

enum {
    PLACE_BITS = 17, /* at 50,000 new values each second, a text stays for 2 s or longer */
    PLACES = 1 << PLACE_BITS,
    PLACE_MASK = PLACES - 1,
};

struct place {
    _Atomic uint32_t value; /* the number that has this place; 0: the place is free */
    uint32_t last;          /* the number that `text` belongs to, maybe forgotten */
    char *text;
    bool is_used;
};

_Atomic uint32_t scope_value_epoch = 1;

static struct {
    struct lock lock;
    struct place *places; /* PLACES of them, place 0 is not used; NULL: not made yet */
    uint32_t *free;       /* a queue of free places */
    uint32_t first, count;
    uint64_t lost;
} values = {.lock = LOCK_INIT(SCOPES)};

/*
 * Make the places. Readers without the lock see no places before they are complete. Needs the lock.
 */
static bool make(void)
{
    struct place *places = calloc(PLACES, sizeof(*places));
    uint32_t *free_places = calloc(PLACES, sizeof(*free_places));
    if (!places || !free_places) {
        free(places);
        free(free_places);
        return false;
    }
    for (uint32_t i = 1; i < PLACES; i++)
        free_places[i - 1] = i;
    values.free = free_places;
    values.count = PLACES - 1;
    __atomic_store_n(&values.places, places, __ATOMIC_RELEASE);
    return true;
}

static struct place *place_of(uint32_t value)
{
    struct place *places = __atomic_load_n(&values.places, __ATOMIC_ACQUIRE);
    return places && value ? &places[value & PLACE_MASK] : NULL;
}

static void mark(uint32_t value)
{
    struct place *p = place_of(value);
    if (p && atomic_load(&p->value) == value)
        p->is_used = true;
}

/* Forget each value that no scope has. Needs the lock. */
static void sweep(void)
{
    atomic_fetch_add(&scope_value_epoch, 1);
    scope_cell_each(mark);
    for (uint32_t i = 1; i < PLACES; i++) {
        struct place *p = &values.places[i];
        if (atomic_load(&p->value) && !p->is_used) {
            atomic_store(&p->value, 0);
            values.free[(values.first + values.count++) & PLACE_MASK] = i;
        }
        p->is_used = false;
    }
}

/* The next number at a place: one generation after `last`, and never 0. */
static uint32_t next_value(uint32_t last, uint32_t place)
{
    return ((last >> PLACE_BITS) + 1) << PLACE_BITS | place;
}

static uint32_t add(const char *text, size_t len)
{
    char *copy;
    uint32_t at;
    if (!values.places && !make())
        return 0;
    if (values.count == 0)
        sweep();
    copy = values.count ? malloc(len + 1) : NULL;
    if (!copy)
        return 0;
    at = values.free[values.first++ & PLACE_MASK];
    values.count--;
    struct place *p = &values.places[at];
    free(p->text);
    memcpy(copy, text, len);
    copy[len] = '\0';
    p->text = copy;
    p->last = next_value(p->last, at);
    atomic_store(&p->value, p->last);
    return p->last;
}

uint32_t scope_value_new(const char *text, size_t len)
{
    uint32_t value;
    lock_take(&values.lock);
    value = add(text, len < SCOPE_VALUE_BYTES ? len : SCOPE_VALUE_BYTES - 1);
    values.lost += value == 0;
    lock_give(&values.lock);
    return value;
}

bool scope_value_is_known(uint32_t value)
{
    struct place *p = place_of(value);
    return p && atomic_load_explicit(&p->value, memory_order_relaxed) == value;
}

size_t scope_value_text(uint32_t value, char ret[SCOPE_VALUE_BYTES])
{
    struct place *p;
    size_t len = 0;
    lock_take(&values.lock);
    p = place_of(value);
    if (p && p->last == value) {
        len = strlen(p->text);
        memcpy(ret, p->text, len + 1);
    }
    lock_give(&values.lock);
    return len;
}

uint64_t scope_value_lost(void)
{
    uint64_t lost;
    lock_take(&values.lock);
    lost = values.lost;
    lock_give(&values.lock);
    return lost;
}
