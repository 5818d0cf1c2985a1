/*
 * question_join.c - `join RECORDING`: how fast the program allocated, beside what the heap holds,
 * by class and by site.
 *
 * What is allocated fast and is not held is garbage. What is held divided by the rate is the time
 * in which the program allocates as much again: of what leaks that time is as long as the leak is
 * old.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "heap/allocrates.h"
#include "heap/heapanswer.h"
#include "heap/heapsites.h"
#include "heap/heapsummary.h"
#include "heap/heaptrend.h"
#include "heap/objname.h"
#include "heap/question.h"

/* Of a class or site what the recording has, and what the heap holds. */
enum side { RECORDED, HELD, SIDES };

struct pairs {
    struct heapsummary_rows held;
    struct heaptrend joined; /* `at` by side; what was allocated fastest comes first */
};

struct join {
    struct question_asked *asked;
    struct heapanswer answer;
    bool has_sites; /* the dump tells of sites */
};

static struct heapsummary_row side_of(const struct heaptrend_row *row, enum side side)
{
    return row->at[side] ? *row->at[side] : (struct heapsummary_row){.name = NULL};
}

static int by_rate(const void *a, const void *b)
{
    const struct heaptrend_row *x = a, *y = b;
    uint64_t p = side_of(x, RECORDED).shallow, q = side_of(y, RECORDED).shallow;
    if (p != q)
        return p > q ? -1 : 1;
    p = side_of(x, HELD).retained;
    q = side_of(y, HELD).retained;
    return p != q ? (p > q ? -1 : 1) : strcmp(x->name, y->name);
}

/* Joins what is held with what was allocated. */
static int join(const struct heapsummary_rows *rates, struct pairs *p)
{
    const struct heapsummary_rows *const rows[SIDES] = {[RECORDED] = rates, [HELD] = &p->held};
    heapsummary_merge(&p->held);
    int error = heaptrend_join(rows, SIDES, &p->joined);
    if (error == 0 && p->joined.count > 0)
        qsort(p->joined.rows, p->joined.count, sizeof(*p->joined.rows), by_rate);
    return error;
}

static void done(struct pairs *p)
{
    heaptrend_done(&p->joined);
    heapsummary_rows_done(&p->held);
}

static int join_classes(struct join *j, struct pairs *ret)
{
    struct graph *g = j->asked->graph;
    graph_class count = graph_class_count(g);
    struct graph_histo *rows = calloc((size_t)count + 1, sizeof(*rows));
    int error = rows ? graph_histo(g, rows) : E_LIMIT;
    for (graph_class k = 0; error == 0 && k < count; k++)
        if (rows[k].objects > rows[k].lost)
            error = heapsummary_add(
                &ret->held, strdup(objname_class(g, k)), rows[k].objects - rows[k].lost,
                rows[k].shallow_bytes - rows[k].lost_bytes, rows[k].retained_bytes);
    free(rows);
    return error < 0 ? error : join(&j->asked->rates->classes, ret);
}

static bool add_frame(void *with, uint32_t depth, const struct graph_frame *frame)
{
    return allocrates_add_frame(with, depth, frame->class_name, frame->method);
}

static int join_sites(struct join *j, struct pairs *ret)
{
    struct graph *g = j->asked->graph;
    struct heapsites sites;
    int error = heapsites_make(g, &sites);
    j->has_sites = error == 0 && sites.count > 0;
    for (uint32_t i = 0; error == 0 && i < sites.count; i++) {
        const struct heapsites_row *site = &sites.rows[i];
        char name[ALLOCRATES_SITE_ROOM] = "";
        error = graph_each_frame(g, site->trace, add_frame, name);
        if (error == 0)
            error = heapsummary_add(&ret->held, strdup(name), site->objects, site->bytes,
                                    site->retained);
    }
    heapsites_done(&sites);
    return error < 0 ? error : join(&j->asked->rates->sites, ret);
}

static void put_pairs(struct join *j, const struct pairs *p, const char *key, const char *title,
                      const char *name, bool has_held)
{
    const struct heapanswer_column columns[] = {
        {"allocated_bytes_per_second", "a second", HEAPANSWER_BYTES, 0},
        {"allocated_bytes", "allocated", HEAPANSWER_BYTES, 0},
        {"allocated_objects", NULL, HEAPANSWER_COUNT, 0},
        {"objects", "held", HEAPANSWER_COUNT, 0},
        {"shallow_bytes", "own size", HEAPANSWER_BYTES, 0},
        {"retained_bytes", "retained", HEAPANSWER_BYTES, 0},
        {"turnover_seconds", "made in s", HEAPANSWER_COUNT, 0},
        {name, name, HEAPANSWER_NAME, 0},
    };
    struct heapanswer *a = &j->answer;
    double seconds = j->asked->rates->seconds;
    heapanswer_table(a, key, title, columns, sizeof(columns) / sizeof(columns[0]));
    for (uint32_t i = 0; i < p->joined.count && i < j->asked->rows; i++) {
        const struct heaptrend_row *row = &p->joined.rows[i];
        const struct heapsummary_row made = side_of(row, RECORDED), held = side_of(row, HELD);
        double rate = seconds > 0 ? (double)made.shallow / seconds : 0;
        if (seconds > 0)
            heapanswer_number(a, (uint64_t)rate);
        else
            heapanswer_nothing(a);
        heapanswer_number(a, made.shallow);
        heapanswer_number(a, made.objects);
        if (has_held) {
            heapanswer_number(a, held.objects);
            heapanswer_number(a, held.shallow);
            heapanswer_number(a, held.retained);
        } else {
            heapanswer_nothing(a);
            heapanswer_nothing(a);
            heapanswer_nothing(a);
        }
        if (rate > 0 && held.shallow > 0)
            heapanswer_number(a, (uint64_t)((double)held.shallow / rate));
        else
            heapanswer_nothing(a);
        heapanswer_text(a, row->name);
    }
    heapanswer_table_end(a, "none");
}

static void put(struct join *j, const struct pairs *classes, const struct pairs *sites)
{
    const struct allocrates *rates = j->asked->rates;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < rates->classes.count; i++)
        bytes += rates->classes.rows[i].shallow;
    heapanswer_begin(&j->answer, j->asked, "join");
    heapanswer_fact_text(&j->answer, "recording", "recording", rates->file);
    heapanswer_fact(&j->answer, "recorded_ms", NULL, HEAPANSWER_COUNT,
                    (uint64_t)(rates->seconds * 1000));
    heapanswer_fact(&j->answer, "allocated_bytes", "allocated while it ran", HEAPANSWER_BYTES,
                    bytes);
    if (rates->seconds > 0)
        heapanswer_fact(&j->answer, "allocated_bytes_per_second", "a second", HEAPANSWER_BYTES,
                        (uint64_t)((double)bytes / rates->seconds));
    heapanswer_fact(&j->answer, "reachable_bytes", "held in the heap", HEAPANSWER_BYTES,
                    graph_facts(j->asked->graph)->reachable_bytes);
    put_pairs(j, classes, "classes", "by class", "class", true);
    put_pairs(j, sites, "sites", "by site", "site", j->has_sites);
    if (!j->has_sites)
        heapanswer_say(&j->answer, "the dump does not say where objects were allocated; dumps of "
                                   "the agent with heap=all or heap=sites do");
    heapanswer_end(&j->answer);
}

static int answer_join(struct question_asked *asked)
{
    struct join j = {.asked = asked};
    struct pairs classes = {0}, sites = {0};
    if (!asked->rates)
        return E_NOT_FOUND;
    int error = join_classes(&j, &classes);
    if (error == 0)
        error = join_sites(&j, &sites);
    if (error == 0)
        put(&j, &classes, &sites);
    done(&classes);
    done(&sites);
    return error;
}

const struct question question_join = {
    .name = "join",
    .operand = "RECORDING",
    .help = "How fast a recording shows the program to allocate, beside what the heap holds",
    .needs_dominators = true,
    .takes_recording = true,
    .answer = answer_join,
};
