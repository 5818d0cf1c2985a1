/*
 * sample_type.c - see sample_type.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/sample_type.h"
#include <string.h>
#include "profile/profile.h"
#include "profile/sums.h"

/* The type of value number `value` of the kind. `type` NULL: this value is not written. */
static struct sample_type type_of(int kind, uint32_t value)
{
    static const char *const units[] = {
        [KIND_UNIT_COUNT] = "count", [KIND_UNIT_NS] = "nanoseconds", [KIND_UNIT_BYTES] = "bytes"};
    const struct kind_value *row = &kind_all[kind]->values[value];
    struct sample_type type = {(enum kind_id)kind, value, row->sample_type, NULL};
    if (type.type)
        type.unit = units[row->unit];
    return type;
}

bool sample_type_named(const char *type, size_t len, struct sample_type *ret)
{
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        for (uint32_t value = 0; value < KIND_VALUES; value++) {
            struct sample_type each = type_of(kind, value);
            if (each.type && strlen(each.type) == len && memcmp(each.type, type, len) == 0) {
                *ret = each;
                return true;
            }
        }
    }
    return false;
}

size_t sample_type_there(struct profile *profile, uint32_t kinds,
                         struct sample_type ret_types[SAMPLE_TYPES])
{
    size_t count = 0;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        for (uint32_t value = 0; value < KIND_VALUES; value++) {
            struct sample_type type = type_of(kind, value);
            if (type.type && kinds >> kind & 1 && profile_sums(profile, kind)->total[value] > 0)
                ret_types[count++] = type;
        }
    }
    return count;
}
