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

uint64_t quality_value(const struct profile *profile, enum quality which)
{
    uint32_t count = 0;
    const struct profile_quality *row = profile_quality(profile, &count);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(row[i].name, names[which]) == 0)
            return row[i].count;
    return 0;
}
