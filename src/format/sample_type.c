/*
 * sample_type.c - see sample_type.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/sample_type.h"
#include <string.h>
#include "profile/profile.h"
#include "profile/sums.h"

const struct sample_type sample_type_all[SAMPLE_TYPES] = {
#define SAMPLE_TYPE(kind, value, type, unit) {EVENT_##kind, value, type, unit},
#include "format/sample_type.def"
#undef SAMPLE_TYPE
};

const struct sample_type *sample_type_named(const char *type, size_t len)
{
    for (size_t i = 0; i < SAMPLE_TYPES; i++)
        if (strlen(sample_type_all[i].type) == len &&
            memcmp(sample_type_all[i].type, type, len) == 0)
            return &sample_type_all[i];
    return NULL;
}

size_t sample_type_there(struct profile *profile, uint32_t kinds,
                         const struct sample_type *ret_types[SAMPLE_TYPES])
{
    size_t count = 0;
    for (size_t i = 0; i < SAMPLE_TYPES; i++) {
        const struct sample_type *type = &sample_type_all[i];
        if (kinds >> type->kind & 1 && profile_sums(profile, type->kind)->total[type->value] > 0)
            ret_types[count++] = type;
    }
    return count;
}
