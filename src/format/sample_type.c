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

/* The name by which the kind's texts call value 0: that of this length, or NULL. */
static const char *text_named(const struct kind *kind, const char *text, size_t len)
{
    for (const char *const *at = kind->texts; at && *at; at++)
        if (strlen(*at) == len && memcmp(*at, text, len) == 0)
            return *at;
    return NULL;
}

/* The name of value 0 if all events of the kind have one text; else NULL. */
static const char *text_of_all(struct profile *profile, enum kind_id kind)
{
    const struct sums *sums = profile_sums(profile, kind);
    string_id text = sums->rows.count > 0 ? sums_at(sums, 1)->text : 0;
    if (!text || !kind_all[kind]->texts)
        return NULL;
    for (uint32_t row = 2; row <= sums->rows.count; row++)
        if (sums_at(sums, row)->text != text)
            return NULL;
    const struct profile_string *s = profile_string_at(profile, text);
    return text_named(kind_all[kind], s->bytes, s->len);
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
        const char *text = text_named(kind_all[kind], type, len);
        if (text) {
            *ret = type_of(kind, 0);
            ret->type = text;
            return true;
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
            if (!type.type || !(kinds >> kind & 1) || !profile_sums(profile, kind)->total[value])
                continue;
            const char *text = value == 0 ? text_of_all(profile, (enum kind_id)kind) : NULL;
            if (text)
                type.type = text;
            ret_types[count++] = type;
        }
    }
    return count;
}
