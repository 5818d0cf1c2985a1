/*
 * event.c - see event.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/event.h"

uint64_t event_count(enum kind_id kind, const uint64_t *values)
{
    for (uint32_t i = 0; i < kind_value_count(kind); i++)
        if (kind_all[kind]->values[i].unit == KIND_UNIT_COUNT)
            return values[i] ? values[i] : 1;
    return 1;
}
