/*
 * tally.c - see tally.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/tally.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "profile/sums.h"

struct tally {
    struct arena *arena; /* for rows: `own`, or the model's arena */
    struct arena own;
    const struct lookup_key *key;
    struct sums sums[KIND_COUNT];
    struct profile_quality quality[TALLY_QUALITY_MAX];
    uint32_t quality_count;
};

struct tally *tally_new(const struct lookup_key *key, struct arena *arena, size_t budget)
{
    struct tally *t = calloc(1, sizeof(*t));
    if (!t)
        return NULL;
    arena_init(&t->own, budget);
    t->arena = arena ? arena : &t->own;
    t->key = key;
    for (int kind = 0; kind < KIND_COUNT; kind++)
        sums_init(&t->sums[kind], kind);
    return t;
}

void tally_free(struct tally *t)
{
    if (t)
        arena_done(&t->own);
    free(t);
}

void tally_clear(struct tally *t)
{
    for (int kind = 0; kind < KIND_COUNT; kind++)
        sums_clear(&t->sums[kind]);
    t->quality_count = 0;
}

int tally_add(struct tally *t, const struct event *event)
{
    return sums_add(&t->sums[event->kind], t->arena, t->key, event);
}

struct sums *tally_sums(struct tally *t, enum kind_id kind)
{
    return &t->sums[kind];
}

int tally_set_quality(struct tally *t, const char *name, uint64_t count)
{
    for (uint32_t i = 0; i < t->quality_count; i++) {
        if (strcmp(t->quality[i].name, name) == 0) {
            t->quality[i].count = count;
            return 0;
        }
    }
    if (t->quality_count == TALLY_QUALITY_MAX)
        return -ENOMEM;
    t->quality[t->quality_count++] = (struct profile_quality){name, count};
    return 0;
}

const struct profile_quality *tally_quality(const struct tally *t, uint32_t *ret_count)
{
    *ret_count = t->quality_count;
    return t->quality;
}
