/*
 * question_boxes.c - numbers in objects of their own: how many, how many with a value that another
 * one has, and the fields that hold them.
 *
 * A boxed number wastes its whole object where a field of a primitive type would do, and a copy of
 * one wastes its object in any case. Copies are found by class and value.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include "base/err.h"
#include "base/splitmix.h"
#include "heap/heapanswer.h"
#include "heap/graph_parts.h"
#include "heap/holders.h"
#include "heap/objfield.h"
#include "heap/objname.h"
#include "heap/question.h"
#include "heap/samecontent.h"
#include "heap/wastetable.h"

static const char *const names[] = {
    "java.lang.Boolean", "java.lang.Character", "java.lang.Byte",  "java.lang.Short",
    "java.lang.Integer", "java.lang.Long",      "java.lang.Float", "java.lang.Double",
};

enum { CLASSES = sizeof(names) / sizeof(names[0]) };

struct boxes {
    struct question_asked *asked;
    graph_class klass[CLASSES];
    struct objfield value[CLASSES];
    uint64_t count[CLASSES], bytes[CLASSES], copies[CLASSES], copy_bytes[CLASSES];
    struct samecontent same;
    struct holders *holders;
    int error;
};

/* Which class of boxes the object has, and a hash of the class and its value; -1: none. */
static int look(struct boxes *b, const struct graph_info *object, uint64_t *ret_hash)
{
    struct graph_value value;
    for (int i = 0; i < CLASSES && object->kind == GRAPH_INSTANCE; i++) {
        if (object->klass != b->klass[i])
            continue;
        if (!graph_is_reachable(b->asked->graph, object->number) ||
            !objfield_read(b->asked->graph, object, b->value[i], &value))
            return -1;
        *ret_hash = splitmix_mix(splitmix_mix(value.bits) ^ (uint64_t)i);
        return i;
    }
    return -1;
}

static bool see(void *with, const struct graph_info *object)
{
    struct boxes *b = with;
    uint64_t hash;
    int i = look(b, object, &hash);
    if (i < 0)
        return true;
    b->count[i]++;
    b->bytes[i] += object->shallow_bytes;
    samecontent_see(&b->same, hash);
    return true;
}

static bool count(void *with, const struct graph_info *object)
{
    struct boxes *b = with;
    uint64_t hash;
    int i = look(b, object, &hash);
    if (i < 0)
        return true;
    uint64_t before =
        samecontent_count(&b->same, hash, object->number, object->shallow_bytes, &b->error);
    if (before != UINT64_MAX && before > 0) {
        b->copies[i]++;
        b->copy_bytes[i] += object->shallow_bytes;
    }
    int error = holders_add(b->holders, object->number, object->shallow_bytes);
    b->error = b->error ? b->error : error;
    return b->error == 0;
}

static void put_classes(struct boxes *b, struct heapanswer *a)
{
    static const struct heapanswer_column columns[] = {
        {"objects", "objects", HEAPANSWER_COUNT, 0},
        {"bytes", "size", HEAPANSWER_BYTES, 0},
        {"copies", "copies", HEAPANSWER_COUNT, 0},
        {"copy_bytes", "these take", HEAPANSWER_BYTES, 0},
        {"class", "class", HEAPANSWER_NAME, 0},
    };
    heapanswer_table(a, "classes", "by class", columns, 5);
    for (int i = 0; i < CLASSES; i++) {
        if (b->count[i] == 0)
            continue;
        heapanswer_number(a, b->count[i]);
        heapanswer_number(a, b->bytes[i]);
        heapanswer_number(a, b->copies[i]);
        heapanswer_number(a, b->copy_bytes[i]);
        heapanswer_text(a, names[i]);
    }
    heapanswer_table_end(a, "there are no boxed numbers");
}

/* The value of a box as people write it. */
static void put_value(struct boxes *b, struct heapanswer *a, graph_object object)
{
    struct graph_value value;
    char text[OBJNAME_ROOM];
    double real;
    float single;
    if (graph_value_of(b->asked->graph, object, "value", &value) < 0) {
        heapanswer_nothing(a);
        return;
    }
    uint32_t low = (uint32_t)value.bits;
    memcpy(&single, &low, sizeof(single));
    memcpy(&real, &value.bits, sizeof(real));
    if (value.type == GRAPH_TYPE_FLOAT || value.type == GRAPH_TYPE_DOUBLE)
        snprintf(text, sizeof(text), "%.17g",
                 value.type == GRAPH_TYPE_FLOAT ? (double)single : real);
    else
        snprintf(text, sizeof(text), "%" PRId64, (int64_t)value.bits);
    heapanswer_text(a, text);
}

static void put_copies(struct boxes *b, struct heapanswer *a)
{
    static const struct heapanswer_column columns[] = {
        {"objects", "objects", HEAPANSWER_COUNT, 0},
        {"wasted_bytes", "wasted", HEAPANSWER_BYTES, 0},
        {"first_id", "first one", HEAPANSWER_ID, 0},
        {"class", "class", HEAPANSWER_NAME, 20},
        {"value", "value", HEAPANSWER_NAME, 0},
    };
    char name[OBJNAME_ROOM];
    uint64_t rows = samecontent_sort(&b->same);
    heapanswer_table(a, "duplicates", "values that are there most often", columns,
                     b->asked->with_values ? 5 : 4);
    for (uint64_t i = 0; i < rows && i < b->asked->rows; i++) {
        const struct samecontent_row *row = &b->same.rows[i];
        heapanswer_number(a, row->count);
        heapanswer_number(a, samecontent_wasted(row));
        heapanswer_number(a, graph_id(b->asked->graph, row->first));
        heapanswer_text(a, objname_of(b->asked->graph, row->first, name));
        if (b->asked->with_values)
            put_value(b, a, row->first);
    }
    heapanswer_table_end(a, "no value is there twice");
}

static void put(struct boxes *b)
{
    struct heapanswer a;
    uint64_t count_all = 0, bytes = 0, copies = 0, copy_bytes = 0;
    for (int i = 0; i < CLASSES; i++) {
        count_all += b->count[i];
        bytes += b->bytes[i];
        copies += b->copies[i];
        copy_bytes += b->copy_bytes[i];
    }
    heapanswer_begin(&a, b->asked, "boxes");
    heapanswer_fact(&a, "objects", "boxed numbers", HEAPANSWER_COUNT, count_all);
    heapanswer_fact(&a, "bytes", "their size", HEAPANSWER_BYTES, bytes);
    heapanswer_fact(&a, "copies", "copies of other ones", HEAPANSWER_COUNT, copies);
    heapanswer_fact(&a, "copy_bytes", "what the copies take", HEAPANSWER_BYTES, copy_bytes);
    put_classes(b, &a);
    put_copies(b, &a);
    wastetable_put_holders(&a, b->asked->graph, b->holders, b->asked->rows);
    heapanswer_end(&a);
}

static int answer_boxes(struct question_asked *asked)
{
    struct boxes b = {.asked = asked, .holders = holders_new(asked->graph)};
    for (int i = 0; i < CLASSES; i++) {
        b.klass[i] = graph_class_named(asked->graph, names[i]);
        b.value[i] = objfield_find(asked->graph, b.klass[i], "value");
    }
    int error = b.holders ? 0 : E_LIMIT;
    if (error == 0)
        error = samecontent_init(&b.same, &asked->graph->room,
                                 graph_facts(asked->graph)->instances / 8);
    if (error == 0)
        error = graph_each_object(asked->graph, see, &b);
    if (error == 0)
        error = graph_each_object(asked->graph, count, &b);
    error = error ? error : b.error;
    if (error == 0)
        error = holders_find(b.holders);
    if (error == 0)
        put(&b);
    samecontent_done(&b.same);
    holders_free(b.holders);
    return error;
}

const struct question question_boxes = {
    .name = "boxes",
    .help = "Numbers in objects of their own, copies of them, and the fields that hold them",
    .needs_dominators = true,
    .answer = answer_boxes,
};
