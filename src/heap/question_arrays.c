/*
 * question_arrays.c - arrays of zeros, copies of other arrays, and arrays of references with much
 * null; and the fields that hold them.
 *
 * The arrays of strings are no copies here: the question `strings` has them. An array of zeros is
 * one that was never written, or whose contents were redacted.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include "base/err.h"
#include "heap/heapanswer.h"
#include "heap/arrayhash.h"
#include "heap/graph_parts.h"
#include "heap/holders.h"
#include "heap/objfield.h"
#include "heap/objname.h"
#include "heap/question.h"
#include "heap/samecontent.h"
#include "heap/wastetable.h"

enum { PIECE = 8 * 1024, SPARSE_SHARE = 2 /* less than half of the elements is there */ };

/* The arrays of one class. */
struct row {
    graph_class klass;
    uint64_t count, bytes;
    uint64_t empty, empty_bytes; /* without elements */
    uint64_t zeros, zero_bytes;  /* primitive: with nothing but zeros; of references: only null */
    uint64_t null_bytes;         /* of references: the slots that are null, of sparse arrays */
    uint64_t copies, copy_bytes;
};

struct arrays {
    struct question_asked *asked;
    struct graph *graph;
    graph_class string;
    struct objfield value;
    struct arrayhash hashes;
    struct samecontent same;
    struct holders *holders;
    struct row *rows; /* by class */
    int error;
};

static bool see(void *with, const struct graph_info *object)
{
    struct arrays *s = with;
    struct graph_value value;
    if (object->kind == GRAPH_INSTANCE && object->klass == s->string &&
        objfield_read(s->graph, object, s->value, &value) && value.object != GRAPH_NONE)
        arrayhash_mark(&s->hashes, value.object, ARRAYHASH_OF_STRING);
    uint64_t hash = arrayhash_of(&s->hashes, object->number);
    if (object->kind == GRAPH_PRIMITIVE_ARRAY && hash > ARRAYHASH_ZEROS &&
        graph_is_reachable(s->graph, object->number))
        samecontent_see(&s->same, hash);
    return true;
}

static uint64_t count_nulls(struct arrays *s, const struct graph_info *object)
{
    unsigned id_bytes = graph_facts(s->graph)->layout.id_bytes;
    uint64_t nulls = 0;
    for (uint64_t done = 0; done < object->bytes;) {
        uint64_t left = object->bytes - done;
        size_t piece = left < PIECE ? (size_t)left : PIECE;
        const unsigned char *bytes = graph_value_see(s->graph, object->at + done, piece);
        if (!bytes)
            break;
        for (size_t i = 0; i + id_bytes <= piece; i += id_bytes)
            nulls += be_id(bytes + i, id_bytes) == 0;
        done += piece;
    }
    return nulls;
}

/* What the array wastes; adds it to its row. */
static uint64_t judge_references(struct arrays *s, const struct graph_info *object, struct row *r)
{
    uint64_t nulls = count_nulls(s, object);
    if (nulls == object->count) {
        r->zeros++;
        r->zero_bytes += object->shallow_bytes;
        return object->shallow_bytes;
    }
    if (nulls <= object->count / SPARSE_SHARE)
        return 0;
    r->null_bytes += nulls * graph_facts(s->graph)->layout.ref_bytes;
    return nulls * graph_facts(s->graph)->layout.ref_bytes;
}

static uint64_t judge_numbers(struct arrays *s, const struct graph_info *object, struct row *r)
{
    uint64_t hash = arrayhash_of(&s->hashes, object->number);
    if (arrayhash_has_mark(&s->hashes, object->number, ARRAYHASH_OF_STRING))
        return 0;
    if (hash == ARRAYHASH_ZEROS) {
        r->zeros++;
        r->zero_bytes += object->shallow_bytes;
        return object->shallow_bytes;
    }
    uint64_t before = hash == ARRAYHASH_NONE ? UINT64_MAX
                                             : samecontent_count(&s->same, hash, object->number,
                                                                 object->shallow_bytes, &s->error);
    if (before == UINT64_MAX || before == 0)
        return 0;
    r->copies++;
    r->copy_bytes += object->shallow_bytes;
    return object->shallow_bytes;
}

static bool count(void *with, const struct graph_info *object)
{
    struct arrays *s = with;
    bool is_array = object->kind == GRAPH_OBJECT_ARRAY || object->kind == GRAPH_PRIMITIVE_ARRAY;
    if (!is_array || object->klass >= graph_class_count(s->graph) ||
        !graph_is_reachable(s->graph, object->number))
        return true;
    struct row *r = &s->rows[object->klass];
    uint64_t wasted = 0;
    r->klass = object->klass;
    r->count++;
    r->bytes += object->shallow_bytes;
    if (object->count == 0) {
        r->empty++;
        r->empty_bytes += object->shallow_bytes;
    } else if (object->kind == GRAPH_OBJECT_ARRAY) {
        wasted = judge_references(s, object, r);
    } else {
        wasted = judge_numbers(s, object, r);
    }
    if (wasted > 0 && s->error == 0)
        s->error = holders_add(s->holders, object->number, wasted);
    return s->error == 0;
}

static uint64_t wasted_by(const struct row *r)
{
    return r->zero_bytes + r->null_bytes + r->copy_bytes;
}

static int by_waste(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (wasted_by(x) != wasted_by(y))
        return wasted_by(x) > wasted_by(y) ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return x->klass < y->klass ? -1 : x->klass > y->klass;
}

static void put_classes(struct arrays *s, struct heapanswer *a)
{
    static const struct heapanswer_column columns[] = {
        {"arrays", "arrays", HEAPANSWER_COUNT, 9},   {"bytes", "size", HEAPANSWER_BYTES, 9},
        {"empty", "empty", HEAPANSWER_COUNT, 7},     {"zeros", "zeros", HEAPANSWER_COUNT, 7},
        {"zero_bytes", "take", HEAPANSWER_BYTES, 9}, {"null_bytes", "null", HEAPANSWER_BYTES, 9},
        {"copies", "copies", HEAPANSWER_COUNT, 7},   {"copy_bytes", "take", HEAPANSWER_BYTES, 9},
        {"class", "class", HEAPANSWER_NAME, 0},
    };
    uint32_t classes = graph_class_count(s->graph);
    qsort(s->rows, classes, sizeof(*s->rows), by_waste);
    heapanswer_table(a, "classes", "by class", columns, 9);
    for (uint32_t i = 0; i < classes && i < s->asked->rows && s->rows[i].count > 0; i++) {
        const struct row *r = &s->rows[i];
        heapanswer_number(a, r->count);
        heapanswer_number(a, r->bytes);
        heapanswer_number(a, r->empty);
        heapanswer_number(a, r->zeros);
        heapanswer_number(a, r->zero_bytes);
        heapanswer_number(a, r->null_bytes);
        heapanswer_number(a, r->copies);
        heapanswer_number(a, r->copy_bytes);
        heapanswer_text(a, objname_class(s->graph, r->klass));
    }
    heapanswer_table_end(a, "there are no arrays");
}

static void put_copies(struct arrays *s, struct heapanswer *a)
{
    static const struct heapanswer_column columns[] = {
        {"arrays", "arrays", HEAPANSWER_COUNT, 0},
        {"wasted_bytes", "wasted", HEAPANSWER_BYTES, 0},
        {"each_bytes", "each", HEAPANSWER_BYTES, 0},
        {"first_id", "first one", HEAPANSWER_ID, 0},
        {"class", "class", HEAPANSWER_NAME, 0},
    };
    char name[OBJNAME_ROOM];
    uint64_t rows = samecontent_sort(&s->same);
    heapanswer_table(a, "duplicates", "arrays with the same contents", columns, 5);
    for (uint64_t i = 0; i < rows && i < s->asked->rows; i++) {
        const struct samecontent_row *row = &s->same.rows[i];
        heapanswer_number(a, row->count);
        heapanswer_number(a, samecontent_wasted(row));
        heapanswer_number(a, row->each_bytes);
        heapanswer_number(a, graph_id(s->graph, row->first));
        heapanswer_text(a, objname_of(s->graph, row->first, name));
    }
    heapanswer_table_end(a, "no array is there twice");
}

static void put(struct arrays *s)
{
    struct heapanswer a;
    struct row all = {0};
    for (uint32_t i = 0; i < graph_class_count(s->graph); i++) {
        const struct row *r = &s->rows[i];
        all.count += r->count;
        all.bytes += r->bytes;
        all.zero_bytes += r->zero_bytes;
        all.null_bytes += r->null_bytes;
        all.copy_bytes += r->copy_bytes;
    }
    heapanswer_begin(&a, s->asked, "arrays");
    heapanswer_fact(&a, "arrays", "arrays", HEAPANSWER_COUNT, all.count);
    heapanswer_fact(&a, "bytes", "their size", HEAPANSWER_BYTES, all.bytes);
    heapanswer_fact(&a, "zero_bytes", "arrays with nothing but zeros or null take",
                    HEAPANSWER_BYTES, all.zero_bytes);
    heapanswer_fact(&a, "null_bytes", "null in arrays of which more than half is null",
                    HEAPANSWER_BYTES, all.null_bytes);
    heapanswer_fact(&a, "copy_bytes", "copies of other arrays, without those of strings",
                    HEAPANSWER_BYTES, all.copy_bytes);
    put_classes(s, &a);
    put_copies(s, &a);
    wastetable_put_holders(&a, s->graph, s->holders, s->asked->rows);
    heapanswer_end(&a);
}

static int answer_arrays(struct question_asked *asked)
{
    struct arrays s = {.asked = asked, .graph = asked->graph};
    s.string = graph_class_named(asked->graph, "java.lang.String");
    if (s.string != GRAPH_NO_CLASS)
        s.value = objfield_find(asked->graph, s.string, "value");
    s.holders = holders_new(asked->graph);
    s.rows = calloc((size_t)graph_class_count(asked->graph) + 1, sizeof(*s.rows));
    int error = s.holders && s.rows ? arrayhash_make(&s.hashes, asked->graph) : E_LIMIT;
    if (error == 0)
        error = samecontent_init(&s.same, &asked->graph->room,
                                 graph_facts(asked->graph)->primitive_arrays);
    if (error == 0)
        error = graph_each_object(asked->graph, see, &s);
    if (error == 0)
        error = graph_each_object(asked->graph, count, &s);
    error = error ? error : s.error;
    if (error == 0)
        error = holders_find(s.holders);
    if (error == 0)
        put(&s);
    arrayhash_done(&s.hashes);
    samecontent_done(&s.same);
    holders_free(s.holders);
    free(s.rows);
    return error;
}

const struct question question_arrays = {
    .name = "arrays",
    .help = "Arrays of zeros, sparse arrays, copies of arrays, and the fields that hold them",
    .needs_dominators = true,
    .needs_elements = true,
    .answer = answer_arrays,
};
