/*
 * quality.c - see quality.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/quality.h"
#include <string.h>
#include "profile/profile.h"

static const char *const names[QUALITY_COUNT] = {
#define QUALITY(id, name, line, words, meaning, advice) name,
#include "profile/quality.def"
#undef QUALITY
};

const char *quality_name(enum quality which)
{
    return names[which];
}

enum quality quality_named(const char *name)
{
    int which = 0;
    while (which < QUALITY_COUNT && strcmp(names[which], name) != 0)
        which++;
    return (enum quality)which;
}

uint64_t quality_among(const struct profile_quality *rows, uint32_t count, enum quality which)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(rows[i].name, names[which]) == 0)
            return rows[i].count;
    return 0;
}

uint64_t quality_value(const struct profile *profile, enum quality which)
{
    uint32_t count = 0;
    const struct profile_quality *rows = profile_quality(profile, &count);
    return quality_among(rows, count, which);
}
