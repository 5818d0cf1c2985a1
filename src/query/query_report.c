/*
 * query_report.c - see query_report.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_report.h"
#include <stdio.h>
#include <string.h>
#include "base/err.h"
#include "base/sink.h"
#include "command/tabular.h"
#include "kind/kind.h"
#include "profile/series.h"

enum { KEY = 128 };

/* The method of a frame as a report writes it: with its class, or the library of a function. */
#define METHOD "coalesce(nullif(class, '') || '.', '') || method"

/* What is summed up: a value of a kind, and what counts its events. */
struct sums {
    const struct kind *kind;
    const struct kind_value *value, *count; /* `count` NULL: nothing is counted */
    const char *counted; /* the last word of the count, which is the name of its column */
};

static struct sums sums_of(const struct series *s)
{
    const struct kind *kind = kind_all[s->kind];
    struct sums sums = {.kind = kind, .value = &kind->values[s->value]};
    uint32_t next = s->value + 1;
    if (next < kind_value_count(s->kind) && kind->values[next].unit == KIND_UNIT_COUNT) {
        const char *space = strrchr(kind->values[next].words, ' ');
        sums.count = &kind->values[next];
        sums.counted = space ? space + 1 : sums.count->words;
    }
    return sums;
}

/* Writes the sums of the value and the count as the columns `v` and `n`. */
static void put_sums(const struct sums *s, struct sink *out)
{
    sink_printf(out, "sum(case when measure = '%s' then value else 0 end) as v", s->value->words);
    if (s->count)
        sink_printf(out, ",\n    sum(case when measure = '%s' then value else 0 end) as n",
                    s->count->words);
}

/* The name of the column of a value, as report_methods.c and report_rows_key() write it. */
static const char *key_of(const struct sums *s, bool is_whole, char key[KEY])
{
    char words[KEY / 2];
    tabular_key(s->value->words, words, sizeof(words));
    if (s->value->unit == KIND_UNIT_NS)
        snprintf(key, KEY, "%s%sns", is_whole ? words : "", is_whole ? "_" : "");
    else
        snprintf(key, KEY, "%s%s", words,
                 is_whole && s->value->unit == KIND_UNIT_LEVEL ? "_bytes" : "");
    return key;
}

static void put_methods(const struct sums *s, bool with_hidden, struct sink *out)
{
    char key[KEY];
    key_of(s, false, key);
    sink_text(out, "with s as (\n  select stack, ");
    put_sums(s, out);
    sink_printf(out, "\n  from samples where kind = '%s' group by stack\n),\n", s->kind->word);
    sink_printf(out,
                "m as (\n  select stack, v%s, depth, " METHOD " as name from s join stacks using "
                "(stack) join frames using (frame)%s\n),\n",
                s->count ? ", n" : "", with_hidden ? "" : "\n  where hidden = 0");
    sink_printf(out,
                "own as (\n  select name, sum(v) as v%s from (select name, v%s, min(depth) from m "
                "group by stack) group by name\n),\n",
                s->count ? ", sum(n) as n" : "", s->count ? ", n" : "");
    sink_text(out, "every as (\n  select name, sum(v) as v from (select distinct stack, name, v "
                   "from m) group by name\n)\n");
    sink_printf(out,
                "select name as method,\n"
                "  1.0 * coalesce(own.v, 0) / (select sum(v) from s) as self_share,\n"
                "  1.0 * every.v / (select sum(v) from s) as total_share,\n"
                "  coalesce(own.v, 0) as self_%s, every.v as total_%s",
                key, key);
    if (s->count)
        sink_printf(out, ",\n  coalesce(own.n, 0) as \"%s\"", s->counted);
    sink_printf(out, "\nfrom every left join own using (name)\norder by 4 desc, %s1",
                s->count ? "6 desc, " : "");
}

static void put_names(const struct sums *s, struct sink *out)
{
    char key[KEY];
    sink_text(out, "with s as (\n  select class, text, ");
    put_sums(s, out);
    sink_printf(out, "\n  from samples where kind = '%s' group by class, text\n)\n", s->kind->word);
    sink_printf(out,
                "select class, text as name, 1.0 * v / (select sum(v) from s) as share, v as "
                "\"%s\"",
                key_of(s, true, key));
    if (s->count)
        sink_printf(out, ", n as \"%s\"", s->counted);
    sink_text(out, "\nfrom s where v > 0 order by v desc, class, text");
}

/* ---- tables of kinds: rows by class, text and place */

/* Writes the sum of a value. A level is a mean: it is divided by the first value that counts. */
static void put_value(const struct kind *kind, uint32_t i, struct sink *out)
{
    bool is_level = kind->values[i].unit == KIND_UNIT_LEVEL;
    sink_printf(out, "sum(case when measure = '%s' then value else 0 end)", kind->values[i].words);
    for (uint32_t k = 0; is_level && k < kind_value_count(kind->id); k++)
        if (kind->values[k].unit == KIND_UNIT_COUNT) {
            sink_printf(out, " / max(1, sum(case when measure = '%s' then value else 0 end))",
                        kind->values[k].words);
            return;
        }
}

static void put_key(const struct kind *kind, uint32_t i, struct sink *out)
{
    const struct sums s = {.kind = kind, .value = &kind->values[i]};
    char key[KEY];
    sink_printf(out, " as \"%s\"", key_of(&s, true, key));
}

/* The place of a row is its innermost method and line that is shown. If all frames are hidden, the
 * outermost one is shown, as in a report: is_shown() of report_text.c. */
static void put_places(bool with_hidden, struct sink *out)
{
    sink_printf(out,
                "with t as (\n  select stack, " METHOD " as place, descriptor, source, line, "
                "min(%s) from stacks join frames using (frame) group by stack\n)\n",
                with_hidden ? "depth" : "case hidden when 0 then depth else 1e9 - depth end");
}

static void put_kind_from(const struct kind *kind, struct sink *out)
{
    sink_printf(out,
                "\nfrom samples left join t using (stack) where kind = '%s'\n"
                "group by class, text, place, descriptor, source, line\norder by ",
                kind->word);
}

static void put_kind(const struct kind *kind, bool with_hidden, struct sink *out)
{
    uint32_t count = kind_value_count(kind->id);
    put_places(with_hidden, out);
    sink_text(out, "select 1.0 * ");
    put_value(kind, 0, out);
    sink_text(out, " / sum(");
    put_value(kind, 0, out);
    sink_text(out, ") over () as share");
    for (uint32_t i = 0; i < count; i++) {
        sink_text(out, ",\n  ");
        put_value(kind, i, out);
        put_key(kind, i, out);
    }
    sink_text(out, ",\n  class, text as name, place as method");
    put_kind_from(kind, out);
    sink_text(out, "2 desc, class, text");
}

/* The values of the kind have the order: made bytes and objects, then those that live. */
static void put_sites(bool with_hidden, struct sink *out)
{
    static const char *const keys[] = {"made_bytes", "made_objects", "live_bytes", "live_objects"};
    static const uint32_t order[] = {2, 3, 0, 1};
    const struct kind *kind = kind_all[kind_of_report(KIND_REPORT_SITES)];
    put_places(with_hidden, out);
    sink_text(out, "select class");
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        sink_text(out, ",\n  ");
        put_value(kind, order[i], out);
        sink_printf(out, " as %s", keys[order[i]]);
    }
    sink_text(out, ",\n  place as method");
    put_kind_from(kind, out);
    sink_text(out, "2 desc, 4 desc, class");
}

/* The kind that has a table of its name in a report; NULL: none has. */
static const struct kind *kind_named(const char *table)
{
    for (int i = 0; i < KIND_COUNT; i++)
        if (kind_all[i]->report.layout == KIND_REPORT_EVENTS &&
            strcmp(kind_all[i]->word, table) == 0)
            return kind_all[i];
    return NULL;
}

int query_report_write(const char *table, const struct series *series, bool with_hidden,
                       uint32_t top, struct sink *out)
{
    const struct sums s = sums_of(series);
    if (strcmp(table, "methods") == 0)
        put_methods(&s, with_hidden, out);
    else if (strcmp(table, "names") == 0)
        put_names(&s, out);
    else if (strcmp(table, "sites") == 0)
        put_sites(with_hidden, out);
    else if (kind_named(table))
        put_kind(kind_named(table), with_hidden, out);
    else
        return E_UNSUPPORTED;
    sink_printf(out, "\nlimit %u\n", top);
    return 0;
}
