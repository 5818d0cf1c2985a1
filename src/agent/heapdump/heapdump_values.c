/*
 * heapdump_values.c - see heapdump_values.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/heapdump/heapdump_values.h"
#include <errno.h>
#include "base/pages.h"

enum { SLOTS_FIRST = 1 << 12 };

/* The slot of a value; a free slot if the value has none. */
static struct heapdump_values_slot *slot_of(const struct heapdump_values *v, uint64_t place,
                                            uint32_t klass)
{
    uint64_t at = (place + klass) * 0x9e3779b97f4a7c15ull >> 20;
    struct heapdump_values_slot *s = &v->slots[at & (v->max - 1)];
    while (s->place != 0 && (s->place != place || s->klass != klass))
        s = &v->slots[++at & (v->max - 1)];
    return s;
}

uint32_t heapdump_values_find(const struct heapdump_values *v, uint64_t place, uint32_t klass)
{
    return v->max == 0 ? 0 : slot_of(v, place, klass)->number;
}

uint64_t heapdump_values_growth(const struct heapdump_values *v)
{
    uint64_t max = v->max == 0 ? SLOTS_FIRST : v->max * 2;
    return v->count + 1 <= v->max / 2 ? 0 : max * sizeof(*v->slots);
}

static int grow(struct heapdump_values *v)
{
    struct heapdump_values old = *v;
    uint64_t bytes = heapdump_values_growth(v);
    if (bytes == 0)
        return 0;
    v->slots = pages_map(bytes);
    if (!v->slots) {
        v->slots = old.slots;
        return -ENOMEM;
    }
    v->max = bytes / sizeof(*v->slots);
    for (uint64_t i = 0; i < old.max; i++) {
        if (old.slots[i].place != 0)
            *slot_of(v, old.slots[i].place, old.slots[i].klass) = old.slots[i];
    }
    heapdump_values_done(&old);
    return 0;
}

int heapdump_values_add(struct heapdump_values *v, uint64_t place, uint32_t klass, uint32_t number)
{
    if (grow(v) < 0)
        return -ENOMEM;
    *slot_of(v, place, klass) = (struct heapdump_values_slot){place, klass, number};
    v->count++;
    return 0;
}

void heapdump_values_done(struct heapdump_values *v)
{
    pages_unmap(v->slots, v->max * sizeof(*v->slots));
}
