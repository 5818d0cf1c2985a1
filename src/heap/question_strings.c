/*
 * question_strings.c - strings that are there several times, and who holds the copies.
 *
 * The contents of strings are compared by hashes (samecontent.h) and not shown unless the user asks
 * for values. A copy wastes its String, and its array if no other String has the array.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include "base/err.h"
#include "base/splitmix.h"
#include "heap/heapanswer.h"
#include "heap/arrayhash.h"
#include "heap/graph_parts.h"
#include "heap/holders.h"
#include "heap/objfield.h"
#include "heap/question.h"
#include "heap/samecontent.h"
#include "heap/wastetable.h"

enum { TEXT_SHOWN = 100 };

struct strings {
    struct question_asked *asked;
    struct graph *graph;
    graph_class string;
    struct objfield value, coder;
    struct arrayhash arrays;
    struct samecontent same;
    struct holders *holders;
    uint64_t count, bytes;   /* of all strings, with their arrays */
    uint64_t copies, wasted; /* strings that could be another one */
    uint64_t zeros;          /* strings of NULs: of a redacted dump */
    int error;
};

/* What a String has. Returns false if the object is none that can be read. */
static bool look(struct strings *s, const struct graph_info *object, graph_object *ret_array,
                 uint64_t *ret_hash)
{
    struct graph_value array, coder;
    if (object->klass != s->string || object->kind != GRAPH_INSTANCE ||
        !graph_is_reachable(s->graph, object->number) ||
        !objfield_read(s->graph, object, s->value, &array) || array.object == GRAPH_NONE)
        return false;
    objfield_read(s->graph, object, s->coder, &coder);
    *ret_array = array.object;
    *ret_hash = arrayhash_of(&s->arrays, array.object);
    if (*ret_hash > ARRAYHASH_ZEROS)
        *ret_hash = splitmix_mix(*ret_hash ^ (coder.bits << 1));
    return true;
}

static bool see(void *with, const struct graph_info *object)
{
    struct strings *s = with;
    graph_object array;
    uint64_t hash;
    if (!look(s, object, &array, &hash))
        return true;
    s->count++;
    s->bytes += object->shallow_bytes;
    s->zeros += hash == ARRAYHASH_ZEROS;
    arrayhash_mark(&s->arrays, array, ARRAYHASH_OF_STRING);
    if (hash > ARRAYHASH_ZEROS)
        samecontent_see(&s->same, hash);
    return true;
}

static bool count(void *with, const struct graph_info *object)
{
    struct strings *s = with;
    graph_object array;
    uint64_t hash;
    if (object->kind == GRAPH_PRIMITIVE_ARRAY &&
        arrayhash_has_mark(&s->arrays, object->number, ARRAYHASH_OF_STRING))
        s->bytes += object->shallow_bytes;
    if (!look(s, object, &array, &hash) || hash <= ARRAYHASH_ZEROS ||
        !samecontent_may_repeat(&s->same, hash))
        return true;
    uint64_t bytes = object->shallow_bytes;
    struct graph_info array_info;
    if (!arrayhash_mark(&s->arrays, array, ARRAYHASH_COUNTED) &&
        graph_look(s->graph, array, &array_info) == 0)
        bytes += array_info.shallow_bytes;
    uint64_t before = samecontent_count(&s->same, hash, object->number, bytes, &s->error);
    if (before > 0 && before != UINT64_MAX) {
        s->copies++;
        s->wasted += bytes;
        int error = holders_add(s->holders, object->number, bytes);
        s->error = s->error ? s->error : error;
    }
    return s->error == 0;
}

static int find(struct strings *s)
{
    int error = arrayhash_make(&s->arrays, s->graph);
    if (error == 0)
        error = samecontent_init(&s->same, &s->graph->room, graph_facts(s->graph)->instances / 4);
    if (error == 0)
        error = graph_each_object(s->graph, see, s);
    if (error == 0)
        error = graph_each_object(s->graph, count, s);
    error = error ? error : s->error;
    return error ? error : holders_find(s->holders);
}

static void put_rows(struct strings *s, struct heapanswer *a)
{
    static const struct heapanswer_column columns[] = {
        {"strings", "strings", HEAPANSWER_COUNT, 0},
        {"wasted_bytes", "wasted", HEAPANSWER_BYTES, 0},
        {"characters", "characters", HEAPANSWER_COUNT, 0},
        {"first_id", "first one", HEAPANSWER_ID, 0},
        {"text", "text", HEAPANSWER_NAME, 0},
    };
    char text[TEXT_SHOWN];
    uint64_t rows = samecontent_sort(&s->same), chars;
    heapanswer_table(a, "duplicates", "what is there most often, by what it wastes", columns,
                     s->asked->with_values ? 5 : 4);
    for (uint64_t i = 0; i < rows && i < s->asked->rows; i++) {
        const struct samecontent_row *row = &s->same.rows[i];
        if (graph_text(s->graph, row->first, text, sizeof(text), &chars) < 0)
            text[0] = '\0', chars = 0;
        heapanswer_number(a, row->count);
        heapanswer_number(a, samecontent_wasted(row));
        heapanswer_number(a, chars);
        heapanswer_number(a, graph_id(s->graph, row->first));
        if (s->asked->with_values)
            heapanswer_text(a, text);
    }
    heapanswer_table_end(a, "no text is there twice");
}

static void put(struct strings *s)
{
    struct heapanswer a;
    heapanswer_begin(&a, s->asked, "strings");
    heapanswer_fact(&a, "strings", "strings", HEAPANSWER_COUNT, s->count);
    heapanswer_fact(&a, "bytes", "their size, with their arrays", HEAPANSWER_BYTES, s->bytes);
    heapanswer_fact(&a, "copies", "copies of other strings", HEAPANSWER_COUNT, s->copies);
    heapanswer_fact(&a, "wasted_bytes", "what the copies take", HEAPANSWER_BYTES, s->wasted);
    heapanswer_fact(&a, "strings_of_zeros", NULL, HEAPANSWER_COUNT, s->zeros);
    if (s->zeros > 0 && s->zeros > s->count / 2)
        heapanswer_say(&a,
                       "%" PRIu64
                       " strings have nothing but zeros: the dump was redacted, and their "
                       "texts cannot be compared",
                       s->zeros);
    put_rows(s, &a);
    wastetable_put_holders(&a, s->graph, s->holders, s->asked->rows);
    heapanswer_end(&a);
}

static int answer_strings(struct question_asked *asked)
{
    struct strings s = {.asked = asked, .graph = asked->graph};
    s.string = graph_class_named(asked->graph, "java.lang.String");
    if (s.string == GRAPH_NO_CLASS) {
        asked->why = "the dump has no class java.lang.String";
        return E_NOT_FOUND;
    }
    s.value = objfield_find(s.graph, s.string, "value");
    s.coder = objfield_find(s.graph, s.string, "coder");
    s.holders = holders_new(asked->graph);
    int error = s.holders ? find(&s) : E_LIMIT;
    if (error == 0)
        put(&s);
    arrayhash_done(&s.arrays);
    samecontent_done(&s.same);
    holders_free(s.holders);
    return error;
}

const struct question question_strings = {
    .name = "strings",
    .help = "Strings that are there several times, and the fields that hold the copies",
    .needs_dominators = true,
    .needs_elements = true,
    .answer = answer_strings,
};
