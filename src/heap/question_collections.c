/*
 * question_collections.c - collections of java.util that are empty or sparse, or whose hashes
 * collide, and the fields that hold them.
 *
 * An empty collection wastes itself and its array. Of the others the slots of the array that are
 * not used count. With a good hash, n entries in m buckets leave m * (1 - (1 - 1/m)^n) buckets in
 * use; entries beyond that many share a bucket although they need not.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdlib.h>
#include "base/err.h"
#include "heap/heapanswer.h"
#include "heap/collect.h"
#include "heap/holders.h"
#include "heap/objname.h"
#include "heap/question.h"
#include "heap/wastetable.h"

enum {
    SPARSE_SHARE = 4,   /* less than a quarter of the slots is used */
    COLLIDE_LEAST = 16, /* maps with fewer entries are not judged */
};

/* The collections of one class. */
struct row {
    graph_class klass;
    uint64_t count, bytes, elements;
    uint64_t empty, empty_bytes;
    uint64_t sparse, unused_bytes; /* sparse ones; unused slots of all that are not empty */
};

/* A map whose entries share buckets more than they need. */
struct colliding {
    graph_object object;
    uint64_t size, used, expected;
};

enum { COLLIDING_MAX = 1000 };

struct collections {
    struct question_asked *asked;
    struct collect *collect;
    struct holders *holders;
    struct row *rows; /* by class; count 0: none */
    struct colliding colliding[COLLIDING_MAX];
    uint32_t colliding_kept;
    uint64_t colliding_count;
    struct row all;
    int error;
};

static uint64_t unused_bytes(const struct collect_facts *f)
{
    uint64_t used = f->shape == COLLECT_FIXED ? f->capacity : f->used;
    return f->capacity > used ? (f->capacity - used) * f->slot_bytes : 0;
}

static void add(struct row *r, const struct collect_facts *f)
{
    r->count++;
    r->bytes += f->bytes;
    r->elements += f->size;
    if (f->size == 0) {
        r->empty++;
        r->empty_bytes += f->bytes;
        return;
    }
    r->sparse +=
        f->capacity > 0 && f->shape != COLLECT_FIXED && f->used < f->capacity / SPARSE_SHARE;
    r->unused_bytes += unused_bytes(f);
}

static uint64_t excess(const struct colliding *c)
{
    return c->expected - c->used;
}

static void judge_hashes(struct collections *s, graph_object object, const struct collect_facts *f)
{
    if (f->shape != COLLECT_BUCKETS || f->size < COLLIDE_LEAST || f->capacity == 0)
        return;
    double buckets = (double)f->capacity;
    double expected = buckets * (1 - exp((double)f->size * log1p(-1 / buckets)));
    struct colliding c = {object, f->size, f->used, (uint64_t)expected};
    if (f->capacity == 1 || f->used >= c.expected / 2)
        return;
    s->colliding_count++;
    if (s->colliding_kept < COLLIDING_MAX) {
        s->colliding[s->colliding_kept++] = c;
        return;
    }
    uint32_t least = 0;
    for (uint32_t i = 1; i < COLLIDING_MAX; i++)
        if (excess(&s->colliding[i]) < excess(&s->colliding[least]))
            least = i;
    if (excess(&c) > excess(&s->colliding[least]))
        s->colliding[least] = c;
}

static bool visit(void *with, const struct graph_info *object)
{
    struct collections *s = with;
    struct collect_facts f;
    graph_object inner;
    int error = 0;
    if (object->kind != GRAPH_INSTANCE || !graph_is_reachable(s->asked->graph, object->number))
        return true;
    if (collect_wraps(s->collect, object, &inner) && inner != GRAPH_NONE)
        error = holders_add_wrapper(s->holders, object->number, inner);
    if (error == 0 && collect_look(s->collect, object, &f)) {
        uint64_t wasted = f.size == 0 ? f.bytes : unused_bytes(&f);
        s->rows[object->klass].klass = object->klass;
        add(&s->rows[object->klass], &f);
        add(&s->all, &f);
        judge_hashes(s, object->number, &f);
        if (wasted > 0)
            error = holders_add(s->holders, object->number, wasted);
    }
    s->error = error;
    return error == 0;
}

static int by_waste(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    uint64_t p = x->empty_bytes + x->unused_bytes, q = y->empty_bytes + y->unused_bytes;
    if (p != q)
        return p > q ? -1 : 1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->klass < y->klass ? -1 : x->klass > y->klass;
}

static int by_excess(const void *a, const void *b)
{
    const struct colliding *x = a, *y = b;
    if (excess(x) != excess(y))
        return excess(x) > excess(y) ? -1 : 1;
    return x->object < y->object ? -1 : x->object > y->object;
}

static void put_classes(struct collections *s, struct heapanswer *a)
{
    static const struct heapanswer_column columns[] = {
        {"collections", "all", HEAPANSWER_COUNT, 0},
        {"empty", "empty", HEAPANSWER_COUNT, 0},
        {"empty_bytes", "these take", HEAPANSWER_BYTES, 0},
        {"sparse", "sparse", HEAPANSWER_COUNT, 0},
        {"unused_bytes", "unused", HEAPANSWER_BYTES, 0},
        {"elements", "elements", HEAPANSWER_COUNT, 0},
        {"class", "class", HEAPANSWER_NAME, 0},
    };
    uint32_t count = graph_class_count(s->asked->graph);
    qsort(s->rows, count, sizeof(*s->rows), by_waste);
    heapanswer_table(a, "classes", "by class", columns, 7);
    for (uint32_t i = 0; i < count && i < s->asked->rows && s->rows[i].count > 0; i++) {
        heapanswer_number(a, s->rows[i].count);
        heapanswer_number(a, s->rows[i].empty);
        heapanswer_number(a, s->rows[i].empty_bytes);
        heapanswer_number(a, s->rows[i].sparse);
        heapanswer_number(a, s->rows[i].unused_bytes);
        heapanswer_number(a, s->rows[i].elements);
        heapanswer_text(a, objname_class(s->asked->graph, s->rows[i].klass));
    }
    heapanswer_table_end(a, "there are no collections");
}

static void put_colliding(struct collections *s, struct heapanswer *a)
{
    static const struct heapanswer_column columns[] = {
        {"entries", "entries", HEAPANSWER_COUNT, 0},
        {"used_buckets", "buckets", HEAPANSWER_COUNT, 0},
        {"expected_buckets", "expected", HEAPANSWER_COUNT, 0},
        {"id", "id", HEAPANSWER_ID, 0},
        {"class", "class", HEAPANSWER_NAME, 0},
    };
    char name[OBJNAME_ROOM];
    if (s->colliding_kept == 0 && a->form != HEAPANSWER_JSON)
        return;
    qsort(s->colliding, s->colliding_kept, sizeof(s->colliding[0]), by_excess);
    heapanswer_table(a, "colliding", "maps whose entries share buckets more than they need",
                     columns, 5);
    for (uint32_t i = 0; i < s->colliding_kept && i < s->asked->rows; i++) {
        heapanswer_number(a, s->colliding[i].size);
        heapanswer_number(a, s->colliding[i].used);
        heapanswer_number(a, s->colliding[i].expected);
        heapanswer_number(a, graph_id(s->asked->graph, s->colliding[i].object));
        heapanswer_text(a, objname_of(s->asked->graph, s->colliding[i].object, name));
    }
    heapanswer_table_end(a, NULL);
}

static void put(struct collections *s)
{
    struct heapanswer a;
    heapanswer_begin(&a, s->asked, "collections");
    heapanswer_fact(&a, "collections", "collections", HEAPANSWER_COUNT, s->all.count);
    heapanswer_fact(&a, "bytes", "their size, with their arrays", HEAPANSWER_BYTES, s->all.bytes);
    heapanswer_fact(&a, "empty", "empty ones", HEAPANSWER_COUNT, s->all.empty);
    heapanswer_fact(&a, "empty_bytes", "what these take", HEAPANSWER_BYTES, s->all.empty_bytes);
    heapanswer_fact(&a, "unused_bytes", "unused slots in the others", HEAPANSWER_BYTES,
                    s->all.unused_bytes);
    heapanswer_fact(&a, "colliding_maps", "maps with colliding hashes", HEAPANSWER_COUNT,
                    s->colliding_count);
    put_classes(s, &a);
    put_colliding(s, &a);
    wastetable_put_holders(&a, s->asked->graph, s->holders, s->asked->rows);
    heapanswer_end(&a);
}

static int answer_collections(struct question_asked *asked)
{
    struct collections *s = calloc(1, sizeof(*s));
    if (!s)
        return E_LIMIT;
    s->asked = asked;
    s->collect = collect_new(asked->graph);
    s->holders = holders_new(asked->graph);
    s->rows = calloc((size_t)graph_class_count(asked->graph) + 1, sizeof(*s->rows));
    int error = s->collect && s->holders && s->rows ? 0 : E_LIMIT;
    if (error == 0)
        error = graph_each_object(asked->graph, visit, s);
    error = error ? error : s->error;
    if (error == 0)
        error = holders_find(s->holders);
    if (error == 0)
        put(s);
    collect_free(s->collect);
    holders_free(s->holders);
    free(s->rows);
    free(s);
    return error;
}

const struct question question_collections = {
    .name = "collections",
    .help = "Collections that are empty or sparse, or whose hashes collide",
    .needs_dominators = true,
    .answer = answer_collections,
};
