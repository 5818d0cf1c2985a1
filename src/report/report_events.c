/*
 * report_events.c - see report_events.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/report_events.h"
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "report/report_how.h"
#include "report/report_rank.h"
#include "report/report_text.h"
#include "command/say.h"
#include "profile/profile.h"
#include "profile/sums.h"
#include "safe/clock.h"

enum { US_PER_MS = 1000, WIDTH = 15, HEAD = 32 };

/* Makes the heading of a value's column, with the unit. Returns the width of the column. */
static int head_of(enum kind_id kind, uint32_t i, char ret_words[HEAD])
{
    const struct kind_value *type = &kind_all[kind]->values[i];
    int len = snprintf(ret_words, HEAD, "%s%s%s", type->unit == KIND_UNIT_NS ? "ms of " : "",
                       type->words, type->unit == KIND_UNIT_LEVEL ? " in bytes" : "");
    return len > WIDTH ? len : WIDTH;
}

static void put_value(FILE *out, enum kind_id kind, uint32_t i, const uint64_t *values)
{
    char head[HEAD];
    int width = head_of(kind, i, head);
    fputs("  ", out);
    switch (kind_all[kind]->values[i].unit) {
    case KIND_UNIT_NS: {
        uint64_t us = (values[i] + NS_PER_US / 2) / NS_PER_US;

        fprintf(out, "%*" PRIu64 ".%03" PRIu64, width - 4, us / US_PER_MS, us % US_PER_MS);
        break;
    }
    case KIND_UNIT_LEVEL:
        fprintf(out, "%*" PRIu64, width, values[i] / event_count(kind, values));
        break;
    default:
        fprintf(out, "%*" PRIu64, width, values[i]);
    }
}

static void put_head(const struct report_how *r, enum kind_id kind)
{
    fprintf(r->out, "\n%s\n%7s", kind_all[kind]->title, "share");
    for (uint32_t i = 0; i < kind_value_count(kind); i++) {
        char head[HEAD];
        int width = head_of(kind, i, head);
        fprintf(r->out, "  %*s", width, head);
    }
    fputs("  what\n", r->out);
}

/* Prints the class and text of a row. A row without both is described by its trace only. */
static void put_what(const struct report_how *r, struct profile *profile, const struct sum *row,
                     bool is_whole)
{
    fputs("  ", r->out);
    report_text_what(r->out, profile, row->klass, row->text);
    putc('\n', r->out);
    if (profile_trace_at(profile, row->trace)->depth > 0)
        report_text_stack(r, profile, row->trace, is_whole ? UINT32_MAX : 1);
}

int report_events(const struct report_how *r, struct profile *profile, enum kind_id kind)
{
    const struct sums *sums = profile_sums(profile, kind);
    uint32_t count, values = kind_value_count(kind);
    const struct sum **rows = report_rank_shown(r, profile, kind, 0, &count);
    if (!rows)
        return -ENOMEM;
    put_head(r, kind);
    for (uint32_t i = 0; i < count && i < r->top; i++) {
        fprintf(r->out, "%6.2f%%", report_text_percent(rows[i]->value[0], sums_whole(sums)));
        for (uint32_t at = 0; at < values; at++)
            put_value(r->out, kind, at, rows[i]->value);
        put_what(r, profile, rows[i], i < r->traces);
    }
    free(rows);
    return 0;
}
