/*
 * fuzz_heap_graph.c - any bytes as a heap dump: the graph is opened, solved, proven, and asked for
 * everything, within its memory.
 *
 * What can be opened must be solved and proven, unless the memory is too small. One pass over the
 * same bytes as a stream must count the objects that the graph has.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/err.h"
#include "fuzz.h"
#include "heap/graph.h"
#include "heap/heapinput.h"
#include "heap/heaptally.h"

enum { LOOKS = 64, EDGES = 256, TEXT = 64, MEMORY = 48 << 20 };

static void must(int condition)
{
    if (!condition)
        abort();
}

static bool see_edge(void *with, const struct graph_edge *edge)
{
    must(edge->kind <= GRAPH_EDGE_LOCAL);
    return --*(int *)with > 0;
}

static bool see_field(void *with, const struct graph_field *field, graph_class declared_in,
                      const struct graph_value *value)
{
    must(value->type == field->type);
    return --*(int *)with > 0;
}

static void look(struct graph *g, graph_object object)
{
    struct graph_info info;
    char text[TEXT];
    uint64_t chars;
    int edges = EDGES, fields = EDGES;
    if (graph_look(g, object, &info) < 0)
        return;
    must(graph_find(g, info.id) == object && info.shallow_bytes % 8 == 0);
    graph_each_edge(g, object, see_edge, &edges);
    graph_each_field(g, object, see_field, &fields);
    graph_text(g, object, text, sizeof(text), &chars);
    if (graph_is_reachable(g, object)) {
        int path = EDGES;
        must(graph_retained(g, object) >= info.shallow_bytes || info.kind == GRAPH_CLASS);
        graph_path(g, object, see_edge, &path);
    }
}

static bool is_whole(const struct graph_facts *f)
{
    return !f->damage.is_cut && f->damage.unknown_records == 0;
}

/* `g` NULL: the graph could not be opened. */
static void count(int fd, const struct graph_options *options, const struct graph *g)
{
    struct heapinput in;
    struct heaptally *tally = NULL;
    char why[GRAPH_WHY];
    must(lseek(fd, 0, SEEK_SET) == 0 && heapinput_open_stream(&in, fd) == 0);
    int error = heaptally_read(&in, options, &tally, why);
    must(error == 0 || why[0] != '\0');
    if (error == 0 && g) {
        const struct graph_facts *f = heaptally_facts(tally);
        must(f->memory_peak <= MEMORY);
        must(!is_whole(f) || !is_whole(graph_facts(g)) ||
             f->objects == graph_count(g) + graph_facts(g)->damage.duplicates);
    }
    heaptally_free(tally);
    heapinput_close(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct graph_options options = {.memory_bytes = MEMORY};
    struct graph *g;
    char path[64], why[GRAPH_WHY];
    int fd = memfd_create("fuzz_heap_graph", MFD_CLOEXEC);
    must(fd >= 0 && write(fd, bytes, len) == (ssize_t)len);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    int error = graph_open(path, &options, &g, why);
    count(fd, &options, error < 0 ? NULL : g);
    close(fd);
    if (error < 0) {
        must(why[0] != '\0');
        return 0;
    }
    error = graph_dominate(g, why);
    if (error == 0)
        error = graph_verify(g, why);
    must(error == 0 || error == E_LIMIT);
    uint64_t count = graph_count(g), step = count / LOOKS + 1;
    for (uint64_t i = 0; i < count; i += step)
        look(g, i);
    must(graph_facts(g)->memory_peak <= MEMORY);
    graph_close(g);
    return 0;
}
