/*
 * query_heap.c - see query_heap.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_heap.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/diag.h"
#include "base/err.h"
#include "heap/heapspool.h"
#include "heap/objname.h"
#include "query/query_core.h"
#include "query/query_limit.h"
#include "query/query_state.h"

enum { STEPS_MAX = 64, OBJECTS_BETWEEN = 1 << 14 };

/* ---- graphs */

static int open_dump(struct query *q, const struct query_input *in, uint64_t memory)
{
    struct query_heap *h = q->heap;
    char why[GRAPH_WHY];
    bool is_spooled = in->is_spooled;
    const struct graph_options options = {.memory_bytes = memory,
                                          .tmp = is_spooled ? heapspool_folder(q->options.tmp)
                                                            : q->options.tmp,
                                          .skips_index = is_spooled,
                                          .diag = q->options.diag};
    struct query_heap_dump *d = &h->dumps[h->count];
    int error = graph_open(is_spooled ? in->path : in->word, &options, &d->graph, why);
    if (error == E_FORMAT || error == E_NOT_FOUND) /* a profile without a heap dump */
        return 0;
    if (error < 0) {
        diag_tell(q->options.diag, error, in->word, "%s", why);
        return error;
    }
    const struct graph_damage *damage = &graph_facts(d->graph)->damage;
    if (damage->is_cut || damage->unknown_records > 0) {
        diag_tell(q->options.diag, E_TRUNCATED, in->word,
                  "the dump is damaged; answers are of what is whole in it");
        q->is_damaged = true;
    }
    d->input = in->number;
    h->count++;
    return 0;
}

size_t query_heap_inputs(const struct query *q)
{
    size_t count = 0;
    for (size_t i = 0; i < q->input_count; i++)
        count += q->inputs[i].is_heap;
    return count;
}

int query_heap_read(struct query *q)
{
    size_t count = query_heap_inputs(q);
    int error = 0;
    if (q->heap->is_open)
        return 0;
    q->heap->dumps = calloc(count + 1, sizeof(*q->heap->dumps));
    if (!q->heap->dumps)
        return -ENOMEM;
    q->heap->is_open = true;
    for (size_t i = 0; i < q->input_count && error == 0; i++)
        if (q->inputs[i].is_heap) {
            error = q->inputs[i].is_core ? query_core_take(q, &q->inputs[i]) : 0;
            if (error == 0)
                error = open_dump(q, &q->inputs[i], q->options.memory_bytes / count);
        }
    return error;
}

int query_heap_dominate(struct query *q, struct query_heap_dump *dump)
{
    char why[GRAPH_WHY];
    if (dump->is_dominated)
        return 0;
    int error = graph_dominate(dump->graph, why);
    if (error < 0)
        diag_tell(q->options.diag, error, q->inputs[dump->input - 1].word, "%s", why);
    dump->is_dominated = error == 0;
    return error;
}

static size_t rows_bytes(const struct query_heap_dump *dump)
{
    return (size_t)(graph_count(dump->graph) + 1) * sizeof(*dump->rows);
}

void query_heap_check(struct query *q)
{
    for (size_t i = 0; i < q->heap->count; i++) {
        const struct query_heap_dump *d = &q->heap->dumps[i];
        if (graph_error(d->graph) == 0)
            continue;
        diag_tell(q->options.diag, graph_error(d->graph), q->inputs[d->input - 1].word, "%s",
                  graph_error_why(d->graph));
        q->is_damaged = true;
    }
}

void query_heap_close(struct query_heap *heap)
{
    for (size_t i = 0; heap && i < heap->count; i++) {
        if (heap->dumps[i].rows)
            munmap(heap->dumps[i].rows, rows_bytes(&heap->dumps[i]));
        graph_close(heap->dumps[i].graph);
    }
    if (heap)
        free(heap->dumps);
}

/* ---- rows */

struct listing {
    struct query *query;
    struct query_heap_row *rows;
    uint64_t seen;
    bool is_over;
};

static bool take_object(void *with, const struct graph_info *o)
{
    struct listing *l = with;
    l->rows[o->number] = (struct query_heap_row){
        .at = o->at,
        .kind = (uint64_t)o->kind,
        .element_type = (uint64_t)o->element_type,
        .bytes = o->bytes,
        .shallow_bytes = o->shallow_bytes,
        .klass = o->klass,
        .count = o->kind == GRAPH_CLASS ? o->self : (uint32_t)o->count,
    };
    l->is_over = ++l->seen % OBJECTS_BETWEEN == 0 && query_limit_is_over(l->query);
    return !l->is_over;
}

/* Memory in a file without a name. */
static void *map_rows(const char *tmp, size_t bytes)
{
    int fd = heapspool_open(heapspool_folder(tmp));
    void *at = MAP_FAILED;
    if (fd >= 0 && posix_fallocate(fd, 0, (off_t)bytes) == 0)
        at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    return at == MAP_FAILED ? NULL : at;
}

int query_heap_list(struct query *q, struct query_heap_dump *dump)
{
    if (dump->rows)
        return 0;
    struct listing l = {.query = q, .rows = map_rows(q->options.tmp, rows_bytes(dump))};
    if (!l.rows) {
        diag_tell(q->options.diag, -ENOSPC, q->inputs[dump->input - 1].word,
                  "no room for %zu bytes of temporary files; name another folder by --tmp",
                  rows_bytes(dump));
        return -ENOSPC;
    }
    int error = graph_each_object(dump->graph, take_object, &l);
    if (error == 0 && l.is_over)
        error = -EINTR;
    if (error == 0)
        dump->rows = l.rows;
    else
        munmap(l.rows, rows_bytes(dump));
    return error;
}

struct graph_info query_heap_info(const struct query_heap_dump *dump, graph_object object)
{
    const struct query_heap_row *row = &dump->rows[object];
    bool is_class = row->kind == GRAPH_CLASS;
    return (struct graph_info){.number = object,
                               .id = graph_id(dump->graph, object),
                               .kind = (enum graph_kind)row->kind,
                               .klass = row->klass,
                               .self = is_class ? row->count : GRAPH_NO_CLASS,
                               .element_type = (enum graph_type)row->element_type,
                               .count = is_class ? 0 : row->count,
                               .shallow_bytes = row->shallow_bytes,
                               .at = row->at,
                               .bytes = row->bytes};
}

/* ---- functions */

/* The first dump that has an object with this id. */
static struct query_heap_dump *find(struct query *q, sqlite3_value *id, graph_object *ret_object)
{
    if (sqlite3_value_type(id) != SQLITE_INTEGER || query_heap_read(q) < 0)
        return NULL;
    for (size_t i = 0; i < q->heap->count; i++) {
        *ret_object = graph_find(q->heap->dumps[i].graph, (uint64_t)sqlite3_value_int64(id));
        if (*ret_object != GRAPH_NONE)
            return &q->heap->dumps[i];
    }
    return NULL;
}

static void do_retained(sqlite3_context *to, int argc, sqlite3_value **argv)
{
    struct query *q = sqlite3_user_data(to);
    graph_object object;
    struct query_heap_dump *d = find(q, argv[0], &object);
    (void)argc;
    if (d && query_heap_dominate(q, d) == 0)
        sqlite3_result_int64(to, (sqlite3_int64)graph_retained(d->graph, object));
}

struct path {
    struct graph *graph;
    sqlite3_str *text;
    unsigned steps;
};

static bool take_edge(void *with, const struct graph_edge *edge)
{
    struct path *p = with;
    char name[OBJNAME_ROOM];
    if (p->steps++ == 0)
        sqlite3_str_appendall(p->text, objname_of(p->graph, edge->from, name));
    if (p->steps > STEPS_MAX) {
        sqlite3_str_appendall(p->text, " ...");
        return false;
    }
    sqlite3_str_appendf(p->text, " -(%s)->", objname_edge(p->graph, edge, name));
    sqlite3_str_appendf(p->text, " %s", objname_of(p->graph, edge->to, name));
    return true;
}

static void do_path(sqlite3_context *to, int argc, sqlite3_value **argv)
{
    struct query *q = sqlite3_user_data(to);
    graph_object object;
    char name[OBJNAME_ROOM];
    struct query_heap_dump *d = find(q, argv[0], &object);
    (void)argc;
    if (!d || query_heap_dominate(q, d) < 0 || !graph_is_reachable(d->graph, object))
        return;
    struct path p = {.graph = d->graph, .text = sqlite3_str_new(sqlite3_context_db_handle(to))};
    int error = graph_path(d->graph, object, take_edge, &p);
    if (error == 0 && p.steps == 0)
        sqlite3_str_appendall(p.text, objname_of(d->graph, object, name));
    char *text = sqlite3_str_finish(p.text);
    if (error == 0 && text)
        sqlite3_result_text(to, text, -1, sqlite3_free);
    else
        sqlite3_free(text);
}

int query_heap_open(struct query *q)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
    q->heap = arena_alloc(&q->arena, sizeof(*q->heap));
    if (!q->heap ||
        sqlite3_create_function_v2(q->db, "retained", 1, flags, q, do_retained, NULL, NULL, NULL) !=
            SQLITE_OK ||
        sqlite3_create_function_v2(q->db, "path", 1, flags, q, do_path, NULL, NULL, NULL) !=
            SQLITE_OK)
        return -ENOMEM;
    return query_heap_tables_open(q);
}
