/*
 * objname.c - see objname.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/objname.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "heap/heapanswer.h"

enum {
    PATH_MAX_EDGES = 1 << 20, /* a path that is longer is cut */
    PATH_SHOWN = 12,          /* rows at the beginning and at the end of a long path */
};

const char *objname_class(const struct graph *g, graph_class klass)
{
    return klass == GRAPH_NO_CLASS ? "(unknown)" : graph_class_at(g, klass)->name;
}

const char *objname_of(struct graph *g, graph_object object, char ret[OBJNAME_ROOM])
{
    struct graph_info info;
    char thread[GRAPH_THREAD_NAME] = "";
    if (object == GRAPH_ROOT || object == GRAPH_NONE || graph_look(g, object, &info) < 0) {
        snprintf(ret, OBJNAME_ROOM, object == GRAPH_ROOT ? "(roots)" : "(unknown)");
        return ret;
    }
    if (info.kind == GRAPH_INSTANCE && graph_thread_of(g, object))
        graph_thread_name(g, object, thread);
    snprintf(ret, OBJNAME_ROOM, "%s%s%s%s%s", info.kind == GRAPH_CLASS ? "class " : "",
             objname_class(g, info.kind == GRAPH_CLASS ? info.self : info.klass),
             thread[0] ? " \"" : "", thread, thread[0] ? "\"" : "");
    return ret;
}

const char *objname_full(struct graph *g, graph_object object, char ret[OBJNAME_ROOM])
{
    struct graph_info info;
    char count[32] = "";
    if (object == GRAPH_NONE || object == GRAPH_ROOT) {
        snprintf(ret, OBJNAME_ROOM, object == GRAPH_NONE ? "null" : "(roots)");
        return ret;
    }
    objname_of(g, object, ret);
    if (graph_look(g, object, &info) == 0 &&
        (info.kind == GRAPH_OBJECT_ARRAY || info.kind == GRAPH_PRIMITIVE_ARRAY))
        snprintf(count, sizeof(count), " of %" PRIu64, info.count);
    size_t len = strlen(ret);
    snprintf(ret + len, OBJNAME_ROOM - len, "%s @ 0x%" PRIx64, count, graph_id(g, object));
    return ret;
}

/* A root of an object, and the name of its thread or "". A thread may be a root of other kinds,
 * too; `as_thread` takes it as one if it can. NULL: the object is none. */
static const struct graph_root *root_of(struct graph *g, graph_object object, bool as_thread,
                                        char ret_thread[GRAPH_THREAD_NAME])
{
    const struct graph_root *root = graph_root_of(g, object);
    const struct graph_root *end = graph_root_at(g, 0) + graph_facts(g)->roots;
    ret_thread[0] = '\0';
    if (!root)
        return NULL;
    for (const struct graph_root *r = root; as_thread && r < end && r->object == object; r++)
        if (r->kind == GRAPH_ROOT_THREAD)
            root = r;
    graph_object thread = root->kind == GRAPH_ROOT_THREAD ? object : root->thread;
    if (thread != GRAPH_NONE)
        graph_thread_name(g, thread, ret_thread);
    return root;
}

const char *objname_root(struct graph *g, graph_object object, char ret[OBJNAME_ROOM])
{
    char name[GRAPH_THREAD_NAME];
    const struct graph_root *root = root_of(g, object, true, name);
    if (!root)
        return NULL;
    snprintf(ret, OBJNAME_ROOM, "%s%s%s%s", graph_root_word(root->kind),
             !name[0]                          ? ""
             : root->kind == GRAPH_ROOT_THREAD ? " \""
                                               : " of thread \"",
             name, name[0] ? "\"" : "");
    return ret;
}

const char *objname_edge_kind(enum graph_edge_kind kind)
{
    static const char *const words[] = {
        [GRAPH_EDGE_FIELD] = "field",         [GRAPH_EDGE_ELEMENT] = "element",
        [GRAPH_EDGE_CLASS] = "class",         [GRAPH_EDGE_STATIC] = "static field",
        [GRAPH_EDGE_SUPER] = "superclass",    [GRAPH_EDGE_LOADER] = "class loader",
        [GRAPH_EDGE_OF_CLASS] = "class data", [GRAPH_EDGE_LOCAL] = "local",
    };
    return words[kind];
}

const char *objname_frame(const struct graph_frame *frame, char ret[OBJNAME_ROOM])
{
    char place[64] = "";
    if (frame->line > 0)
        snprintf(place, sizeof(place), ":%" PRId32, frame->line);
    const char *source = *frame->source      ? frame->source
                         : frame->line == -3 ? "native"
                                             : "unknown source";
    snprintf(ret, OBJNAME_ROOM, "%s.%s(%s%s)", frame->class_name, frame->method, source, place);
    return ret;
}

struct frame_at {
    uint32_t depth;
    bool is_found;
    char *text;
};

static bool take_frame(void *with, uint32_t depth, const struct graph_frame *frame)
{
    struct frame_at *f = with;
    if (depth == f->depth) {
        f->is_found = true;
        objname_frame(frame, f->text);
    }
    return !f->is_found;
}

bool objname_frame_at(struct graph *g, uint32_t trace, uint32_t depth, char ret[OBJNAME_ROOM])
{
    struct frame_at f = {.depth = depth, .text = ret};
    return graph_each_frame(g, trace, take_frame, &f) == 0 && f.is_found;
}

const char *objname_edge(struct graph *g, const struct graph_edge *edge, char ret[OBJNAME_ROOM])
{
    char frame[OBJNAME_ROOM];
    const char *word = objname_edge_kind(edge->kind);
    const struct graph_thread *thread =
        edge->kind == GRAPH_EDGE_LOCAL ? graph_thread_of(g, edge->from) : NULL;
    if (edge->kind == GRAPH_EDGE_FIELD || edge->kind == GRAPH_EDGE_STATIC)
        snprintf(ret, OBJNAME_ROOM, "%s %s", word, edge->name);
    else if (edge->kind == GRAPH_EDGE_ELEMENT)
        snprintf(ret, OBJNAME_ROOM, "element %" PRIu64, edge->index);
    else if (edge->kind == GRAPH_EDGE_OF_CLASS)
        snprintf(ret, OBJNAME_ROOM, "%s", edge->name);
    else if (thread && edge->index != UINT32_MAX &&
             objname_frame_at(g, thread->trace, (uint32_t)edge->index, frame))
        snprintf(ret, OBJNAME_ROOM, "local of %.480s", frame);
    else
        snprintf(ret, OBJNAME_ROOM, "%s%s", edge->kind == GRAPH_EDGE_LOCAL ? "" : "its ", word);
    return ret;
}

const char *objname_loader(struct graph *g, graph_object loader, char ret[OBJNAME_ROOM])
{
    struct graph_value value;
    char name[128] = "";
    uint64_t chars;
    if (loader == GRAPH_NONE) {
        snprintf(ret, OBJNAME_ROOM, "boot loader");
        return ret;
    }
    objname_of(g, loader, ret);
    if (graph_value_of(g, loader, "name", &value) == 0 && value.object != GRAPH_NONE &&
        graph_text(g, value.object, name, sizeof(name), &chars) > 0) {
        size_t len = strlen(ret);
        snprintf(ret + len, OBJNAME_ROOM - len, " \"%s\"", name);
    }
    return ret;
}

/* ---- frames */

struct frames {
    struct heapanswer *answer;
    const char *key, *title;
    uint32_t most, seen;
};

static bool put_frame(void *with, uint32_t depth, const struct graph_frame *frame)
{
    static const struct heapanswer_column columns[] = {{"frame", "", HEAPANSWER_NAME, 0}};
    struct frames *f = with;
    char text[OBJNAME_ROOM];
    if (f->seen == 0)
        heapanswer_table(f->answer, f->key, f->title, columns, 1);
    if (f->seen++ < f->most)
        heapanswer_text(f->answer, objname_frame(frame, text));
    return true;
}

uint32_t objname_put_frames(struct heapanswer *a, struct graph *g, const char *key,
                            const char *title, uint32_t trace, uint32_t most)
{
    struct frames f = {.answer = a, .key = key, .title = title, .most = most};
    if (trace == 0 || graph_each_frame(g, trace, put_frame, &f) < 0)
        return 0;
    if (f.seen > 0)
        heapanswer_table_end(a, NULL);
    if (f.seen > most)
        heapanswer_say(a, "... and %" PRIu32 " more frames", f.seen - most);
    return f.seen;
}

/* ---- paths */

struct path {
    struct graph_edge *edges;
    uint32_t count, room;
    bool is_cut;
};

static bool take_edge(void *with, const struct graph_edge *edge)
{
    struct path *p = with;
    if (p->count == p->room) {
        uint32_t room = p->room ? p->room * 2 : 64;
        struct graph_edge *more =
            room <= PATH_MAX_EDGES ? realloc(p->edges, room * sizeof(*more)) : NULL;
        p->is_cut = !more;
        if (!more)
            return false;
        p->edges = more;
        p->room = room;
    }
    p->edges[p->count++] = *edge;
    return true;
}

/* `first` is the first reference of the path; NULL: the object is the root itself. What the locals
 * of a thread hold is held because it is a thread. */
static void put_root(struct heapanswer *a, struct graph *g, graph_object object,
                     const struct graph_edge *first)
{
    char name[GRAPH_THREAD_NAME];
    const struct graph_root *root =
        root_of(g, object, first && first->kind == GRAPH_EDGE_LOCAL, name);
    if (!root)
        return;
    heapanswer_fact_text(a, "root", "held by a root of the kind", graph_root_word(root->kind));
    if (name[0])
        heapanswer_fact_text(a, "thread", "thread", name);
}

static const struct heapanswer_column path_columns[] = {
    {"id", "id", HEAPANSWER_ID, 0},
    {"retained_bytes", "retained", HEAPANSWER_BYTES, 0},
    {"reference", "through", HEAPANSWER_NAME, 40},
    {"object", "object", HEAPANSWER_NAME, 0},
};

static void put_edges(struct heapanswer *a, struct graph *g, const struct path *p,
                      graph_object last)
{
    char name[OBJNAME_ROOM];
    for (uint32_t i = 0; i <= p->count; i++) {
        graph_object at = i < p->count ? p->edges[i].from : last;
        if (i == PATH_SHOWN && p->count > 2 * PATH_SHOWN) {
            uint32_t left_out = p->count + 1 - 2 * PATH_SHOWN;
            heapanswer_table_end(a, NULL);
            heapanswer_fact(a, "path_left_out", "objects of the path that are not shown",
                            HEAPANSWER_COUNT, left_out);
            i += left_out - 1;
            heapanswer_table(a, "path_end", NULL, path_columns, 4);
            continue;
        }
        heapanswer_number(a, graph_id(g, at));
        heapanswer_number(a, graph_retained(g, at));
        if (i == 0)
            heapanswer_text(a, "root");
        else
            heapanswer_text(a, objname_edge(g, &p->edges[i - 1], name));
        heapanswer_text(a, objname_of(g, at, name));
    }
}

int objname_put_path(struct heapanswer *a, struct graph *g, graph_object object)
{
    struct path p = {0};
    int error = graph_path(g, object, take_edge, &p);
    if (error == 0 && !p.is_cut) {
        put_root(a, g, p.count > 0 ? p.edges[0].from : object, p.count > 0 ? &p.edges[0] : NULL);
        heapanswer_table(a, "path", "shortest path from a root", path_columns, 4);
        put_edges(a, g, &p, object);
        heapanswer_table_end(a, NULL);
    }
    free(p.edges);
    return error;
}
