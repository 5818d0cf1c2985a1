/*
 * question_diff.c - what grew between two heaps or more: by class, by path of the dominator tree,
 * and by site of allocation.
 *
 * Sizes are those that can be reached. The rates are per hour of the time between the moments that
 * the files name. Changes are those from the first heap to the last one; from four heaps on a slope
 * is fitted through all. A heap is a dump, or a saved histogram, which has classes and their own
 * sizes alone; if one of the heaps is, own sizes are compared, and nothing else.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "heap/heapanswer.h"
#include "heap/heaphisto.h"
#include "heap/heapsummary.h"
#include "heap/heaptrend.h"
#include "heap/question.h"

enum { MS_PER_HOUR = 3600 * 1000, EXPLAINED_PERCENT = 90, WHY = GRAPH_WHY + 4096, COLUMNS = 9 };

/* A class, path or site, and how it has changed. */
struct change {
    const struct heaptrend_row *row;
    int64_t retained, shallow, objects;
    bool is_explained; /* a longer path explains the change */
};

struct changes {
    struct heaptrend trend;
    struct change *rows;
};

struct diff {
    struct question_asked *asked;
    struct heapanswer answer;
    struct heapsummary *heaps;
    uint32_t count;
    double hours[HEAPTREND_MOST]; /* of each heap, since the first */
    double between;               /* hours from the first to the last; 0: unknown */
    bool is_own;                  /* own sizes are compared */
    bool has_slopes;
    struct heapanswer_column columns[COLUMNS]; /* of the open table */
};

/* What is compared of a row. */
static uint64_t size_of(const struct diff *d, const struct heapsummary_row *row)
{
    return !row ? 0 : d->is_own ? row->shallow : row->retained;
}

static int64_t difference(uint64_t before, uint64_t after)
{
    return (int64_t)(after - before);
}

static struct change change_of(const struct diff *d, const struct heaptrend_row *row)
{
    static const struct heapsummary_row none = {.name = ""};
    const struct heapsummary_row *b = row->at[0] ? row->at[0] : &none;
    const struct heapsummary_row *a = row->at[d->count - 1] ? row->at[d->count - 1] : &none;
    return (struct change){
        .row = row,
        .retained = difference(size_of(d, b), size_of(d, a)),
        .shallow = difference(b->shallow, a->shallow),
        .objects = difference(b->objects, a->objects),
    };
}

/* Joins the rows of all heaps. Errors: 0; E_LIMIT. Owner: done(). */
static int compare(struct diff *d, const struct heapsummary_rows *const *rows, struct changes *ret)
{
    *ret = (struct changes){0};
    int error = heaptrend_join(rows, d->count, &ret->trend);
    if (error == 0)
        ret->rows = calloc((size_t)ret->trend.count + 1, sizeof(*ret->rows));
    if (!ret->rows)
        return E_LIMIT;
    for (uint32_t i = 0; i < ret->trend.count; i++)
        ret->rows[i] = change_of(d, &ret->trend.rows[i]);
    return 0;
}

static void done(struct changes *c)
{
    heaptrend_done(&c->trend);
    free(c->rows);
}

/* Of a path and a longer one that has nearly the same growth, the longer one says more. The rows
 * are sorted by name, so longer paths follow. */
static void explain(struct changes *c)
{
    for (uint32_t i = 0; i < c->trend.count; i++) {
        const char *name = c->rows[i].row->name;
        size_t len = strlen(name);
        for (uint32_t j = i + 1; j < c->trend.count && !c->rows[i].is_explained &&
                                 strncmp(c->rows[j].row->name, name, len) == 0;
             j++)
            c->rows[i].is_explained =
                strncmp(c->rows[j].row->name + len, " > ", 3) == 0 && c->rows[i].retained > 0 &&
                c->rows[j].retained >= c->rows[i].retained / 100 * EXPLAINED_PERCENT;
    }
}

static int by_growth(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    if (x->retained != y->retained)
        return x->retained > y->retained ? -1 : 1;
    if (x->shallow != y->shallow)
        return x->shallow > y->shallow ? -1 : 1;
    return strcmp(x->row->name, y->row->name);
}

static void sort(struct changes *c)
{
    if (c->trend.count > 0)
        qsort(c->rows, c->trend.count, sizeof(*c->rows), by_growth);
}

static bool slope_of(const struct diff *d, const struct heaptrend_row *row,
                     struct heaptrend_slope *ret)
{
    double values[HEAPTREND_MOST];
    for (uint32_t i = 0; i < d->count; i++)
        values[i] = (double)(row ? size_of(d, row->at[i]) : d->heaps[i].bytes);
    return heaptrend_slope(d->hours, values, d->count, ret);
}

/* Begins a table. Of a saved histogram there are no retained sizes. */
static void put_table(struct diff *d, const char *key, const char *title, bool has_own,
                      const char *name)
{
    const char *retained = d->is_own ? NULL : "retained", *slope = d->has_slopes ? "trend" : NULL;
    const struct heapanswer_column columns[COLUMNS] = {
        {"objects", "objects", HEAPANSWER_CHANGE_COUNT, 0},
        {"shallow_bytes", has_own ? "own size" : NULL, HEAPANSWER_CHANGE, 0},
        {"retained_bytes", retained, HEAPANSWER_CHANGE, 0},
        {d->is_own ? "shallow_bytes_per_hour" : "retained_bytes_per_hour", "per hour",
         HEAPANSWER_CHANGE, 12},
        {"slope_per_hour", slope, HEAPANSWER_CHANGE, 12},
        {"slope_low", slope ? "at least" : NULL, HEAPANSWER_CHANGE, 12},
        {"slope_high", slope ? "at most" : NULL, HEAPANSWER_CHANGE, 12},
        {d->is_own ? "shallow_bytes_after" : "retained_bytes_after", "now", HEAPANSWER_BYTES, 0},
        {name, name, HEAPANSWER_NAME, 0},
    };
    memcpy(d->columns, columns, sizeof(columns));
    heapanswer_table(&d->answer, key, title, d->columns, COLUMNS);
}

static void put_slope(struct diff *d, const struct heaptrend_row *row)
{
    struct heaptrend_slope slope;
    if (!d->has_slopes || !slope_of(d, row, &slope)) {
        for (int i = 0; i < 3; i++)
            heapanswer_none(&d->answer);
        return;
    }
    heapanswer_change(&d->answer, (int64_t)slope.per_hour);
    heapanswer_change(&d->answer, (int64_t)slope.low);
    heapanswer_change(&d->answer, (int64_t)slope.high);
}

static void put_row(struct diff *d, const struct change *c, bool has_own)
{
    heapanswer_change(&d->answer, c->objects);
    if (has_own)
        heapanswer_change(&d->answer, c->shallow);
    else
        heapanswer_none(&d->answer);
    if (d->is_own)
        heapanswer_none(&d->answer);
    else
        heapanswer_change(&d->answer, c->retained);
    if (d->between > 0)
        heapanswer_change(&d->answer, (int64_t)((double)c->retained / d->between));
    else
        heapanswer_nothing(&d->answer);
    put_slope(d, c->row);
    heapanswer_number(&d->answer, size_of(d, c->row->at[d->count - 1]));
    heapanswer_text(&d->answer, c->row->name);
}

/* Writes the rows that grew; with `is_shrinking` those that shrank. */
static void put_classes(struct diff *d, const struct changes *c, bool is_shrinking)
{
    uint32_t shown = 0;
    put_table(d, is_shrinking ? "shrunk" : "classes",
              is_shrinking ? "classes that shrank" : "classes that grew", true, "class");
    for (uint32_t i = 0; i < c->trend.count && shown < d->asked->rows; i++) {
        const struct change *row = &c->rows[is_shrinking ? c->trend.count - 1 - i : i];
        int64_t bytes = row->retained != 0 ? row->retained : row->shallow;
        if (is_shrinking ? bytes >= 0 : bytes <= 0)
            continue;
        shown++;
        put_row(d, row, true);
    }
    heapanswer_table_end(&d->answer, is_shrinking ? "none shrank" : "none grew");
}

static void put_paths(struct diff *d, const struct changes *c)
{
    uint32_t shown = 0;
    put_table(d, "paths", d->is_own ? NULL : "what holds the growth", false, "path");
    for (uint32_t i = 0; i < c->trend.count && shown < d->asked->rows; i++) {
        const struct change *row = &c->rows[i];
        if (row->retained <= 0 || row->is_explained)
            continue;
        shown++;
        put_row(d, row, false);
    }
    heapanswer_table_end(&d->answer, d->is_own ? NULL : "no path grew");
}

/* Dumps of the JVM have no sites: then people see no table. */
static void put_sites(struct diff *d, const struct changes *c)
{
    uint32_t shown = 0;
    put_table(d, "sites", c->trend.count > 0 ? "where the growth was allocated" : NULL, true,
              "site");
    for (uint32_t i = 0; i < c->trend.count && shown < d->asked->rows; i++) {
        if (c->rows[i].retained <= 0)
            continue;
        shown++;
        put_row(d, &c->rows[i], true);
    }
    heapanswer_table_end(&d->answer, c->trend.count > 0 ? "no site grew" : NULL);
}

/* Whether something has grown by more than the user allows. */
static void judge(struct diff *d, const struct changes *classes)
{
    const struct question_limit *limit = d->asked->limit;
    uint64_t before = d->heaps[0].bytes;
    int64_t growth = difference(before, d->heaps[d->count - 1].bytes);
    if (!limit)
        return;
    if (limit->class_name) {
        before = 0;
        growth = 0;
        for (uint32_t i = 0; i < classes->trend.count; i++) {
            if (strcmp(classes->rows[i].row->name, limit->class_name) != 0)
                continue;
            growth = classes->rows[i].retained;
            before = size_of(d, classes->rows[i].row->at[0]);
        }
    }
    bool is_above = growth > 0 && (double)growth > (double)before / 100 * limit->percent;
    d->asked->is_above_limit = is_above;
    heapanswer_fact_bool(&d->answer, "is_above_limit", is_above);
    if (is_above)
        heapanswer_say(&d->answer, "%s %s more by more than %g%%, which is the limit",
                       limit->class_name ? limit->class_name : "the heap",
                       d->is_own ? "takes" : "retains", limit->percent);
}

static void put_files(struct diff *d)
{
    static const struct heapanswer_column columns[] = {
        {"milliseconds", NULL, HEAPANSWER_CHANGE_COUNT, 0},
        {"objects", "objects", HEAPANSWER_COUNT, 0},
        {"bytes", "size", HEAPANSWER_BYTES, 0},
        {"kind", "kind", HEAPANSWER_NAME, 9},
        {"file", "file", HEAPANSWER_NAME, 0},
    };
    heapanswer_table(&d->answer, "files", d->count > 2 ? "the heaps, in their order" : NULL,
                     columns, 5);
    for (uint32_t i = 0; i < d->count && (d->count > 2 || d->asked->is_json); i++) {
        heapanswer_change(&d->answer, d->heaps[i].created_ms - d->heaps[0].created_ms);
        heapanswer_number(&d->answer, d->heaps[i].objects);
        heapanswer_number(&d->answer, d->heaps[i].bytes);
        heapanswer_text(&d->answer, d->heaps[i].is_histogram ? "histogram" : "dump");
        heapanswer_text(&d->answer, d->asked->several.files[i]);
    }
    heapanswer_table_end(&d->answer, NULL);
}

static void put_head(struct diff *d)
{
    struct heapanswer *a = &d->answer;
    const struct heapsummary *before = &d->heaps[0], *after = &d->heaps[d->count - 1];
    int64_t growth = difference(before->bytes, after->bytes);
    struct heaptrend_slope slope;
    char low[HEAPANSWER_BYTES_ROOM], high[HEAPANSWER_BYTES_ROOM];
    heapanswer_fact_text(a, "before", "before", d->asked->several.files[0]);
    heapanswer_fact_text(a, "after", "after", d->asked->several.files[d->count - 1]);
    heapanswer_fact(a, "bytes_before", d->is_own ? "size before" : "could be reached before",
                    HEAPANSWER_BYTES, before->bytes);
    heapanswer_fact(a, "bytes_after", d->is_own ? "size after" : "can be reached after",
                    HEAPANSWER_BYTES, after->bytes);
    heapanswer_fact(a, "growth", "growth", HEAPANSWER_CHANGE, (uint64_t)growth);
    heapanswer_fact(a, "milliseconds", NULL, HEAPANSWER_CHANGE_COUNT,
                    (uint64_t)(after->created_ms - before->created_ms));
    if (d->between > 0)
        heapanswer_fact(a, "growth_per_hour", "per hour", HEAPANSWER_CHANGE,
                        (uint64_t)(int64_t)((double)growth / d->between));
    if (d->has_slopes && slope_of(d, NULL, &slope)) {
        heapanswer_fact(a, "slope_per_hour", "trend per hour, by all heaps", HEAPANSWER_CHANGE,
                        (uint64_t)(int64_t)slope.per_hour);
        heapanswer_fact(a, "slope_low", NULL, HEAPANSWER_CHANGE, (uint64_t)(int64_t)slope.low);
        heapanswer_fact(a, "slope_high", NULL, HEAPANSWER_CHANGE, (uint64_t)(int64_t)slope.high);
        heapanswer_say(
            a, "with a probability of 95%%, the trend lies between %s%s and %s%s an hour",
            slope.low < 0 ? "-" : "+", heapanswer_bytes((uint64_t)fabs(slope.low), low),
            slope.high < 0 ? "-" : "+", heapanswer_bytes((uint64_t)fabs(slope.high), high));
    }
    put_files(d);
    bool is_mixed = false;
    for (uint32_t i = 0; i < d->count; i++)
        is_mixed = is_mixed || d->heaps[i].is_histogram != d->heaps[0].is_histogram;
    if (is_mixed)
        heapanswer_say(a, "own sizes are compared: of the dumps those of objects that can be "
                          "reached; a histogram has all objects, but for one that was made with "
                          "--live");
}

static int put(struct diff *d)
{
    const struct heapsummary_rows *rows[3][HEAPTREND_MOST];
    struct changes classes, paths = {0}, sites = {0};
    for (uint32_t i = 0; i < d->count; i++) {
        rows[0][i] = &d->heaps[i].classes;
        rows[1][i] = &d->heaps[i].paths;
        rows[2][i] = &d->heaps[i].sites;
    }
    int error = compare(d, rows[0], &classes);
    if (error == 0 && !d->is_own)
        error = compare(d, rows[1], &paths);
    if (error == 0 && !d->is_own)
        error = compare(d, rows[2], &sites);
    if (error == 0) {
        explain(&paths);
        sort(&classes);
        sort(&paths);
        sort(&sites);
        heapanswer_begin(&d->answer, d->asked, "diff");
        put_head(d);
        put_paths(d, &paths);
        put_classes(d, &classes, false);
        put_classes(d, &classes, true);
        put_sites(d, &sites);
        judge(d, &classes);
        heapanswer_end(&d->answer);
    }
    done(&classes);
    done(&paths);
    done(&sites);
    return error;
}

/* Opens a dump and sums it up. `input` is the open dump; NULL: it is not open. */
static int sum_dump(struct diff *d, const char *file, struct heapinput *input,
                    struct heapsummary *ret)
{
    static char why[WHY];
    char reason[GRAPH_WHY] = "";
    struct graph *g = NULL;
    struct graph_options options = *d->asked->options;
    options.input = input;
    options.skips_index = options.skips_index || input;
    int error = graph_open(file, &options, &g, reason);
    if (error == 0)
        error = graph_dominate(g, reason);
    if (error == 0 && d->asked->several.verifies)
        error = graph_verify(g, reason);
    if (error == 0)
        error = heapsummary_make(g, ret);
    if (error == 0 && graph_error(g) < 0) {
        error = graph_error(g);
        snprintf(reason, sizeof(reason), "%s", graph_error_why(g));
    }
    if (error < 0) {
        snprintf(why, sizeof(why), "%s: %s", file, reason[0] ? reason : err_text(error));
        d->asked->why = why;
    } else {
        d->asked->several.is_damaged = d->asked->several.is_damaged ||
                                       graph_facts(g)->damage.is_cut ||
                                       graph_facts(g)->damage.unknown_records > 0;
    }
    graph_close(g);
    return error;
}

static int answer_diff(struct question_asked *asked)
{
    struct diff d = {.asked = asked, .count = asked->several.count};
    int error = 0;
    if (d.count < 2 || d.count > HEAPTREND_MOST)
        return E_RANGE;
    d.heaps = calloc(d.count, sizeof(*d.heaps));
    if (!d.heaps)
        return E_LIMIT;
    for (uint32_t i = 0; i < d.count && error == 0; i++) {
        struct heapinput *input = i + 1 == d.count ? asked->several.last : NULL;
        bool is_histogram = !input && heaphisto_is(asked->several.files[i]);
        error = is_histogram ? heapsummary_read(asked->several.files[i], &d.heaps[i])
                             : sum_dump(&d, asked->several.files[i], input, &d.heaps[i]);
        d.is_own = d.is_own || is_histogram;
    }
    for (uint32_t i = 0; i < d.count; i++)
        d.hours[i] = (double)(d.heaps[i].created_ms - d.heaps[0].created_ms) / MS_PER_HOUR;
    d.between = d.hours[d.count - 1] > 0 ? d.hours[d.count - 1] : 0;
    struct heaptrend_slope slope;
    d.has_slopes = error == 0 && slope_of(&d, NULL, &slope);
    if (error == 0)
        error = put(&d);
    for (uint32_t i = 0; i < d.count; i++)
        heapsummary_done(&d.heaps[i]);
    free(d.heaps);
    return error;
}

const struct question question_diff = {
    .name = "diff",
    .operand = "BEFORE... AFTER",
    .help = "What grew between two heaps or more, what holds the growth, and where it was made",
    .compares = true,
    .answer = answer_diff,
};
