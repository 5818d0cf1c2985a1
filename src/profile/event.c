/*
 * event.c - see event.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "profile/event.h"

const struct value_type event_value_types[VALUE_TYPES] = {
#define VALUE(name, unit, words) [VALUE_##name] = {words, VALUE_IS_##unit},
#include "profile/value.def"
#undef VALUE
};

const struct event_type event_types[EVENT_KINDS] = {
#define EVENT(name, word, title, a, b, c, d)                                                       \
    [EVENT_##name] = {word, title, {VALUE_##a, VALUE_##b, VALUE_##c, VALUE_##d}},
#include "profile/event.def"
#undef EVENT
};

uint32_t event_values(enum event_kind kind)
{
    uint32_t count = 0;
    while (count < EVENT_VALUES && event_types[kind].values[count] != VALUE_NONE)
        count++;
    return count;
}

uint64_t event_count(enum event_kind kind, const uint64_t *values)
{
    for (uint32_t i = 0; i < event_values(kind); i++)
        if (event_value_types[event_types[kind].values[i]].unit == VALUE_IS_COUNT)
            return values[i] ? values[i] : 1;
    return 1;
}

const char *event_unit(enum value value)
{
    static const char *const units[] = {[VALUE_IS_COUNT] = "count",
                                        [VALUE_IS_NS] = "ns",
                                        [VALUE_IS_BYTES] = "bytes",
                                        [VALUE_IS_LEVEL] = "bytes"};
    return units[event_value_types[value].unit];
}
