/*
 * question_diff.c - what grew between two dumps: by class, and by path of the dominator tree.
 *
 * Sizes are those that can be reached. The rates are per hour of the time between the moments that
 * the two files name.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "heap/heapanswer.h"
#include "heap/heapsummary.h"
#include "heap/question.h"

enum { MS_PER_HOUR = 3600 * 1000, EXPLAINED_PERCENT = 90 };

/* A class or path that one of the dumps has, or both. */
struct change {
    const char *name;
    const struct heapsummary_row *before, *after; /* NULL: that dump does not have it */
    int64_t retained, shallow, objects;
    bool is_explained; /* a longer path explains the change */
};

struct changes {
    struct change *rows;
    uint32_t count;
};

struct diff {
    struct question_asked *asked;
    struct heapanswer answer;
    struct heapsummary before, after;
    double hours; /* 0: unknown */
};

static int64_t difference(uint64_t before, uint64_t after)
{
    return (int64_t)(after - before);
}

/* One of the two rows may be NULL. */
static struct change change_of(const struct heapsummary_row *before,
                               const struct heapsummary_row *after)
{
    static const struct heapsummary_row none = {.name = ""};
    const struct heapsummary_row *b = before ? before : &none, *a = after ? after : &none;
    return (struct change){
        .name = after ? a->name : b->name,
        .before = before,
        .after = after,
        .retained = difference(b->retained, a->retained),
        .shallow = difference(b->shallow, a->shallow),
        .objects = difference(b->objects, a->objects),
    };
}

/* Joins rows that are sorted by name. Errors: 0; E_LIMIT. */
static int join(const struct heapsummary_rows *before, const struct heapsummary_rows *after,
                struct changes *ret)
{
    uint32_t i = 0, j = 0;
    *ret = (struct changes){
        .rows = calloc((size_t)before->count + after->count + 1, sizeof(*ret->rows))};
    while (ret->rows && (i < before->count || j < after->count)) {
        int order = i == before->count  ? 1
                    : j == after->count ? -1
                                        : strcmp(before->rows[i].name, after->rows[j].name);
        ret->rows[ret->count++] =
            change_of(order <= 0 ? &before->rows[i] : NULL, order >= 0 ? &after->rows[j] : NULL);
        i += order <= 0;
        j += order >= 0;
    }
    return ret->rows ? 0 : E_LIMIT;
}

/* Of a path and a longer one that has nearly the same growth, the longer one says more. The rows
 * are sorted by name, so longer paths follow. */
static void explain(struct changes *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        size_t len = strlen(c->rows[i].name);
        for (uint32_t j = i + 1; j < c->count && !c->rows[i].is_explained &&
                                 strncmp(c->rows[j].name, c->rows[i].name, len) == 0;
             j++)
            c->rows[i].is_explained =
                strncmp(c->rows[j].name + len, " > ", 3) == 0 && c->rows[i].retained > 0 &&
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
    return strcmp(x->name, y->name);
}

/* The last cells of a row: by how much the retained size has changed, in an hour too, what it is
 * now, and the name. */
static void put_retained(struct diff *d, const struct change *row)
{
    heapanswer_change(&d->answer, row->retained);
    if (d->hours > 0)
        heapanswer_change(&d->answer, (int64_t)((double)row->retained / d->hours));
    else
        heapanswer_nothing(&d->answer);
    heapanswer_number(&d->answer, row->after ? row->after->retained : 0);
    heapanswer_text(&d->answer, row->name);
}

/* Writes the rows that grew; with `is_shrinking` those that shrank. */
static void put_classes(struct diff *d, struct changes *c, bool is_shrinking)
{
    static const struct heapanswer_column columns[] = {
        {"objects", "objects", HEAPANSWER_CHANGE_COUNT, 0},
        {"shallow_bytes", "own size", HEAPANSWER_CHANGE, 0},
        {"retained_bytes", "retained", HEAPANSWER_CHANGE, 0},
        {"retained_bytes_per_hour", "per hour", HEAPANSWER_CHANGE, 12},
        {"retained_bytes_after", "now", HEAPANSWER_BYTES, 0},
        {"class", "class", HEAPANSWER_NAME, 0},
    };
    uint32_t shown = 0;
    heapanswer_table(&d->answer, is_shrinking ? "shrunk" : "classes",
                     is_shrinking ? "classes that shrank" : "classes that grew", columns, 6);
    for (uint32_t i = 0; i < c->count && shown < d->asked->rows; i++) {
        const struct change *row = &c->rows[is_shrinking ? c->count - 1 - i : i];
        int64_t bytes = row->retained != 0 ? row->retained : row->shallow;
        if (is_shrinking ? bytes >= 0 : bytes <= 0)
            continue;
        shown++;
        heapanswer_change(&d->answer, row->objects);
        heapanswer_change(&d->answer, row->shallow);
        put_retained(d, row);
    }
    heapanswer_table_end(&d->answer, is_shrinking ? "none shrank" : "none grew");
}

static void put_paths(struct diff *d, struct changes *c)
{
    static const struct heapanswer_column columns[] = {
        {"objects", "objects", HEAPANSWER_CHANGE_COUNT, 0},
        {"retained_bytes", "retained", HEAPANSWER_CHANGE, 0},
        {"retained_bytes_per_hour", "per hour", HEAPANSWER_CHANGE, 12},
        {"retained_bytes_after", "now", HEAPANSWER_BYTES, 0},
        {"path", "path of classes from a root", HEAPANSWER_NAME, 0},
    };
    uint32_t shown = 0;
    heapanswer_table(&d->answer, "paths", "what holds the growth", columns, 5);
    for (uint32_t i = 0; i < c->count && shown < d->asked->rows; i++) {
        const struct change *row = &c->rows[i];
        if (row->is_explained || row->retained <= 0)
            continue;
        shown++;
        heapanswer_change(&d->answer, row->objects);
        put_retained(d, row);
    }
    heapanswer_table_end(&d->answer, "no path grew");
}

/* Whether something has grown by more than the user allows. */
static void judge(struct diff *d, const struct changes *classes)
{
    const struct question_limit *limit = d->asked->limit;
    uint64_t before = d->before.bytes;
    int64_t growth = difference(d->before.bytes, d->after.bytes);
    if (!limit)
        return;
    if (limit->class_name) {
        before = 0;
        growth = 0;
        for (uint32_t i = 0; i < classes->count; i++) {
            if (strcmp(classes->rows[i].name, limit->class_name) != 0)
                continue;
            growth = classes->rows[i].retained;
            before = classes->rows[i].before ? classes->rows[i].before->retained : 0;
        }
    }
    bool is_above = growth > 0 && (double)growth > (double)before / 100 * limit->percent;
    d->asked->is_above_limit = is_above;
    heapanswer_fact_bool(&d->answer, "is_above_limit", is_above);
    if (is_above)
        heapanswer_say(&d->answer, "%s retains more by more than %g %%, which is the limit",
                       limit->class_name ? limit->class_name : "the heap", limit->percent);
}

static int put(struct diff *d)
{
    struct heapanswer *a = &d->answer;
    struct changes classes = {0}, paths = {0};
    int error = join(&d->before.classes, &d->after.classes, &classes);
    if (error == 0)
        error = join(&d->before.paths, &d->after.paths, &paths);
    if (error == 0) {
        explain(&paths);
        qsort(classes.rows, classes.count, sizeof(*classes.rows), by_growth);
        qsort(paths.rows, paths.count, sizeof(*paths.rows), by_growth);
        heapanswer_begin(a, d->asked, "diff");
        heapanswer_fact_text(a, "before", "before", d->asked->other);
        heapanswer_fact_text(a, "after", "after", d->asked->file);
        heapanswer_fact(a, "bytes_before", "could be reached before", HEAPANSWER_BYTES,
                        d->before.bytes);
        heapanswer_fact(a, "bytes_after", "can be reached after", HEAPANSWER_BYTES, d->after.bytes);
        heapanswer_fact(a, "growth", "growth", HEAPANSWER_CHANGE,
                        (uint64_t)difference(d->before.bytes, d->after.bytes));
        heapanswer_fact(a, "milliseconds", NULL, HEAPANSWER_CHANGE_COUNT,
                        (uint64_t)(d->after.created_ms - d->before.created_ms));
        if (d->hours > 0)
            heapanswer_fact(
                a, "growth_per_hour", "per hour", HEAPANSWER_CHANGE,
                (uint64_t)(int64_t)((double)difference(d->before.bytes, d->after.bytes) /
                                    d->hours));
        put_paths(d, &paths);
        put_classes(d, &classes, false);
        put_classes(d, &classes, true);
        judge(d, &classes);
        heapanswer_end(a);
    }
    free(classes.rows);
    free(paths.rows);
    return error;
}

/* Opens the older dump and sums it up. */
static int sum_other(struct diff *d)
{
    static char why[GRAPH_WHY + 256];
    char reason[GRAPH_WHY] = "";
    struct graph *g = NULL;
    int error = graph_open(d->asked->other, d->asked->options, &g, reason);
    if (error == 0)
        error = graph_dominate(g, reason);
    if (error == 0) {
        error = heapsummary_make(g, &d->before);
    } else {
        snprintf(why, sizeof(why), "%s: %s", d->asked->other, reason);
        d->asked->why = why;
    }
    graph_close(g);
    return error;
}

static int answer_diff(struct question_asked *asked)
{
    struct diff d = {.asked = asked};
    int error = heapsummary_make(asked->graph, &d.after);
    if (error == 0)
        error = sum_other(&d);
    int64_t ms = d.after.created_ms - d.before.created_ms;
    d.hours = ms > 0 ? (double)ms / MS_PER_HOUR : 0;
    if (error == 0)
        error = put(&d);
    heapsummary_done(&d.before);
    heapsummary_done(&d.after);
    return error;
}

const struct question question_diff = {
    .name = "diff",
    .help = "What grew between two dumps, and what holds the growth",
    .needs_dominators = true,
    .has_markdown = true,
    .compares = true,
    .answer = answer_diff,
};
