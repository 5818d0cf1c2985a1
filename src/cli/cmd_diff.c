/*
 * cmd_diff.c - `hprof diff BEFORE AFTER`: prints what changed between two profiles.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/diag_say.h"
#include "command/cmd.h"
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "report/convert.h"
#include "report/diff.h"
#include "command/help.h"
#include "reading/load.h"
#include "command/opts.h"
#include "command/outfile.h"
#include "command/say.h"
#include "command/values.h"
#include "format/format.h"
#include "profile/profile.h"
#include "profile/series.h"
#include "profile/sums.h"

enum {
    OPT_TOP = 1,
    OPT_EVENT,
    OPT_OUTPUT,
    OPT_ABSOLUTE,
    OPT_FAIL_ABOVE,
    OPT_HIDDEN,
    ROWS_MAX = 1000000,
    TOP_DEFAULT = 20,
};

static const struct opt options[] = {
    {OPT_OUTPUT, 'o', "output", "FILE", "also draw a flame graph of the differences (.html)"},
    {OPT_EVENT, 'e', "event", "WORD", "what to compare:" HELP_SERIES},
    {OPT_FAIL_ABOVE, 0, "fail-above", "PERCENT",
     "exit status 1 where a method grew by more, and it is no noise"},
    {OPT_ABSOLUTE, 0, "absolute", NULL,
     "values as they are, in percent of BEFORE: both runs did the same work"},
    {OPT_TOP, 'n', "top", "N", "rows in each table (20)"},
    {OPT_HIDDEN, 0, "hidden", NULL, "with the frames of lambdas, method handles and reflection"},
    {0},
};

/* The values of the options, and the profiles that were read. */
struct request {
    struct diff diff;
    struct convert page; /* the page of --output; its path is NULL if no page is wanted */
    const struct series *series;
    double fail_above; /* percent; below 0: the exit status never depends on growth */
    uint32_t top;
    const char *files[DIFF_SIDES];
    int count;
    struct load loads[DIFF_SIDES];
};

static int take_percent(const char *value, double *ret_percent)
{
    char *end;
    *ret_percent = strtod(value, &end);
    if (end != value && *end == '\0' && *ret_percent >= 0 && *ret_percent <= 100)
        return 0;
    say("diff: --fail-above '%s': a number of percent from 0 to 100 is wanted, as in 2.5", value);
    return E_SYNTAX;
}

/* Errors: 0; negative after saying why. */
static int take_option(struct request *r, const struct cmd *self, int id, const char *value)
{
    switch (id) {
    case OPT_TOP:
        return values_count(self, "top", value, ROWS_MAX, &r->top);
    case OPT_EVENT:
        r->series = series_named(value);
        if (!r->series)
            say("diff: unknown --event '%s'; 'hprof help diff' lists them", value);
        return r->series ? 0 : E_NOT_FOUND;
    case OPT_OUTPUT:
        r->page.path = value;
        r->page.format = outfile_format(value);
        if (r->page.format && writer_can(r->page.format->writer, WRITER_COMPARES))
            return 0;
        say("diff: --output '%s': differences are drawn as flame graphs; name a file that ends in "
            ".html",
            value);
        return E_UNSUPPORTED;
    case OPT_FAIL_ABOVE:
        return take_percent(value, &r->fail_above);
    case OPT_ABSOLUTE:
        r->diff.is_absolute = true;
        return 0;
    case OPT_HIDDEN:
        r->diff.with_hidden = r->page.how.with_hidden = true;
        return 0;
    case OPTS_WORD:
        if (r->count < DIFF_SIDES)
            r->files[r->count] = value;
        r->count++;
        return 0;
    default:
        return E_SYNTAX;
    }
}

/* The series that the user named; otherwise the first series that both profiles have. */
static const struct series *find_series(struct request *r)
{
    struct profile *before = r->loads[DIFF_BEFORE].profile, *after = r->loads[DIFF_AFTER].profile;
    for (const struct series *each = series_next_in(NULL, before); each;
         each = series_next_in(each, before))
        if (series_is_in(each, after) && (!r->series || each == r->series))
            return each;
    return NULL;
}

static void print_row(const struct diff *d, const struct diff_row *row, enum diff_measure measure)
{
    const struct diff_change *c = &row->change[measure];
    printf("%7.2f%% %7.2f%% %+8.2f  ", c->percent[DIFF_BEFORE], c->percent[DIFF_AFTER], c->change);
    if (d->has_intervals)
        printf("%+7.2f %+7.2f  %-5s  ", c->low, c->high, c->is_noise ? "noise" : "");
    say_clean(stdout, row->method);
    putchar('\n');
}

static void print_table(struct request *r, enum diff_measure measure)
{
    const struct diff *d = &r->diff;
    diff_sort(&r->diff, measure);
    printf("\nmethods by the change of their %s\n",
           measure == DIFF_SELF ? "own share" : "share with what they call");
    printf("%8s %8s %8s  ", "before", "after", "change");
    if (d->has_intervals)
        printf("%15s         ", "95% for all");
    puts("method");
    for (size_t i = 0, printed = 0; i < d->count && printed < r->top; i++) {
        if (d->rows[i].value[measure][DIFF_BEFORE] == 0 &&
            d->rows[i].value[measure][DIFF_AFTER] == 0)
            continue;
        print_row(d, &d->rows[i], measure);
        printed++;
    }
}

/* One sentence that sums up the tables. */
static void print_verdict(const struct diff *d)
{
    size_t changed = diff_changed(d);
    if (changed == 0)
        puts(d->has_intervals ? "no method has changed by more than chance explains"
                              : "no method has changed");
    else
        printf("%zu method%s changed%s\n", changed, changed == 1 ? " has" : "s have",
               d->has_intervals ? " by more than chance explains" : "");
}

static void print(struct request *r, const struct series *series)
{
    static const char *const sides[] = {"before", "after"};
    const struct kind_value *type = &kind_all[series->kind]->values[series->value];
    const char *words = type->words;
    for (int side = 0; side < DIFF_SIDES; side++) {
        printf("%-6s  ", sides[side]);
        say_clean(stdout, r->files[side]);
        printf(": %llu%s %s\n", (unsigned long long)r->diff.whole[side],
               type->unit == KIND_UNIT_NS ? " ns of" : "", words);
    }
    print_verdict(&r->diff);
    if (!r->diff.has_intervals)
        puts("sums of one run each: how much they vary by themselves is not known");
    for (int measure = 0; measure < DIFF_MEASURES && r->top > 0; measure++)
        print_table(r, (enum diff_measure)measure);
}

static int compare(struct request *r)
{
    struct profile *const profiles[DIFF_SIDES] = {r->loads[DIFF_BEFORE].profile,
                                                  r->loads[DIFF_AFTER].profile};
    const struct series *series = find_series(r);
    int status = CMD_OK;
    if (!series) {
        say("diff: '%s' and '%s' do not both have %s%s", r->files[DIFF_BEFORE],
            r->files[DIFF_AFTER], r->series ? r->series->word : "anything",
            r->series ? "" : " that could be compared");
        return CMD_FAILED;
    }
    r->diff.kind = series->kind;
    r->diff.value = series->value;
    if (diff_make(&r->diff, profiles) < 0) {
        say("diff: %s", strerror(ENOMEM));
        return CMD_FAILED;
    }
    print(r, series);
    if (r->page.path) {
        r->page.series = series;
        if (diff_write_page(&r->page, &r->diff, profiles, r->files) < 0)
            status = CMD_FAILED;
    }
    const struct diff_row *above =
        r->fail_above >= 0 ? diff_find_above(&r->diff, r->fail_above) : NULL;
    if (above) {
        say("diff: '%s' grew by more than %g %% of all", above->method, r->fail_above);
        status = CMD_FAILED;
    }
    return status;
}

/* At first only one series of each file is loaded. If the two files have no loaded series in
 * common, load all series. */
static int load_all(struct request *r)
{
    for (int side = 0; side < DIFF_SIDES; side++) {
        const struct load_how all = {.is_again = r->loads[side].damaged};
        if (r->loads[side].kinds == 0)
            continue;
        load_close(&r->loads[side]);
        if (load_open(r->files[side], &all, diag_say(), &r->loads[side]) < 0)
            return CMD_FAILED;
    }
    return CMD_OK;
}

static int load_and_compare(struct request *r)
{
    int status = CMD_OK;
    for (int side = 0; side < DIFF_SIDES && status == CMD_OK; side++)
        if (load_open_series(r->files[side], &(struct load_how){0}, r->series, diag_say(),
                             &r->loads[side]) < 0)
            status = CMD_FAILED;
    if (status == CMD_OK && !find_series(r))
        status = load_all(r);
    if (status == CMD_OK)
        status = compare(r);
    for (int side = 0; side < DIFF_SIDES; side++) {
        if (r->loads[side].damaged)
            status = CMD_FAILED;
        load_close(&r->loads[side]);
    }
    diff_done(&r->diff);
    return status;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct request r = {.page = {.command = "diff"}, .fail_above = -1, .top = TOP_DEFAULT};
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPTS_HELP) {
            help_cmd(stdout, self);
            return CMD_OK;
        }
        if (id == OPTS_ERROR || take_option(&r, self, id, opts.value) < 0)
            return CMD_USAGE;
    }
    if (r.count != DIFF_SIDES) {
        say("diff: two files are compared, not %d; usage: hprof diff [OPTION...] %s", r.count,
            self->operands);
        return CMD_USAGE;
    }
    return load_and_compare(&r);
}

const struct cmd cmd_diff = {
    .name = "diff",
    .group = CMD_READS,
    .help = "Say what changed between two profiles, and what is chance",
    .operands = "BEFORE AFTER",
    .needs = "files in a format that 'hprof formats' lists",
    .options = options,
    .run = run,
};
