/*
 * sieve.c - see sieve.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/sieve.h"
#include <stdlib.h>
#include "base/splitmix.h"
#include "profile/fold.h"
#include "profile/lookup.h"
#include "profile/profile.h"

enum {
    NEEDED = KIND_COUNT, /* used in place of a kind */
    ROOM_FIRST = 1024,   /* number of slots; a power of two, like every later size */
    SHIFT_MAX = 63,
};

/* While counting there is one entry for each kind of count of a stack; after that one for each
 * stack. */
struct entry {
    uint32_t serial, kind;
    union {
        uint64_t value; /* 0: the slot is empty */
        double share;
    };
};

struct sieve {
    struct entry *entries; /* slots by hash; after counting sorted by serial */
    uint64_t seed;         /* of the hash, because a file may choose its serials */
    size_t count, room, room_max;
    uint64_t total[KIND_COUNT + 1];
    uint64_t folded;
    uint32_t largest_serial; /* of the stacks of the file */
    trace_id rest;
    bool is_counting;
};

struct sieve *sieve_new(size_t bytes)
{
    struct sieve *s = calloc(1, sizeof(*s));
    struct lookup_key key;
    struct entry *entries = calloc(ROOM_FIRST, sizeof(*entries));
    if (!s || !entries) {
        free(s);
        free(entries);
        return NULL;
    }
    lookup_key_init(&key);
    *s = (struct sieve){.entries = entries,
                        .seed = key.k0,
                        .room = ROOM_FIRST,
                        .room_max = ROOM_FIRST,
                        .is_counting = true};
    while (s->room_max * 2 * sizeof(*entries) <= bytes)
        s->room_max *= 2;
    return s;
}

void sieve_free(struct sieve *s)
{
    if (s)
        free(s->entries);
    free(s);
}

bool sieve_is_counting(const struct sieve *s)
{
    return s && s->is_counting;
}

static struct entry *slot_of(const struct sieve *s, struct entry *entries, size_t room,
                             uint32_t serial, uint32_t kind)
{
    size_t at = splitmix_mix(s->seed ^ ((uint64_t)kind << 32 | serial)) & (room - 1);
    while (entries[at].value != 0 && (entries[at].serial != serial || entries[at].kind != kind))
        at = (at + 1) & (room - 1);
    return &entries[at];
}

/* Moves all entries of at least `least[kind]` into a table of `room` slots and forgets the others,
 * which count as folded. Returns false if there is no memory. */
static bool move(struct sieve *s, size_t room, const uint64_t *least)
{
    struct entry *to = calloc(room, sizeof(*to));
    if (!to)
        return false;
    for (size_t i = 0; i < s->room; i++) {
        const struct entry *e = &s->entries[i];
        if (e->value == 0)
            continue;
        if (e->value >= least[e->kind]) {
            *slot_of(s, to, room, e->serial, e->kind) = *e;
        } else {
            s->count--;
            s->folded++;
        }
    }
    free(s->entries);
    s->entries = to;
    s->room = room;
    return true;
}

/* Forgets the counts below 2^-N of all counts of their kind, with the largest N for which enough is
 * forgotten. Needed stacks stay. */
static bool forget_smallest(struct sieve *s)
{
    uint64_t least[KIND_COUNT + 1] = {0};
    bool ok = true;
    for (int shift = SHIFT_MAX; ok && shift >= 0 && s->count > s->room / 4; shift--) {
        for (int kind = 0; kind < KIND_COUNT; kind++)
            least[kind] = s->total[kind] >> shift;
        ok = move(s, s->room, least);
    }
    return ok && s->count <= s->room / 2;
}

static bool make_room(struct sieve *s)
{
    static const uint64_t none[KIND_COUNT + 1];
    if (s->count < s->room / 2)
        return true;
    return s->room < s->room_max ? move(s, s->room * 2, none) : forget_smallest(s);
}

static void add(struct sieve *s, uint32_t kind, uint32_t serial, uint64_t value)
{
    if (value == 0)
        return;
    if (!make_room(s)) {
        s->folded++;
        return;
    }
    struct entry *e = slot_of(s, s->entries, s->room, serial, kind);

    if (e->value == 0) {
        *e = (struct entry){.serial = serial, .kind = kind};
        s->count++;
    }
    if (__builtin_add_overflow(e->value, value, &e->value))
        e->value = UINT64_MAX;
    if (__builtin_add_overflow(s->total[kind], value, &s->total[kind]))
        s->total[kind] = UINT64_MAX;
}

void sieve_count(struct sieve *s, enum kind_id kind, uint32_t serial, uint64_t value)
{
    add(s, kind, serial, value);
}

void sieve_need(struct sieve *s, uint32_t serial)
{
    if (sieve_is_counting(s))
        add(s, NEEDED, serial, 1);
}

static int by_serial(const void *left, const void *right)
{
    const struct entry *l = left, *r = right;
    return l->serial < r->serial ? -1 : l->serial > r->serial;
}

static int by_share(const void *left, const void *right)
{
    const struct entry *l = left, *r = right;
    if (l->share != r->share)
        return l->share > r->share ? -1 : 1;
    return by_serial(left, right);
}

/* Turns the slots into a list of stacks, each with the largest of its shares. */
static void end_counting(struct sieve *s)
{
    enum { MORE_THAN_ALL = 2 };
    size_t count = 0, stacks = 0;
    for (size_t i = 0; i < s->room; i++) {
        struct entry e = s->entries[i];
        if (e.value == 0)
            continue;
        e.share = e.kind == NEEDED ? MORE_THAN_ALL : (double)e.value / (double)s->total[e.kind];
        s->entries[count++] = e;
    }
    qsort(s->entries, count, sizeof(*s->entries), by_serial);
    for (size_t i = 0; i < count; i++) {
        struct entry *last = stacks > 0 ? &s->entries[stacks - 1] : NULL;
        if (!last || last->serial != s->entries[i].serial)
            s->entries[stacks++] = s->entries[i];
        else if (last->share < s->entries[i].share)
            last->share = s->entries[i].share;
    }
    s->count = stacks;
    s->is_counting = false;
}

uint32_t sieve_keep(struct sieve *s, uint32_t most)
{
    if (s->is_counting)
        end_counting(s);
    if (s->count > most) {
        qsort(s->entries, s->count, sizeof(*s->entries), by_share);
        s->folded += s->count - most;
        s->count = most;
        qsort(s->entries, s->count, sizeof(*s->entries), by_serial);
    }
    return (uint32_t)s->count;
}

void sieve_begin(struct sieve *s, struct profile *p)
{
    frame_id frame = fold_frame(p);
    s->rest = frame ? profile_trace(p, 0, &frame, 1) : 0;
}

trace_id sieve_rest(const struct sieve *s)
{
    return s->rest;
}

bool sieve_passes(struct sieve *s, uint32_t serial)
{
    const struct entry wanted = {.serial = serial};
    if (!s)
        return true;
    if (s->is_counting && serial > s->largest_serial)
        s->largest_serial = serial;
    return !s->is_counting &&
           bsearch(&wanted, s->entries, s->count, sizeof(*s->entries), by_serial);
}

uint32_t sieve_largest(const struct sieve *s)
{
    return s->largest_serial;
}

uint64_t sieve_folded(const struct sieve *s)
{
    return s->folded;
}
