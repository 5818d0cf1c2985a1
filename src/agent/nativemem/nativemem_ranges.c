/* nativemem_ranges.c - see nativemem_ranges.h. SPDX-License-Identifier: Apache-2.0 */
#include "agent/nativemem/nativemem_ranges.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "safe/search.h"

_Static_assert(AGENT_RECORDINGS <= 8, "a bit of a byte for each recording");

/* The first range that ends above `address`. */
static uint32_t first_above(const struct nativemem_ranges *t, uint64_t address)
{
    return SEARCH_UPTO(t->rows, t->count, high, address);
}

static uint8_t places_of(const struct nativemem_range *r)
{
    uint8_t places = 0;
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        places |= (uint8_t)((r->of[i] != 0) << i);
    return places;
}

static void insert(struct nativemem_ranges *t, uint32_t at, const struct nativemem_range *range)
{
    memmove(&t->rows[at + 1], &t->rows[at], (t->count - at) * sizeof(*t->rows));
    t->rows[at] = *range;
    t->count++;
}

bool nativemem_ranges_add(struct nativemem_ranges *t, const struct nativemem_range *range)
{
    if (t->count == t->room)
        return false;
    insert(t, first_above(t, range->low), range);
    return true;
}

/* Take [low, high) out of the middle of a range. Returns the bytes above it if they found no room.
 */
static uint64_t split(struct nativemem_ranges *t, uint32_t at, uint64_t low, uint64_t high)
{
    struct nativemem_range above = t->rows[at];
    above.low = high;
    t->rows[at].high = low;
    if (t->count == t->room)
        return above.high - above.low;
    insert(t, at + 1, &above);
    return 0;
}

uint8_t nativemem_ranges_cut(struct nativemem_ranges *t, uint64_t low, uint64_t high,
                             uint64_t before_ns, uint64_t *ret_lost)
{
    uint32_t from = first_above(t, low), to = from;
    uint8_t places = 0;
    *ret_lost = 0;
    for (; from < t->count && t->rows[from].low < high; from++) {
        struct nativemem_range *r = &t->rows[from];
        if (r->time_ns <= before_ns) {
            places |= places_of(r);
            if (r->low < low && r->high > high) {
                *ret_lost = split(t, from, low, high);
                return places;
            }
            if (r->low >= low && r->high <= high)
                continue;
            if (r->low < low)
                r->high = low;
            else
                r->low = high;
        }
        t->rows[to++] = *r;
    }
    if (to < from)
        memmove(&t->rows[to], &t->rows[from], (t->count - from) * sizeof(*t->rows));
    t->count -= from - to;
    return places;
}

int nativemem_ranges_check(struct nativemem_ranges *t)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    uint64_t mapped_to = 0, lost;
    char line[512], *at;  /* "low-high rwxp offset ..." in hexadecimal */
    bool is_begin = true; /* of a line; a path may be longer than the buffer */
    if (!maps)
        return -errno;
    while (fgets(line, sizeof(line), maps)) {
        uint64_t low = strtoull(line, &at, 16);
        uint64_t high = *at == '-' ? strtoull(at + 1, &at, 16) : 0;
        if (is_begin && high > 0 && strncmp(at, " ---", strlen(" ---")) != 0) {
            nativemem_ranges_cut(t, mapped_to, low, UINT64_MAX, &lost);
            mapped_to = high;
        }
        is_begin = strchr(line, '\n') != NULL;
    }
    nativemem_ranges_cut(t, mapped_to, UINT64_MAX, UINT64_MAX, &lost);
    fclose(maps);
    return 0;
}
