/*
 * report_by.c - see report_by.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/report_by.h"
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "reading/keys.h"
#include "report/report_how.h"
#include "report/report_text.h"
#include "command/say.h"
#include "profile/profile.h"
#include "profile/series.h"
#include "profile/sums.h"
#include "safe/clock.h"

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
static void add_up(const struct series *s, struct profile *profile, int key, struct group *groups)
{
    const struct sums *sums = profile_sums(profile, s->kind);
    for (uint32_t i = 1; i <= sums->rows.count; i++) {
        const struct sum *sum = sums_at(sums, i);
        groups[keys_value(profile, key, sum->trace, sum->context)].sum += sum->value[s->value];
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
    fprintf(r->out, "\n%s by %s\n%7s %14s  %s\n", kind_all[s->kind]->title, key, "share",
            is_time ? "ms" : type->words, key);
    for (size_t i = 0; i < count && groups[i].sum > 0 && i < r->top; i++) {
        fprintf(r->out, "%6.2f%% %14" PRIu64 "  ", report_text_percent(groups[i].sum, whole),
                is_time ? groups[i].sum / NS_PER_MS : groups[i].sum);
        if (groups[i].value)
            say_clean(r->out, report_text_of(profile, groups[i].value));
        else
            fputs("(none)", r->out);
        putc('\n', r->out);
    }
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
    add_up(s, profile, key, groups);
    qsort(groups, count, sizeof(*groups), by_sum);
    print_table(r, profile, s, name, groups, count);
    free(groups);
    return 0;
}

int report_by(const struct report_how *r, const char *title, struct profile *profile,
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
