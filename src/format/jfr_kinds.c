/*
 * jfr_kinds.c - see jfr_kinds.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/jfr_kinds.h"
#include <string.h>
#include "format/jfr_schema.h"

enum event_kind jfr_kinds_named(const char *name)
{
    char kind_name[JFR_SCHEMA_NAME];

    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        jfr_schema_sum_name((enum event_kind)kind, kind_name);
        if (strcmp(name, kind_name) == 0)
            return (enum event_kind)kind;
    }
    return EVENT_KINDS;
}
