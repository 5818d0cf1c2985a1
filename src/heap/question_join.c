/*
 * question_join.c - `join RECORDING`: how fast the program allocated, beside what the heap holds,
 * by class and by site.
 *
 * What is allocated fast and is not held is garbage. What is held divided by the rate is the time
 * in which the program allocates as much again: of what leaks that time is as long as the leak is
 * old.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "heap/allocrates.h"
#include "heap/heapanswer.h"
#include "heap/heapsites.h"
#include "heap/objname.h"
#include "heap/question.h"

/* A class or site of the recording, the heap, or both. */
struct pair {
    const char *name;
    uint64_t bytes, allocated;           /* that were allocated, and how many objects */
    uint64_t objects, shallow, retained; /* that the heap holds */
};

struct pairs {
    struct pair *rows;
    uint32_t count;
};

struct join {
    struct question_asked *asked;
    struct heapanswer answer;
    bool has_sites; /* the dump tells of sites */
};

static int by_rate(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    if (x->retained != y->retained)
        return x->retained > y->retained ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Adds what only the recording has, and sorts. */
static void end_pairs(struct pairs *p, const struct allocrates_rows *rates)
{
    for (uint32_t i = 0; i < rates->count; i++) {
        const struct allocrates_row *r = &rates->rows[i];
        if (!r->is_met)
            p->rows[p->count++] =
                (struct pair){.name = r->name, .bytes = r->bytes, .allocated = r->objects};
    }
    if (p->count > 0)
        qsort(p->rows, p->count, sizeof(*p->rows), by_rate);
}

/* The rate of a name, of which the heap may have several rows: only the first one gets it. */
static void take_rate(const struct allocrates_rows *rates, struct pair *pair)
{
    struct allocrates_row *r = allocrates_find(rates, pair->name);
    if (!r || r->is_met)
        return;
    r->is_met = true;
    pair->bytes = r->bytes;
    pair->allocated = r->objects;
}

static int by_name(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* Makes one of the rows with the same name, classes of several loaders for example. */
static void merge(struct pairs *p)
{
    uint32_t kept = 0;
    if (p->count > 0)
        qsort(p->rows, p->count, sizeof(*p->rows), by_name);
    for (uint32_t i = 0; i < p->count; i++) {
        struct pair *last = kept > 0 ? &p->rows[kept - 1] : NULL, *row = &p->rows[i];
        if (!last || strcmp(last->name, row->name) != 0) {
            p->rows[kept++] = *row;
            continue;
        }
        last->objects += row->objects;
        last->shallow += row->shallow;
        last->retained += row->retained;
    }
    p->count = kept;
}

static int join_classes(struct join *j, struct pairs *ret)
{
    struct graph *g = j->asked->graph;
    graph_class count = graph_class_count(g);
    const struct allocrates_rows *rates = &j->asked->rates->classes;
    struct graph_histo *rows = calloc((size_t)count + 1, sizeof(*rows));
    ret->rows = calloc((size_t)count + rates->count + 1, sizeof(*ret->rows));
    int error = rows && ret->rows ? graph_histo(g, rows) : E_LIMIT;
    for (graph_class k = 0; error == 0 && k < count; k++)
        if (rows[k].objects > rows[k].lost)
            ret->rows[ret->count++] =
                (struct pair){.name = objname_class(g, k),
                              .objects = rows[k].objects - rows[k].lost,
                              .shallow = rows[k].shallow_bytes - rows[k].lost_bytes,
                              .retained = rows[k].retained_bytes};
    merge(ret);
    for (uint32_t i = 0; i < ret->count; i++)
        take_rate(rates, &ret->rows[i]);
    if (error == 0)
        end_pairs(ret, rates);
    free(rows);
    return error;
}

static bool add_frame(void *with, uint32_t depth, const struct graph_frame *frame)
{
    return allocrates_add_frame(with, depth, frame->class_name, frame->method);
}

/* `names` gets the names of the sites, which the caller frees. */
static int join_sites(struct join *j, struct pairs *ret, struct allocrates_rows *names)
{
    struct graph *g = j->asked->graph;
    const struct allocrates_rows *rates = &j->asked->rates->sites;
    struct heapsites sites;
    int error = heapsites_make(g, &sites);
    j->has_sites = error == 0 && sites.count > 0;
    ret->rows = calloc((size_t)sites.count + rates->count + 1, sizeof(*ret->rows));
    if (!ret->rows)
        error = E_LIMIT;
    for (uint32_t i = 0; error == 0 && i < sites.count; i++) {
        const struct heapsites_row *site = &sites.rows[i];
        char name[ALLOCRATES_SITE_ROOM] = "";
        error = graph_each_frame(g, site->trace, add_frame, name);
        if (error == 0)
            error = allocrates_add(names, name, 0, 0);
        if (error == 0)
            ret->rows[ret->count++] = (struct pair){.name = names->rows[i].name,
                                                    .objects = site->objects,
                                                    .shallow = site->bytes,
                                                    .retained = site->retained};
    }
    heapsites_done(&sites);
    merge(ret);
    for (uint32_t i = 0; i < ret->count; i++)
        take_rate(rates, &ret->rows[i]);
    if (error == 0)
        end_pairs(ret, rates);
    return error;
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
    for (uint32_t i = 0; i < p->count && i < j->asked->rows; i++) {
        const struct pair *row = &p->rows[i];
        double rate = seconds > 0 ? (double)row->bytes / seconds : 0;
        if (seconds > 0)
            heapanswer_number(a, (uint64_t)rate);
        else
            heapanswer_nothing(a);
        heapanswer_number(a, row->bytes);
        heapanswer_number(a, row->allocated);
        if (has_held) {
            heapanswer_number(a, row->objects);
            heapanswer_number(a, row->shallow);
            heapanswer_number(a, row->retained);
        } else {
            heapanswer_nothing(a);
            heapanswer_nothing(a);
            heapanswer_nothing(a);
        }
        if (rate > 0 && row->shallow > 0)
            heapanswer_number(a, (uint64_t)((double)row->shallow / rate));
        else
            heapanswer_nothing(a);
        heapanswer_text(a, row->name);
    }
    heapanswer_table_end(a, "none");
}

static void free_names(struct allocrates_rows *names)
{
    for (uint32_t i = 0; i < names->count; i++)
        free(names->rows[i].name);
    free(names->rows);
}

static void put(struct join *j, const struct pairs *classes, const struct pairs *sites)
{
    const struct allocrates *rates = j->asked->rates;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < rates->classes.count; i++)
        bytes += rates->classes.rows[i].bytes;
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
    struct allocrates_rows names = {0};
    if (!asked->rates)
        return E_NOT_FOUND;
    int error = join_classes(&j, &classes);
    if (error == 0)
        error = join_sites(&j, &sites, &names);
    if (error == 0)
        put(&j, &classes, &sites);
    free(classes.rows);
    free(sites.rows);
    free_names(&names);
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
