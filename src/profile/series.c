/*
 * series.c - see series.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/series.h"
#include <string.h>
#include "profile/profile.h"
#include "profile/sums.h"

static const struct series all[] = {
#define SERIES(word, kind, value) {word, EVENT_##kind, value},
#include "profile/series.def"
#undef SERIES
};

const struct series *series_all(size_t *ret_count)
{
    *ret_count = sizeof(all) / sizeof(*all);
    return all;
}

const struct series *series_named(const char *word)
{
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (strcmp(all[i].word, word) == 0)
            return &all[i];
    return NULL;
}

bool series_is_in(const struct series *s, struct profile *profile)
{
    return profile_sums(profile, s->kind)->total[s->value] > 0;
}
