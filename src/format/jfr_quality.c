/*
 * jfr_quality.c - see jfr_quality.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/jfr_quality.h"
#include <string.h>
#include "jfr/jfr_chunk.h"
#include "jfr/jfr_value.h"
#include "profile/profile.h"
#include "profile/quality.h"

enum { NAME = 64 };

bool jfr_quality_is(const struct jfr_type *type)
{
    return strcmp(type->name, "hprof.Quality") == 0;
}

void jfr_quality_begin(struct jfr_quality *q, const struct jfr_chunk *c)
{
    struct jfr_jvm jvm;
    if (!jfr_jvm_read(c, &jvm))
        return;
    q->has_several |= q->has_jvm && !jfr_jvm_is(&q->jvm, &jvm);
    q->jvm = jvm;
    q->has_jvm = true;
}

void jfr_quality_take(struct jfr_quality *q, struct profile *profile, const struct jfr_chunk *c,
                      const struct jfr_type *type, const struct jfr_record *record)
{
    const struct jfr_value event = jfr_value_event(type, record);
    struct jfr_value name, number;
    char text[NAME] = "";
    uint32_t i = 0;
    if (!jfr_value_named(c, &event, "name", &name) || !jfr_value_named(c, &event, "count", &number))
        return;
    jfr_value_utf8(&name, text, sizeof(text));
    string_id id = *text ? profile_cstring(profile, text) : 0;
    while (i < q->count && q->rows[i].name != id)
        i++;
    if (id == 0 || i == JFR_QUALITY_MAX)
        return;
    q->rows[i].name = id;
    q->rows[i].count = jfr_value_number(&number) > 0 ? (uint64_t)jfr_value_number(&number) : 0;
    q->count += i == q->count;
}

void jfr_quality_tell(const struct jfr_quality *q, struct profile *profile, uint64_t samples)
{
    uint64_t told = 0;
    for (uint32_t i = 0; i < q->count; i++)
        if (strcmp(profile_string_at(profile, q->rows[i].name)->bytes,
                   quality_name(QUALITY_SAMPLES)) == 0)
            told = q->rows[i].count;
    if (q->has_several || told < samples)
        return;
    for (uint32_t i = 0; i < q->count; i++)
        profile_set_quality(profile, profile_string_at(profile, q->rows[i].name)->bytes,
                            q->rows[i].count);
}

/* ---- what is missing in the profile */

bool jfr_quality_passed_is_lost(const struct jfr_type *type)
{
    return strcmp(type->known_as, "jdk.CPUTimeSamplesLost") == 0;
}

void jfr_quality_passed_add_lost(struct jfr_quality_passed *p, const struct jfr_chunk *c,
                                 const struct jfr_type *type, const struct jfr_record *record)
{
    const struct jfr_value event = jfr_value_event(type, record);
    struct jfr_value number;
    if (jfr_value_named(c, &event, "lostSamples", &number) && jfr_value_number(&number) > 0)
        p->lost += (uint64_t)jfr_value_number(&number);
}

void jfr_quality_passed_tell(const struct jfr_quality_passed *p, struct profile *profile)
{
    if (p->lost > 0)
        profile_set_quality(profile, quality_name(QUALITY_JFR_LOST_SAMPLES), p->lost);
    for (int kind = 0; kind < KIND_COUNT; kind++)
        if (kind_all[kind]->passed && p->of[kind] > 0)
            profile_set_quality(profile, kind_all[kind]->passed, p->of[kind]);
}
