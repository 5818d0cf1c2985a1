/*
 * moments.c - see moments.h.
 *
 * A moment is a few numbers, with seven bits in each byte, lowest bits first. The numbers are: its
 * kind and row in one number; the difference of its time to that of the moment before, with the
 * sign in the lowest bit; its values.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/moments.h"
#include <errno.h>
#include <stddef.h>
#include "base/arena.h"

enum {
    BLOCK = 64 << 10,
    NUMBER_MAX = 10,                             /* bytes of a number */
    MOMENT_MAX = (2 + KIND_VALUES) * NUMBER_MAX, /* bytes of a moment */
};

struct moments_block {
    struct moments_block *next;
    uint32_t used;
    uint8_t bytes[BLOCK - 16];
};

static uint8_t *put(uint8_t *to, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        *to++ = (uint8_t)(number | 0x80);
    *to++ = (uint8_t)number;
    return to;
}

static uint64_t take(const uint8_t **at)
{
    uint64_t number = 0;
    unsigned shift = 0;
    for (; **at >= 0x80; shift += 7)
        number |= (uint64_t)(*(*at)++ & 0x7f) << shift;
    return number | (uint64_t) * (*at)++ << shift;
}

static struct moments_block *room(struct moments *m, struct arena *a)
{
    struct moments_block *last = m->last;
    if (last && last->used + MOMENT_MAX <= sizeof(last->bytes))
        return last;
    struct moments_block *block = arena_alloc(a, sizeof(*block));
    if (!block)
        return NULL;
    if (last)
        last->next = block;
    else
        m->first = block;
    m->last = block;
    return block;
}

int moments_add(struct moments *m, struct arena *a, const struct moment *moment)
{
    struct moments_block *block = m->is_broken ? NULL : room(m, a);
    int64_t step = (int64_t)(moment->time_ns - m->time_before_ns);
    if (!block) {
        moments_give_up(m);
        return -ENOMEM;
    }
    uint8_t *to = block->bytes + block->used;
    to = put(to, (uint64_t)moment->row * KIND_COUNT + moment->kind);
    to = put(to, (uint64_t)step << 1 ^ (uint64_t)(step >> 63));
    for (uint32_t i = 0; i < kind_value_count(moment->kind); i++)
        to = put(to, moment->value[i]);
    block->used = (uint32_t)(to - block->bytes);
    if (m->count++ == 0 || moment->time_ns < m->first_ns)
        m->first_ns = moment->time_ns;
    if (moment->time_ns > m->last_ns)
        m->last_ns = moment->time_ns;
    m->kinds |= 1u << moment->kind;
    m->time_before_ns = moment->time_ns;
    return 0;
}

void moments_give_up(struct moments *m)
{
    *m = (struct moments){.is_broken = true};
}

struct moments_at moments_begin(const struct moments *m)
{
    return (struct moments_at){.block = m->first};
}

bool moments_next(struct moments_at *at, struct moment *ret_moment)
{
    if (at->block && at->used == at->block->used) {
        at->block = at->block->next;
        at->used = 0;
    }
    if (!at->block)
        return false;
    const uint8_t *from = at->block->bytes + at->used;
    uint64_t number = take(&from), step = take(&from);

    at->time_ns += step >> 1 ^ (0 - (step & 1));
    *ret_moment = (struct moment){
        .kind = (enum kind_id)(number % KIND_COUNT),
        .row = (uint32_t)(number / KIND_COUNT),
        .time_ns = at->time_ns,
    };
    for (uint32_t i = 0; i < kind_value_count(ret_moment->kind); i++)
        ret_moment->value[i] = take(&from);
    at->used = (uint32_t)(from - at->block->bytes);
    return true;
}
