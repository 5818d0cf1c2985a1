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
#define EVENT(name, word, a, b, c, d)                                                              \
    [EVENT_##name] = {word, {VALUE_##a, VALUE_##b, VALUE_##c, VALUE_##d}},
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
