/*
 * textin_sites.c - see textin_sites.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/textin_sites.h"
#include "base/err.h"
#include "profile/sums.h"

/* Reads a row: "rank self% accum% live-bytes live-objects bytes objects trace class". */
static void read_site(struct textin *t, enum kind_id kind, struct textin_span s)
{
    static const struct textin_span none = {0};
    struct event site = {.kind = kind};
    /* The order of the columns: live bytes and objects, then allocated bytes and objects. */
    uint64_t *const counts[] = {&site.value[2], &site.value[3], &site.value[0], &site.value[1]};
    uint32_t number;
    bool ok = textin_rank(&s);
    for (size_t i = 0; ok && i < sizeof(counts) / sizeof(*counts); i++)
        ok = textin_column(&s, counts[i]);
    textin_skip_blanks(&s);
    ok = ok && textin_u4(&s, &number);
    textin_skip_blanks(&s);
    if (!ok) {
        textin_fail(t, E_FORMAT,
                    "a row of SITES that is not rank, self, accum, counts, trace, class");
        return;
    }
    string_id name = textin_string(t, s);
    site.klass = name ? profile_class_named(t->profile, name) : 0;
    site.trace = textin_trace(t, number, none);
    if (site.klass != 0 && site.trace != 0)
        textin_count(t, &site);
}

/* The two lines above the rows, which different JDKs indent in different ways; and "...", which
 * documents about the agent have in place of rows. */
static bool is_heading(struct textin_span s)
{
    textin_skip_blanks(&s);
    return textin_starts_with(s, "percent ") || textin_starts_with(s, "rank ") ||
           textin_is(s, "...");
}

/* A table counts since the start, so a later table replaces an earlier one. */
void textin_sites(struct textin *t, enum kind_id kind, struct textin_span s)
{
    (void)s;
    struct sums *sums = profile_sums(t->profile, kind);
    sums->is_measured = true;
    sums_clear(sums);
    while (textin_next(t)) {
        if (textin_is(t->line, "SITES END"))
            return;
        if (!is_heading(t->line))
            read_site(t, kind, t->line);
    }
    textin_fail(t, E_TRUNCATED, "the file ends within a SITES table");
}
