/*
 * quality.c - the trust in a profile, as text.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "quality.h"
#include <inttypes.h>
#include <string.h>
#include "profile/profile.h"

void quality_print(FILE *out, const struct profile *profile, uint64_t ticks)
{
    uint32_t count = 0;
    const struct profile_quality *row = profile_quality(profile, &count);

    fprintf(out, "  %" PRIu64 " samples\n", ticks);
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "  %s %" PRIu64 "\n", row[i].name, row[i].count);
}
