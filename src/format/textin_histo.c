/*
 * textin_histo.c - see textin_histo.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/textin_histo.h"
#include "base/err.h"
#include "profile/sums.h"

/* Reads a row: "rank self% accum% bytes objects class". */
static void read_row(struct textin *t, struct textin_span s, enum kind_id kind)
{
    struct event row = {.kind = kind};
    if (!textin_rank(&s) || !textin_column(&s, &row.value[0]) ||
        !textin_column(&s, &row.value[1]) || !textin_take(&s, " ")) {
        textin_fail(t, E_FORMAT, "a row of HISTOGRAM that is not rank, self, accum, counts, class");
        return;
    }
    string_id name = textin_string(t, s);

    row.klass = name ? profile_class_named(t->profile, name) : 0;
    row.trace = profile_trace(t->profile, 0, NULL, 0);
    if (row.klass != 0 && row.trace != 0)
        textin_count(t, &row);
}

/* A table shows the heap at one moment, so a later table replaces an earlier one. */
void textin_histo(struct textin *t, enum kind_id kind, struct textin_span s)
{
    struct sums *sums = profile_sums(t->profile, kind);
    sums->is_measured = true;
    sums_clear(sums);
    if (!textin_take(&s, "(total = ") || !textin_column(&s, &sums->said)) {
        textin_fail(t, E_FORMAT, "a HISTOGRAM without its total");
        return;
    }
    while (textin_next(t)) {
        struct textin_span line = t->line;
        if (textin_take(&line, kind_all[kind]->text.title) && textin_is(line, " END"))
            return;
        if (!textin_starts_with(t->line, "          percent") &&
            !textin_starts_with(t->line, " rank "))
            read_row(t, t->line, kind);
    }
    textin_fail(t, E_TRUNCATED, "the file ends within a HISTOGRAM");
}
