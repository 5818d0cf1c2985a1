/*
 * jfr_passed.c - see jfr_passed.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/jfr_passed.h"
#include <string.h>
#include "jfr/jfr_value.h"
#include "profile/profile.h"
#include "profile/quality.h"

bool jfr_passed_is_lost(const struct jfr_type *type)
{
    return strcmp(type->known_as, "jdk.CPUTimeSamplesLost") == 0;
}

void jfr_passed_add_lost(struct jfr_passed *p, const struct jfr_chunk *c,
                         const struct jfr_type *type, const struct jfr_record *record)
{
    const struct jfr_value event = jfr_value_event(type, record);
    struct jfr_value number;
    if (jfr_value_named(c, &event, "lostSamples", &number) && jfr_value_number(&number) > 0)
        p->lost += (uint64_t)jfr_value_number(&number);
}

void jfr_passed_tell(const struct jfr_passed *p, struct profile *profile)
{
    if (p->lost > 0)
        profile_set_quality(profile, quality_name(QUALITY_JFR_LOST_SAMPLES), p->lost);
    for (int kind = 0; kind < KIND_COUNT; kind++)
        if (kind_all[kind]->passed && p->of[kind] > 0)
            profile_set_quality(profile, kind_all[kind]->passed, p->of[kind]);
}
