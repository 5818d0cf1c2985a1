/*
 * series.c - see series.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/series.h"
#include <string.h>
#include "profile/profile.h"
#include "profile/sums.h"

const struct series *series_next(const struct series *s)
{
    const struct series *next = NULL;
    uint32_t rank = s ? s->rank : 0;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        for (int i = 0; i < KIND_SERIES; i++) {
            const struct series *each = &kind_all[kind]->series[i];
            if (each->rank > rank && (!next || each->rank < next->rank))
                next = each;
        }
    }
    return next;
}

const struct series *series_next_in(const struct series *s, struct profile *profile)
{
    do
        s = series_next(s);
    while (s && !series_is_in(s, profile));
    return s;
}

const struct series *series_named(const char *word)
{
    for (const struct series *each = series_next(NULL); each; each = series_next(each))
        if (strcmp(each->word, word) == 0)
            return each;
    return NULL;
}

bool series_is_in(const struct series *s, struct profile *profile)
{
    return profile_sums(profile, s->kind)->total[s->value] > 0;
}
