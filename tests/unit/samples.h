/*
 * samples.h - samples in a model, for tests.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "profile/profile.h"
#include "profile/sums.h"

static inline int samples_add(struct profile *p, trace_id trace, uint64_t count)
{
    const struct event event = {.kind = KIND_SAMPLE, .trace = trace, .value = {count}};
    return profile_count(p, &event);
}

static inline uint64_t samples_of(const struct profile *p, trace_id trace)
{
    const struct sum *sum = profile_sum_of(p, KIND_SAMPLE, trace);
    return sum ? sum->value[0] : 0;
}

static inline uint64_t samples_all(struct profile *p)
{
    return profile_sums(p, KIND_SAMPLE)->total[0];
}
