/*
 * heap_graph.c - the graph of a heap: dominators against removal, retained sizes, damage.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/graph.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/err.h"
#include "base/splitmix.h"
#include "cmocka_all.h"
#include "heapmade.h"

enum {
    FIRST = 0x10000, /* id of the first object */
    STEP = 0x20,
    NODES = 24,
    GRAPHS = 10000,
    CHAIN = 1000000,
    CLASSES = 8,
};

static char path[64];

/* A file in memory, which is open under its path of /proc as long as `file` is. */
static FILE *open_new(void)
{
    int fd = memfd_create("heap_graph", MFD_CLOEXEC);
    assert_true(fd >= 0);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return fdopen(fd, "w");
}

static struct graph *open_made(FILE *file, const struct graph_options *options)
{
    static const struct graph_options none = {.memory_bytes = 0};
    struct graph *g = NULL;
    char why[GRAPH_WHY];
    assert_int_equal(fflush(file), 0);
    int error = graph_open(path, options ? options : &none, &g, why);
    fclose(file);
    if (error < 0)
        fail_msg("%s", why);
    return g;
}

static void dominate(struct graph *g)
{
    char why[GRAPH_WHY];
    if (graph_dominate(g, why) < 0)
        fail_msg("%s", why);
}

static uint64_t id_of(unsigned node)
{
    return FIRST + (uint64_t)node * STEP;
}

/* A small graph, and what the oracle says of it. */
struct small {
    unsigned count, left[NODES], right[NODES];
    bool is_root[NODES], reached[NODES];
    int dom[NODES]; /* -1: the virtual root */
};

/* What is reachable without one node (-1: without none), by the plainest walk. */
static void reach(const struct small *s, int without, bool seen[NODES])
{
    bool has_changed = true;
    for (unsigned i = 0; i < s->count; i++)
        seen[i] = s->is_root[i] && (int)i != without;
    while (has_changed) {
        has_changed = false;
        for (unsigned i = 0; i < s->count; i++) {
            const unsigned to[] = {s->left[i], s->right[i]};
            for (int k = 0; seen[i] && k < 2; k++) {
                if (to[k] < s->count && (int)to[k] != without && !seen[to[k]])
                    seen[to[k]] = has_changed = true;
            }
        }
    }
}

/* Node d dominates node i if i cannot be reached without d. The immediate one is dominated by all
 * others. */
static void ask_oracle(struct small *s)
{
    static bool without[NODES][NODES];
    reach(s, -1, s->reached);
    for (unsigned d = 0; d < s->count; d++)
        reach(s, (int)d, without[d]);
    for (unsigned i = 0; i < s->count; i++) {
        s->dom[i] = -1;
        for (unsigned d = 0; d < s->count; d++) {
            bool is_dominator = d != i && s->reached[i] && s->reached[d] && !without[d][i];
            if (is_dominator && (s->dom[i] < 0 || !without[s->dom[i]][d]))
                s->dom[i] = (int)d;
        }
    }
}

static void make_small(struct small *s, uint64_t *state)
{
    s->count = 2 + (unsigned)(splitmix_next(state) % (NODES - 1));
    unsigned density = 1 + (unsigned)(splitmix_next(state) % 4);
    for (unsigned i = 0; i < s->count; i++) {
        /* Some graphs are near trees, some are dense, some have many that nothing reaches. */
        bool is_near = splitmix_next(state) % density != 0;
        s->left[i] = (unsigned)(is_near ? i + 1 : splitmix_next(state) % (s->count + 2));
        s->right[i] = (unsigned)(splitmix_next(state) % (s->count * density));
        s->is_root[i] = splitmix_next(state) % (s->count) == 0;
    }
    s->is_root[splitmix_next(state) % s->count] = true;
}

static void write_small(struct heapmade *m, const struct small *s, uint64_t *state)
{
    unsigned start = (unsigned)(splitmix_next(state) % s->count);
    bool is_down = splitmix_next(state) % 2;
    for (unsigned k = 0; k < s->count; k++) {
        unsigned i = (start + (is_down ? s->count - k : k)) % s->count;
        heapmade_node(m, id_of(i), s->left[i] < s->count ? id_of(s->left[i]) : 0,
                      s->right[i] < s->count ? id_of(s->right[i]) : 0);
        if (splitmix_next(state) % 8 == 0)
            heapmade_cut(m);
    }
    for (unsigned i = 0; i < s->count; i++)
        if (s->is_root[i])
            heapmade_root(m, 0xff, id_of(i));
}

static void compare_small(struct graph *g, const struct small *s)
{
    uint64_t retained[NODES] = {0};
    for (unsigned i = 0; i < s->count; i++)
        for (int at = (int)i; at >= 0 && s->reached[i]; at = s->dom[at])
            retained[at] += 32; /* 12 + 2 * 4 + 4, aligned; the distance says 32 */
    for (unsigned i = 0; i < s->count; i++) {
        graph_object o = graph_find(g, id_of(i));
        graph_object dom = graph_dominator(g, o);
        assert_int_equal(graph_is_reachable(g, o), s->reached[i]);
        if (!s->reached[i])
            assert_int_equal(dom, GRAPH_NONE);
        else if (s->dom[i] < 0)
            assert_int_equal(dom, GRAPH_ROOT);
        else
            assert_int_equal(graph_id(g, dom), id_of((unsigned)s->dom[i]));
        assert_int_equal(graph_retained(g, o), retained[i]);
    }
}

static void dominators_of_random_graphs_are_those_of_the_oracle(void **state)
{
    uint64_t random = 20261129;
    for (int i = 0; i < GRAPHS; i++) {
        struct small s;
        struct heapmade m;
        FILE *file = open_new();
        heapmade_begin(&m, file, i % 2 ? 4 : 8,
                       i % 3 ? "JAVA PROFILE 1.0.2" : "JAVA PROFILE 1.0.1");
        m.has_segments = true;
        heapmade_classes(&m, true);
        heapmade_cut(&m);
        make_small(&s, &random);
        write_small(&m, &s, &random);
        heapmade_end(&m);
        struct graph *g = open_made(file, NULL);
        dominate(g);
        ask_oracle(&s);
        compare_small(g, &s);
        graph_close(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dominators_of_random_graphs_are_those_of_the_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
