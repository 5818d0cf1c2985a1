/* options_custom.c - see options_custom.h. SPDX-License-Identifier: Apache-2.0 */
#include "options/options_custom.h"
#include <stdio.h>
#include <string.h>
#include "base/err.h"
#include "base/javaname.h"
#include "kind/kind.h"
#include "options/jfc.h"

static const struct options_ask asks[] = {{"event", "custom", .value = 1}, {0}};

/* This row is in no table; it only tells how a value of the setting is parsed. */
static const struct options_row threshold = {
    "threshold", .kind = OPTIONS_ROW_TIME, .at = offsetof(struct options_custom_one, threshold_ns)};

static const struct options_custom defaults = {.count = 0};

static unsigned marks(int asked, const void *own)
{
    return asked ? OPTIONS_MARK_ASKED | OPTIONS_MARK_MOMENTS : 0;
}

static const struct options_custom_one *find(const struct options_custom *own, const char *event)
{
    for (uint32_t i = 0; i < own->count; i++)
        if (strcmp(own->of[i].event, event) == 0)
            return &own->of[i];
    return NULL;
}

/* The entry of the event's settings; adds one if there is none. NULL: no entry is left. */
static struct options_custom_one *place_of(struct options_custom *own, const char *event)
{
    const struct options_custom_one *found = find(own, event);
    if (found)
        return &own->of[found - own->of];
    if (own->count == OPTIONS_CUSTOM_MAX)
        return NULL;
    struct options_custom_one *one = &own->of[own->count++];
    *one = (struct options_custom_one){.is_off = false};
    snprintf(one->event, sizeof(one->event), "%s", event);
    return one;
}

static int set_threshold(struct options_custom_one *one, const char *value)
{
    char text[JFC_VALUE_TEXT], unused[OPTIONS_MESSAGE];
    int what = jfc_value_for(&threshold, value, text);
    if (what == JFC_VALUE_NEVER)
        one->is_off = true;
    if (what != JFC_VALUE_IS)
        return what < 0 ? what : 0;
    one->has_threshold = true;
    return options_row_set(&threshold, one, text, unused, sizeof(unused));
}

/* The names of the JDK's events and of ours are known, so an unknown one of them is a mistake. */
static bool may_have_settings(const char *event)
{
    return event[0] != '\0' && strlen(event) < OPTIONS_CUSTOM_NAME && javaname_is_own_event(event);
}

static int take_setting(void *into, const char *event, const char *name, const char *value)
{
    bool is_enabled = strcmp(name, "enabled") == 0, is_on = true;
    struct options_custom_one *one;
    if (!may_have_settings(event) || (!is_enabled && strcmp(name, "threshold") != 0))
        return E_NOT_FOUND;
    if (is_enabled && jfc_value_enabled(value, &is_on) != 0)
        return E_SYNTAX;
    one = place_of(into, event);
    if (!one)
        return E_LIMIT;
    if (!is_enabled)
        return set_threshold(one, value);
    one->is_off = !is_on;
    return 0;
}

int64_t options_custom_least_ns(const struct options *o, const char *event, uint64_t own_ns)
{
    const struct options_custom_one *one = find(options_group_own(o, &options_custom), event);
    uint64_t least_ns = one && one->has_threshold ? one->threshold_ns : own_ns;
    if (one && one->is_off)
        return -1;
    return least_ns < INT64_MAX ? (int64_t)least_ns : INT64_MAX - 1;
}

const struct options_group options_custom = {
    .name = "custom",
    .bytes = sizeof(struct options_custom),
    .defaults = &defaults,
    .asks = asks,
    .take_setting = take_setting,
    .asked_by = "event=custom",
    .marks = marks,
    .of_format = 'j',
    .kinds = 1 << KIND_CUSTOM,
};
