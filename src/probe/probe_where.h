/*
 * probe_where.h - conditions on the fields of hits: `--where 'duration>10ms'`.
 *
 * The grammar is that of command/condition.h. A condition is false if a hit does not have the
 * field. Every hit has tid, a pair has duration.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "command/amount.h"
#include "command/condition.h"

struct probe_row;

enum { PROBE_WHERE_MOST = 16, PROBE_WHERE_WHY = 200 };

struct probe_where {
    struct probe_where_part {
        const char *text; /* as it was given */
        struct condition is;
        bool has_number, is_possible; /* the value is a number; some probe has the field */
        double number;
    } parts[PROBE_WHERE_MOST];
    uint32_t count;
};

/** Add a condition, whose text is borrowed. Errors: 0; E_SYNTAX: it is none; E_LIMIT. */
int probe_where_add(struct probe_where *w, const char *text);
/**
 * Look whether hits with the fields of this row can be compared: it has no values. Call this for
 * every probe, then probe_where_unknown(). Errors: 0; E_SYNTAX and `why`.
 */
int probe_where_try(struct probe_where *w, const struct probe_row *row, char why[PROBE_WHERE_WHY]);
/** A condition of whose field no row was tried; NULL: there is none. */
const struct probe_where_part *probe_where_unknown(const struct probe_where *w);
/** Whether all conditions are true. */
bool probe_where_holds(const struct probe_where *w, const struct probe_row *row);
