/*
 * report_series.c - see report_series.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/report_series.h"
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "command/say.h"
#include "command/tabular.h"
#include "profile/profile.h"
#include "profile/series.h"
#include "profile/sums.h"
#include "reading/keys.h"
#include "report/report_how.h"
#include "report/report_rows.h"
#include "report/report_methods.h"
#include "report/report_text.h"
#include "report/summary.h"
#include "safe/clock.h"

enum { KEY = 128 };

/* The last word of the name of the next value, if that value counts events; NULL: it does not. */
static const char *counts_of(const struct series *s)
{
    const struct kind_value *values = kind_all[s->kind]->values;
    uint32_t next = s->value + 1;
    if (next >= kind_value_count(s->kind) || values[next].unit != KIND_UNIT_COUNT)
        return NULL;
    const char *space = strrchr(values[next].words, ' ');
    return space ? space + 1 : values[next].words;
}

/* The sum of all rows with the same class, text (such as the name of a monitor), or both. */
struct named {
    class_id klass;
    string_id text;
    uint64_t value, count;
};

static int by_name(const void *left, const void *right)
{
    const struct named *l = left, *r = right;
    if (l->klass != r->klass)
        return l->klass < r->klass ? -1 : 1;
    return l->text < r->text ? -1 : l->text > r->text;
}

static int by_value(const void *left, const void *right)
{
    const struct named *l = left, *r = right;
    if (l->value != r->value)
        return l->value > r->value ? -1 : 1;
    return by_name(left, right);
}

/* Adds up the rows by class and text. Returns the number of names. */
static size_t add_up(const struct sums *sums, const struct series *s, struct named *names)
{
    size_t last = 0;
    for (uint32_t i = 0; i < sums->rows.count; i++) {
        const struct sum *sum = sums_at(sums, i + 1);
        names[i] = (struct named){sum->klass, sum->text, sum->value[s->value],
                                  counts_of(s) ? sum->value[s->value + 1] : 0};
    }
    qsort(names, sums->rows.count, sizeof(*names), by_name);
    for (uint32_t i = 1; i < sums->rows.count; i++) {
        if (by_name(&names[last], &names[i]) != 0) {
            names[++last] = names[i];
            continue;
        }
        names[last].value += names[i].value;
        names[last].count += names[i].count;
    }
    qsort(names, last + 1, sizeof(*names), by_value);
    return last + 1;
}

static void print_name(const struct report_how *r, struct profile *profile, const struct named *n)
{
    if (!n->klass && !n->text)
        fputs("(none)", r->out);
    report_text_what(r->out, profile, n->klass, n->text);
    putc('\n', r->out);
}

static void fill_names(const struct report_how *r, struct profile *profile, const struct series *s,
                       const struct report_methods *m, const struct named *names, size_t count,
                       struct tabular *t)
{
    char key[KEY];
    if (!report_rows_begin(r, t, "names", "class name share"))
        return;
    report_rows_key(s->kind, s->value, key, sizeof(key));
    tabular_column(t, key);
    if (m->counts)
        tabular_column(t, m->counts);
    for (size_t i = 0; i < count && names[i].value > 0; i++) {
        report_rows_class(t, profile, names[i].klass);
        report_rows_string(t, profile, names[i].text);
        report_rows_share(t, names[i].value, m->whole);
        tabular_unsigned(t, names[i].value);
        if (m->counts)
            tabular_unsigned(t, names[i].count);
    }
}

/* Prints the table of classes and texts. There is no table if the rows have only stacks. */
static int print_names(const struct report_how *r, struct profile *profile, const struct series *s,
                       const struct report_methods *m)
{
    const struct sums *sums = profile_sums(profile, s->kind);
    struct named *names = calloc(sums->rows.count + (size_t)1, sizeof(*names));
    if (!names)
        return -ENOMEM;
    size_t count = add_up(sums, s, names);
    if (count == 1 && !names[0].klass && !names[0].text)
        count = 0;
    struct tabular t = {0};
    if (count > 0 && r->top > 0)
        fill_names(r, profile, s, m, names, count, &t);
    if (count > 0 && r->top > 0 && !report_rows_place(r, &t))
        count = 0;
    if (count > 0 && r->top > 0) {
        fprintf(r->out, "\nby class or name\n%7s %12s  ", "share", m->unit);
        if (m->counts)
            fprintf(r->out, "%11s  ", m->counts);
        fputs("what\n", r->out);
    }
    for (size_t i = 0; i < count && i < r->top; i++) {
        const struct named *n = &names[tabular_at(&t, i)];
        if (n->value == 0 && !t.order)
            break; /* sorted: only zeros follow */
        fprintf(r->out, "%6.2f%% %12" PRIu64 "  ", report_text_percent(n->value, m->whole),
                n->value / m->per_unit);
        if (m->counts)
            fprintf(r->out, "%11" PRIu64 "  ", n->count);
        print_name(r, profile, n);
    }
    tabular_done(&t);
    free(names);
    return 0;
}

static struct report_methods methods_of(struct profile *profile, const struct series *s,
                                        const char *of)
{
    const struct kind_value *type = &kind_all[s->kind]->values[s->value];
    bool is_time = type->unit == KIND_UNIT_NS;
    return (struct report_methods){
        .table = *of != '\0' ? "wall-methods" : "methods",
        .of = of,
        .unit = is_time ? "ms" : type->words,
        .per_unit = is_time ? NS_PER_MS : 1,
        .counts = counts_of(s),
        .whole = profile_sums(profile, s->kind)->total[s->value],
    };
}

int report_series_methods(const struct report_how *r, struct profile *profile,
                          const struct series *s, const char *of)
{
    const struct report_methods methods = methods_of(profile, s, of);
    struct summary_row *rows;
    size_t count;
    int result = summary_rows(profile, s->kind, s->value, &rows, &count);
    if (result < 0)
        return result;
    if (count > 0)
        result = report_methods(r, &methods, profile, rows, count);
    free(rows);
    return result;
}

int report_series(const struct report_how *r, const char *title, struct profile *profile,
                  const struct series *s)
{
    const struct report_methods methods = methods_of(profile, s, "");
    say_clean(r->out, title);
    fprintf(r->out, ": %s\n  %" PRIu64 " %s\n", kind_all[s->kind]->title,
            methods.whole / methods.per_unit, methods.unit);
    int result = print_names(r, profile, s, &methods);
    return result == 0 ? report_series_methods(r, profile, s, "") : result;
}

/* ---- by the values of a key of contexts */

/* The sum of one value of the key; value 0: events without a value. */
struct group {
    string_id value;
    uint64_t sum;
};

static int by_sum(const void *left, const void *right)
{
    const struct group *l = left, *r = right;
    if (l->sum != r->sum)
        return l->sum > r->sum ? -1 : 1;
    return l->value < r->value ? -1 : l->value > r->value;
}

/* Adds up the series. The index in `groups` is the number of a string, or 0 for no value, so
 * `groups` has a place for each string. */
static void add_groups(const struct series *s, struct profile *profile, int key,
                       struct group *groups)
{
    const struct sums *sums = profile_sums(profile, s->kind);
    for (uint32_t i = 1; i <= sums->rows.count; i++) {
        const struct sum *sum = sums_at(sums, i);
        groups[keys_value(profile, key, sum->trace, sum->context)].sum += sum->value[s->value];
    }
}

/* Groups without a sum, which come last, are left out. */
static void fill_groups(const struct report_how *r, struct profile *profile, const struct series *s,
                        const char *name, const struct group *groups, size_t count, uint64_t whole,
                        struct tabular *t)
{
    char key[KEY];
    if (!report_rows_begin(r, t, name, "value share"))
        return;
    report_rows_key(s->kind, s->value, key, sizeof(key));
    tabular_column(t, key);
    for (size_t i = 0; i < count && groups[i].sum > 0; i++) {
        report_rows_string(t, profile, groups[i].value);
        report_rows_share(t, groups[i].sum, whole);
        tabular_unsigned(t, groups[i].sum);
    }
}

static void print_table(const struct report_how *r, struct profile *profile, const struct series *s,
                        const char *key, const struct group *groups, size_t count)
{
    const struct kind_value *type = &kind_all[s->kind]->values[s->value];
    bool is_time = type->unit == KIND_UNIT_NS;
    uint64_t whole = 0;
    for (size_t i = 0; i < count; i++)
        whole += groups[i].sum;
    struct tabular t = {0};
    char name[KEY];
    snprintf(name, sizeof(name), "%s-by-%s", s->word, key);
    fill_groups(r, profile, s, name, groups, count, whole, &t);
    if (!report_rows_place(r, &t)) {
        tabular_done(&t);
        return;
    }
    fprintf(r->out, "\n%s by %s\n%7s %14s  %s\n", kind_all[s->kind]->title, key, "share",
            is_time ? "ms" : type->words, key);
    for (size_t i = 0; i < count && i < r->top; i++) {
        const struct group *g = &groups[tabular_at(&t, i)];
        if (g->sum == 0)
            break; /* sorted: only zeros follow */
        fprintf(r->out, "%6.2f%% %14" PRIu64 "  ", report_text_percent(g->sum, whole),
                is_time ? g->sum / NS_PER_MS : g->sum);
        if (g->value)
            say_clean(r->out, report_text_of(profile, g->value));
        else
            fputs("(none)", r->out);
        putc('\n', r->out);
    }
    tabular_done(&t);
}

static int print_series(const struct report_how *r, struct profile *profile, const struct series *s,
                        const char *name, int key)
{
    size_t count = profile_string_count(profile) + (size_t)1;
    struct group *groups = calloc(count, sizeof(*groups));
    if (!groups)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        groups[i].value = (string_id)i;
    add_groups(s, profile, key, groups);
    qsort(groups, count, sizeof(*groups), by_sum);
    print_table(r, profile, s, name, groups, count);
    free(groups);
    return 0;
}

int report_series_by(const struct report_how *r, const char *title, struct profile *profile,
                     const char *key, const struct series *wanted)
{
    int number = keys_find(profile, key), result = 0;
    say_clean(r->out, title);
    putc('\n', r->out);
    if (wanted) /* `wanted` may be a type of events that is in no list */
        return print_series(r, profile, wanted, key, number);
    for (const struct series *each = series_next_in(NULL, profile); each && result == 0;
         each = series_next_in(each, profile))
        result = print_series(r, profile, each, key, number);
    return result;
}
