/*
 * question_threads.c - what each thread holds: its stack, the objects in its frames, and its thread
 * locals.
 *
 * What a thread retains is what its Thread object dominates: its locals, and what it alone refers
 * to. Dumps of JDK 22 and later have the stacks of virtual threads, mounted or not; of other
 * virtual threads the object tells state, carrier and thread locals. Source:
 * java.base/java/lang/VirtualThread.java of JDK 21 to 28. SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/err.h"
#include "heap/heapanswer.h"
#include "heap/heaviest.h"
#include "heap/objname.h"
#include "heap/question.h"

enum {
    FRAMES_SHOWN = 40, /* of a stack, in text */
    LOCALS_MAX = 10000,
    ENTRIES_MAX = 1 << 20, /* slots of a ThreadLocalMap that are looked at */
    LOCALS_SHOWN = 10,
};

/* An object that a thread holds. */
struct held {
    graph_object object, key; /* key: the ThreadLocal; GRAPH_NONE: cleared, or a local */
    uint32_t frame;           /* UINT32_MAX: none */
    uint64_t retained;
};

struct helds {
    struct held rows[LOCALS_MAX];
    uint32_t count;
    uint64_t seen; /* also those that did not fit */
};

struct threads {
    struct question_asked *asked;
    struct heapanswer answer;
    struct helds locals, thread_locals;
    graph_class virtual_thread;
    uint64_t virtual_threads, virtual_bytes, mounted;
    struct heaviest without_stack; /* virtual threads of which the dump has no stack */
};

static void add(struct threads *t, struct helds *h, struct held row)
{
    h->seen++;
    row.retained = graph_retained(t->asked->graph, row.object);
    if (h->count < LOCALS_MAX)
        h->rows[h->count++] = row;
}

static bool take_local(void *with, const struct graph_edge *edge)
{
    struct threads *t = with;
    if (edge->kind == GRAPH_EDGE_LOCAL && edge->to != edge->from)
        add(t, &t->locals, (struct held){edge->to, GRAPH_NONE, (uint32_t)edge->index, 0});
    return true;
}

/* Takes the entries of a ThreadLocalMap, which a field of the thread refers to. */
static void take_map(struct threads *t, graph_object thread, const char *field)
{
    struct graph *g = t->asked->graph;
    struct graph_value map, table, entry, value, key;
    struct graph_info info;
    if (graph_value_of(g, thread, field, &map) < 0 || map.object == GRAPH_NONE ||
        graph_value_of(g, map.object, "table", &table) < 0 || table.object == GRAPH_NONE ||
        graph_look(g, table.object, &info) < 0)
        return;
    for (uint64_t i = 0; i < info.count && i < ENTRIES_MAX; i++) {
        if (graph_value_elements(g, table.object, i, 1, &entry) < 0)
            return;
        if (entry.object == GRAPH_NONE || graph_value_of(g, entry.object, "value", &value) < 0 ||
            value.object == GRAPH_NONE)
            continue;
        if (graph_value_of(g, entry.object, "referent", &key) < 0)
            key.object = GRAPH_NONE;
        add(t, &t->thread_locals, (struct held){value.object, key.object, UINT32_MAX, 0});
    }
}

static int by_retained(const void *a, const void *b)
{
    const struct held *x = a, *y = b;
    if (x->retained != y->retained)
        return x->retained > y->retained ? -1 : 1;
    return x->object < y->object ? -1 : x->object > y->object;
}

static bool is_virtual(const struct threads *t, graph_class klass)
{
    return t->virtual_thread != GRAPH_NO_CLASS && klass != GRAPH_NO_CLASS &&
           graph_class_is_a(t->asked->graph, klass, t->virtual_thread);
}

static bool is_mounted(struct graph *g, graph_object thread)
{
    struct graph_value carrier;
    return graph_value_of(g, thread, "carrierThread", &carrier) == 0 &&
           carrier.object != GRAPH_NONE;
}

/* The state of a virtual thread is the number of a constant of its class, which JDKs number in
 * several ways. */
struct constant {
    uint64_t number;
    const char *name; /* NULL: not found */
};

enum { VIRTUAL_SUSPENDED = 1 << 8 };

static bool take_constant(void *with, const struct graph_field *field, graph_class declared_in,
                          const struct graph_value *value)
{
    struct constant *c = with;
    (void)declared_in;
    bool is_state = field->type == GRAPH_TYPE_INT && field->name[0] >= 'A' &&
                    field->name[0] <= 'Z' && value->bits == c->number;
    if (is_state)
        c->name = field->name;
    return !is_state;
}

static const char *virtual_state(struct graph *g, graph_object thread, char ret[OBJNAME_ROOM])
{
    struct graph_value state;
    graph_class klass = graph_class_named(g, "java.lang.VirtualThread");
    if (klass == GRAPH_NO_CLASS || graph_class_at(g, klass)->object == GRAPH_NONE ||
        graph_value_of(g, thread, "state", &state) < 0)
        return NULL;
    struct constant c = {.number = state.bits & ~(uint64_t)VIRTUAL_SUSPENDED};
    if (graph_each_field(g, graph_class_at(g, klass)->object, take_constant, &c) < 0 || !c.name)
        return NULL;
    snprintf(ret, OBJNAME_ROOM, "%s", c.name);
    for (char *at = ret; *at != '\0'; at++)
        *at = *at == '_' ? ' ' : *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;
    return ret;
}

/* What JVM TI's bits of a thread's state mean. */
static const char *state_of(struct graph *g, graph_object thread)
{
    struct graph_value holder, status;
    graph_object at = thread;
    if (graph_value_of(g, thread, "holder", &holder) == 0 && holder.object != GRAPH_NONE)
        at = holder.object; /* JDK 19 and later */
    if (graph_value_of(g, at, "threadStatus", &status) < 0)
        return NULL;
    static const struct {
        unsigned bits;
        const char *word;
    } states[] = {{0x2, "terminated"}, {0x400, "blocked"},      {0x40, "sleeping"},
                  {0x200, "parked"},   {0x20, "timed waiting"}, {0x10, "waiting"},
                  {0x4, "runnable"}};
    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
        if (status.bits & states[i].bits)
            return states[i].word;
    return "new";
}

static void put_locals(struct threads *t, uint32_t trace)
{
    static const struct heapanswer_column columns[] = {
        {"retained_bytes", "retained", HEAPANSWER_BYTES, 0},
        {"id", "id", HEAPANSWER_ID, 0},
        {"object", "object", HEAPANSWER_NAME, 40},
        {"frame", "local of", HEAPANSWER_NAME, 0},
    };
    struct graph *g = t->asked->graph;
    char name[OBJNAME_ROOM];
    qsort(t->locals.rows, t->locals.count, sizeof(t->locals.rows[0]), by_retained);
    if (t->locals.count == 0 && !t->asked->is_json)
        return;
    heapanswer_table(&t->answer, "locals", "objects in its frames", columns, 4);
    for (uint32_t i = 0; i < t->locals.count && i < LOCALS_SHOWN; i++) {
        const struct held *h = &t->locals.rows[i];
        heapanswer_number(&t->answer, h->retained);
        heapanswer_number(&t->answer, graph_id(g, h->object));
        heapanswer_text(&t->answer, objname_of(g, h->object, name));
        if (h->frame != UINT32_MAX && objname_frame_at(g, trace, h->frame, name))
            heapanswer_text(&t->answer, name);
        else
            heapanswer_nothing(&t->answer);
    }
    heapanswer_table_end(&t->answer, NULL);
}

static void put_thread_locals(struct threads *t)
{
    static const struct heapanswer_column columns[] = {
        {"retained_bytes", "retained", HEAPANSWER_BYTES, 0},
        {"id", "id", HEAPANSWER_ID, 0},
        {"value", "value", HEAPANSWER_NAME, 40},
        {"key", "key", HEAPANSWER_NAME, 0},
    };
    struct graph *g = t->asked->graph;
    char name[OBJNAME_ROOM];
    qsort(t->thread_locals.rows, t->thread_locals.count, sizeof(t->thread_locals.rows[0]),
          by_retained);
    if (t->thread_locals.count == 0 && !t->asked->is_json)
        return;
    heapanswer_table(&t->answer, "thread_locals", "thread locals", columns, 4);
    for (uint32_t i = 0; i < t->thread_locals.count && i < LOCALS_SHOWN; i++) {
        const struct held *h = &t->thread_locals.rows[i];
        heapanswer_number(&t->answer, h->retained);
        heapanswer_number(&t->answer, graph_id(g, h->object));
        heapanswer_text(&t->answer, objname_of(g, h->object, name));
        if (h->key != GRAPH_NONE)
            heapanswer_text(&t->answer, objname_of(g, h->key, name));
        else
            heapanswer_text(&t->answer, "(its ThreadLocal is gone)");
    }
    heapanswer_table_end(&t->answer, NULL);
}

static void put_state(struct threads *t, graph_object thread)
{
    struct graph *g = t->asked->graph;
    struct heapanswer *a = &t->answer;
    struct graph_info info;
    char text[OBJNAME_ROOM];
    bool virtually = graph_look(g, thread, &info) == 0 && is_virtual(t, info.klass);
    heapanswer_fact_text(a, "state", "state",
                         virtually ? virtual_state(g, thread, text) : state_of(g, thread));
    heapanswer_fact_bool(a, "is_virtual", virtually);
    if (!virtually)
        return;
    struct graph_value carrier;
    bool mounted = is_mounted(g, thread);
    heapanswer_fact_bool(a, "is_mounted", mounted);
    if (mounted && graph_value_of(g, thread, "carrierThread", &carrier) == 0)
        heapanswer_fact_text(a, "carrier", "mounted on", objname_full(g, carrier.object, text));
    else
        heapanswer_say(a, "not mounted");
}

static int put_thread(struct threads *t, graph_object thread, uint32_t trace)
{
    struct question_asked *asked = t->asked;
    struct graph *g = asked->graph;
    struct heapanswer *a = &t->answer;
    struct graph_info info;
    char name[GRAPH_THREAD_NAME], bytes[HEAPANSWER_BYTES_ROOM];
    uint64_t retained = graph_retained(g, thread);
    int error = graph_look(g, thread, &info);
    t->locals.count = t->thread_locals.count = 0;
    t->locals.seen = t->thread_locals.seen = 0;
    if (error == 0)
        error = graph_each_edge(g, thread, take_local, t);
    if (error < 0)
        return error;
    take_map(t, thread, "threadLocals");
    take_map(t, thread, "inheritableThreadLocals");
    graph_thread_name(g, thread, name);
    heapanswer_item(a);
    heapanswer_heading(a, "%s \"%s\" @ 0x%" PRIx64 " retains %s", objname_class(g, info.klass),
                       name, info.id, heapanswer_bytes(retained, bytes));
    heapanswer_fact_text(a, "name", NULL, name);
    heapanswer_fact(a, "id", NULL, HEAPANSWER_ID, info.id);
    put_state(t, thread);
    heapanswer_fact(a, "retained_bytes", NULL, HEAPANSWER_BYTES, retained);
    heapanswer_fact(a, "local_count", NULL, HEAPANSWER_COUNT, t->locals.seen);
    heapanswer_fact(a, "thread_local_count", NULL, HEAPANSWER_COUNT, t->thread_locals.seen);
    objname_put_frames(a, g, "frames", "stack", trace, asked->is_json ? UINT32_MAX : FRAMES_SHOWN);
    put_locals(t, trace);
    put_thread_locals(t);
    heapanswer_item_end(a);
    return 0;
}

static bool count_virtual(void *with, const struct graph_info *object)
{
    struct threads *t = with;
    struct graph *g = t->asked->graph;
    if (object->kind != GRAPH_INSTANCE || !is_virtual(t, object->klass) ||
        !graph_is_reachable(g, object->number))
        return true;
    t->virtual_threads++;
    t->virtual_bytes += graph_retained(g, object->number);
    t->mounted += is_mounted(g, object->number);
    if (!graph_thread_of(g, object->number))
        heaviest_keep(&t->without_stack, object->number);
    return true;
}

static int by_thread(const void *a, const void *b, void *with)
{
    struct graph *g = with;
    const struct graph_thread *x = *(const struct graph_thread *const *)a;
    const struct graph_thread *y = *(const struct graph_thread *const *)b;
    uint64_t p = graph_retained(g, x->object);
    uint64_t q = graph_retained(g, y->object);
    if (p != q)
        return p > q ? -1 : 1;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static int put_threads(struct threads *t)
{
    struct graph *g = t->asked->graph;
    uint32_t count = 0, all = graph_thread_count(g);
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): the rows are pointers */
    const struct graph_thread **rows = calloc((size_t)all + 1, sizeof(*rows));
    int error = rows ? 0 : E_LIMIT;
    for (uint32_t i = 0; error == 0 && i < all; i++)
        if (graph_thread_at(g, i)->object != GRAPH_NONE)
            rows[count++] = graph_thread_at(g, i);
    if (count > 0)
        /* NOLINTNEXTLINE(bugprone-sizeof-expression): the rows are pointers */
        qsort_r(rows, count, sizeof(*rows), by_thread, g);
    heapanswer_fact(&t->answer, "threads", "threads", HEAPANSWER_COUNT, count);
    if (t->virtual_thread != GRAPH_NO_CLASS) {
        heapanswer_fact(&t->answer, "virtual_threads", "virtual threads", HEAPANSWER_COUNT,
                        t->virtual_threads);
        heapanswer_fact(&t->answer, "virtual_mounted", "of these are mounted", HEAPANSWER_COUNT,
                        t->mounted);
        heapanswer_fact(&t->answer, "virtual_bytes", "these retain", HEAPANSWER_BYTES,
                        t->virtual_bytes);
    }
    heapanswer_list(&t->answer, "stacks");
    for (uint32_t i = 0; error == 0 && i < count && i < t->asked->rows; i++)
        error = put_thread(t, rows[i]->object, rows[i]->trace);
    heapanswer_list_end(&t->answer);
    if (count > t->asked->rows)
        heapanswer_say(&t->answer, "... and %" PRIu32 " threads that retain less: -n shows more",
                       count - t->asked->rows);
    free(rows);
    return error;
}

/* Virtual threads whose stacks the dump does not have. */
static int put_without_stack(struct threads *t)
{
    const struct heaviest *h = &t->without_stack;
    int error = 0;
    if (h->count > 0)
        heapanswer_heading(&t->answer, "virtual threads without a stack in the dump");
    heapanswer_list(&t->answer, "virtual");
    for (uint32_t i = 0; error == 0 && i < h->count; i++)
        error = put_thread(t, h->objects[i], 0);
    heapanswer_list_end(&t->answer);
    if (h->seen > h->count)
        heapanswer_say(&t->answer,
                       "... and %" PRIu64 " virtual threads that retain less: -n shows more",
                       h->seen - h->count);
    return error;
}

static int answer_threads(struct question_asked *asked)
{
    struct threads *t = calloc(1, sizeof(*t));
    if (!t)
        return E_LIMIT;
    t->asked = asked;
    t->without_stack = (struct heaviest){.graph = asked->graph,
                                         .objects = calloc(asked->rows, sizeof(graph_object)),
                                         .room = asked->rows};
    if (!t->without_stack.objects) {
        free(t);
        return E_LIMIT;
    }
    t->virtual_thread = graph_class_named(asked->graph, "java.lang.BaseVirtualThread");
    if (t->virtual_thread == GRAPH_NO_CLASS)
        t->virtual_thread = graph_class_named(asked->graph, "java.lang.VirtualThread");
    int error = 0;
    if (t->virtual_thread != GRAPH_NO_CLASS)
        error = graph_each_object(asked->graph, count_virtual, t);
    if (error == 0) {
        heapanswer_begin(&t->answer, asked, "threads");
        error = put_threads(t);
        if (error == 0)
            error = put_without_stack(t);
        heapanswer_end(&t->answer);
    }
    free(t->without_stack.objects);
    free(t);
    return error;
}

const struct question question_threads = {
    .name = "threads",
    .help = "What each thread holds in its frames and its thread locals",
    .needs_dominators = true,
    .answer = answer_threads,
};
