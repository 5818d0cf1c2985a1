/*
 * graph.c - opens a heap dump as a graph, and answers from its tables.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/graph.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/headroom.h"
#include "heap/graph_parts.h"

enum {
    SHARE = 4, /* of the memory that is left, by default */
    LEAST_MEMORY = 16 << 20,
};

uint64_t graph_memory_limit(const struct graph_options *o)
{
    if (o->memory_bytes != 0)
        return o->memory_bytes;
    struct headroom *headroom = calloc(1, sizeof(*headroom));
    uint64_t left = UINT64_C(1) << 30;
    if (headroom) {
        headroom_open(headroom, "/proc");
        left = headroom_left(headroom);
        headroom_close(headroom);
    }
    free(headroom);
    left /= SHARE;
    return left < LEAST_MEMORY ? LEAST_MEMORY : left;
}

static int make_windows(struct graph *g)
{
    g->scan = (struct heapwindow){.input = &g->input, .room = DUMPSCAN_WINDOW};
    g->look = (struct heapwindow){.input = &g->input, .room = GRAPH_LOOK_WINDOW};
    g->scan.buffer = heaproom_take(&g->room, g->scan.room);
    g->look.buffer = heaproom_take(&g->room, g->look.room);
    return g->scan.buffer && g->look.buffer ? 0 : E_LIMIT;
}

static int open_graph(struct graph *g, const char *path, const struct graph_options *options,
                      char why[GRAPH_WHY])
{
    const char *text = NULL;
    g->options = *options;
    heaproom_init(&g->room, graph_memory_limit(options));
    heaptable_open(&g->store, &g->room, options->tmp, path, options->table_page);
    g->store.diag = options->diag;
    g->path = strdup(path);
    if (!g->path)
        return E_LIMIT;
    int error = 0;
    if (options->input) {
        g->input = *options->input;
        options->input->fd = -1;
    } else {
        error = heapinput_open(&g->input, path, options->tmp, options->diag, &text);
    }
    if (error < 0) {
        snprintf(why, GRAPH_WHY, "%s", text ? text : err_text(error));
        return error;
    }
    error = make_windows(g);
    if (error == 0 && !options->skips_index && graph_keep_load(g))
        return 0;
    if (error == 0)
        error = graph_index_read(g, why);
    g->facts.memory_peak = g->room.peak;
    return error;
}

int graph_open(const char *path, const struct graph_options *options, struct graph **ret_graph,
               char ret_why[GRAPH_WHY])
{
    struct graph *g = calloc(1, sizeof(*g));
    ret_why[0] = '\0';
    if (!g) {
        snprintf(ret_why, GRAPH_WHY, "there is no memory");
        return E_LIMIT;
    }
    g->input.fd = -1;
    int error = open_graph(g, path, options, ret_why);
    if (error == 0) {
        *ret_graph = g;
        return 0;
    }
    if (error == E_LIMIT && ret_why[0] == '\0')
        graph_index_lacks(g, error, ret_why);
    else if (ret_why[0] == '\0')
        snprintf(ret_why, GRAPH_WHY, "%s", err_text(error));
    graph_close(g);
    return error;
}

void graph_close(struct graph *g)
{
    if (!g)
        return;
    graph_keep_forget(g);
    heaproom_give(&g->room, g->scan.buffer, g->scan.room);
    heaproom_give(&g->room, g->look.buffer, g->look.room);
    if (g->store.room)
        heaptable_close(&g->store);
    heapinput_close(&g->input);
    free(g->path);
    free(g);
}

const struct graph_facts *graph_facts(const struct graph *g)
{
    return &g->facts;
}

uint64_t graph_count(const struct graph *g)
{
    return g->map.count;
}

bool graph_is_kept(const struct graph *g)
{
    return g->kept.is_used;
}

int graph_error(const struct graph *g)
{
    return g->store.error < 0 ? g->store.error : g->kept.store.error;
}

const char *graph_error_why(const struct graph *g)
{
    int error = graph_error(g);
    if (error == E_FORMAT)
        return "its index is damaged, so the answer is not to be believed; remove the file that "
               "ends in .hidx";
    return error < 0 ? "a temporary file failed, so the answer is not to be believed" : NULL;
}

graph_object graph_find(const struct graph *g, uint64_t id)
{
    uint64_t number = id == 0 ? UINT64_MAX : addrmap_number(&g->map, id);
    return number == UINT64_MAX ? GRAPH_NONE : number;
}

uint64_t graph_id(const struct graph *g, graph_object object)
{
    return object < g->map.count ? addrmap_address(&g->map, object) : 0;
}

graph_object graph_dominator(const struct graph *g, graph_object object)
{
    if (!g->d.is_known || object >= g->map.count)
        return GRAPH_NONE;
    heapnode dom = heaptable_node(&g->d.dom, object);
    return dom == HEAPNODE_ROOT ? GRAPH_ROOT : dom < g->map.count ? dom : GRAPH_NONE;
}

uint64_t graph_retained(const struct graph *g, graph_object object)
{
    if (object == GRAPH_ROOT)
        return g->facts.reachable_bytes;
    if (!graph_is_reachable(g, object))
        return 0;
    if (bitrank_has(&g->d.holders, object))
        return heaptable_get(&g->d.sums, bitrank_below(&g->d.holders, object)) * GRAPH_UNIT;
    return graph_dominate_units(g, object) * GRAPH_UNIT;
}

bool graph_is_reachable(const struct graph *g, graph_object object)
{
    return g->d.is_known && object < g->map.count &&
           heaptable_node(&g->d.dom, object) != HEAPNODE_NONE;
}

void graph_each_dominated(struct graph *g, graph_object dominator, graph_visit_number *visit,
                          void *with)
{
    heapnode dom = dominator == GRAPH_ROOT ? HEAPNODE_ROOT : (heapnode)dominator;
    if (!g->d.is_known || (dominator != GRAPH_ROOT &&
                           (dominator >= g->map.count || !bitrank_has(&g->d.holders, dominator))))
        return;
    for (uint64_t i = 0; i < g->map.count; i++)
        if (heaptable_node(&g->d.dom, i) == dom && !visit(with, i))
            return;
}

graph_class graph_class_count(const struct graph *g)
{
    return (graph_class)g->classes.rows.count;
}
