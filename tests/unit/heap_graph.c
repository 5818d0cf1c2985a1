/*
 * heap_graph.c - the graph of a heap: dominators against removal, retained sizes, damage.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/graph.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/splitmix.h"
#include "cmocka_all.h"
#include "heap/graph_parts.h"
#include "heapmade.h"

enum {
    FIRST = 0x10000, /* id of the first object */
    STEP = 0x20,
    NODES = 24,
    GRAPHS = 10000,
    SPILLED = 16, /* of so many batches one is solved in a file, too */
    BATCH = 10,   /* graphs in one dump, of which none refers to another one */
    CHAIN = 500000,
    LARGE = CHAIN / 2,
    CLASSES = 8,
    FORGED = 3,
};

static char path[HEAPMADE_PATH];

static struct graph *open_kept(FILE *file, const struct graph_options *options)
{
    static const struct graph_options none = {.memory_bytes = 256 << 20};
    struct graph *g = NULL;
    char why[GRAPH_WHY];
    assert_int_equal(fflush(file), 0);
    int error = graph_open(path, options ? options : &none, &g, why);
    if (error < 0)
        fail_msg("%s", why);
    return g;
}

static struct graph *open_made(FILE *file, const struct graph_options *options)
{
    struct graph *g = open_kept(file, options);
    fclose(file);
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
    unsigned first; /* number of its first node among those of the dump */
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
        heapmade_node(m, id_of(s->first + i),
                      s->left[i] < s->count ? id_of(s->first + s->left[i]) : 0,
                      s->right[i] < s->count ? id_of(s->first + s->right[i]) : 0);
        if (splitmix_next(state) % 8 == 0)
            heapmade_cut(m);
    }
    for (unsigned i = 0; i < s->count; i++)
        if (s->is_root[i])
            heapmade_root(m, 0xff, id_of(s->first + i));
}

static void compare_small(struct graph *g, const struct small *s)
{
    uint64_t retained[NODES] = {0};
    for (unsigned i = 0; i < s->count; i++)
        for (int at = (int)i; at >= 0 && s->reached[i]; at = s->dom[at])
            retained[at] += 32; /* 12 + 2 * 4 + 4, aligned; the distance says 32 */
    for (unsigned i = 0; i < s->count; i++) {
        graph_object o = graph_find(g, id_of(s->first + i));
        graph_object dom = graph_dominator(g, o);
        assert_int_equal(graph_is_reachable(g, o), s->reached[i]);
        if (!s->reached[i])
            assert_int_equal(dom, GRAPH_NONE);
        else if (s->dom[i] < 0)
            assert_int_equal(dom, GRAPH_ROOT);
        else
            assert_int_equal(graph_id(g, dom), id_of(s->first + (unsigned)s->dom[i]));
        assert_int_equal(graph_retained(g, o), retained[i]);
    }
}

static void prove(struct graph *g)
{
    char why[GRAPH_WHY];
    if (graph_verify(g, why) < 0)
        fail_msg("%s", why);
}

static void must_be_found(struct graph *g, bool is_forged)
{
    char why[GRAPH_WHY];
    assert_int_equal(graph_verify(g, why), is_forged ? E_FORMAT : 0);
}

/* Another dominator of one object is found out, whichever it is. */
static void forge_dominator(struct graph *g, graph_object object, heapnode other)
{
    heapnode dom = heaptable_node(&g->d.dom, object);
    heaptable_put(&g->d.dom, object, other);
    must_be_found(g, other != dom);
    heaptable_put(&g->d.dom, object, dom);
}

/* Another size, too. */
static void forge_size(struct graph *g, graph_object object)
{
    struct heaptable *table = &g->d.shallow;
    uint64_t row = object;
    if (!graph_is_reachable(g, object))
        return;
    if (bitrank_has(&g->d.holders, object)) {
        table = &g->d.sums;
        row = bitrank_below(&g->d.holders, object);
    }
    uint64_t size = heaptable_get(table, row);
    heaptable_set(table, row, size + 1);
    must_be_found(g, true);
    heaptable_set(table, row, size - 1);
    must_be_found(g, true);
    heaptable_set(table, row, size);
}

static void find_forgery(struct graph *g, uint64_t *state)
{
    graph_object object = splitmix_next(state) % graph_count(g);
    heapnode other = (heapnode)(splitmix_next(state) % graph_count(g));
    if (splitmix_next(state) % 4 == 0)
        other = HEAPNODE_ROOT;
    forge_dominator(g, object, other);
    forge_size(g, object);
}

/* Where tests put temporary files. */
static const char *tmp_folder(void)
{
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

/* The same graph with all tables in a file, of which two pages and a bit are in memory. */
static void compare_spilled(struct graph *g)
{
    struct graph_options options = {
        .memory_bytes = 256 << 20, .tmp = tmp_folder(), .table_page = 256};
    char why[GRAPH_WHY];
    struct graph *other = NULL;
    if (graph_open(path, &options, &other, why) < 0)
        fail_msg("%s", why);
    dominate(other);
    assert_true(other->store.is_spilling && !other->d.dom.at);
    assert_int_equal(graph_count(other), graph_count(g));
    for (graph_object o = 0; o < graph_count(g); o++) {
        assert_int_equal(graph_dominator(other, o), graph_dominator(g, o));
        assert_int_equal(graph_retained(other, o), graph_retained(g, o));
    }
    assert_int_equal(graph_facts(other)->reachable_bytes, graph_facts(g)->reachable_bytes);
    prove(other);
    graph_close(other);
}

static void dominators_of_random_graphs_are_those_of_the_oracle(void **state)
{
    static struct small graphs[BATCH];
    uint64_t random = 20261129;
    for (int i = 0; i < GRAPHS / BATCH; i++) {
        struct heapmade m;
        FILE *file = heapmade_file(path);
        heapmade_begin(&m, file, i % 2 ? 4 : 8, i % 3 ? "JAVA PROFILE 1.0.2" : "JAVA PROFILE 1.0");
        m.has_segments = true;
        heapmade_classes(&m, true);
        heapmade_cut(&m);
        for (unsigned k = 0; k < BATCH; k++) {
            make_small(&graphs[k], &random);
            graphs[k].first = k * NODES;
            write_small(&m, &graphs[k], &random);
        }
        heapmade_end(&m);
        struct graph *g = open_kept(file, NULL);
        dominate(g);
        for (unsigned k = 0; k < BATCH; k++) {
            ask_oracle(&graphs[k]);
            compare_small(g, &graphs[k]);
        }
        prove(g);
        find_forgery(g, &random);
        if (i % SPILLED == 0)
            compare_spilled(g);
        graph_close(g);
        fclose(file);
    }
}

static void each_wrong_dominator_and_size_of_small_graphs_is_found(void **state)
{
    static struct small small;
    uint64_t random = 20261130;
    for (int i = 0; i < FORGED; i++) {
        struct heapmade m;
        FILE *file = heapmade_file(path);
        heapmade_begin(&m, file, 8, "JAVA PROFILE 1.0.2");
        heapmade_classes(&m, true);
        make_small(&small, &random);
        write_small(&m, &small, &random);
        heapmade_end(&m);
        struct graph *g = open_made(file, NULL);
        dominate(g);
        for (graph_object object = 0; object < graph_count(g); object++) {
            for (heapnode other = 0; other <= graph_count(g); other++)
                forge_dominator(g, object, other);
            forge_dominator(g, object, HEAPNODE_ROOT);
            forge_dominator(g, object, HEAPNODE_NONE);
            forge_dominator(g, object, HEAPNODE_MANY);
            forge_size(g, object);
        }
        graph_close(g);
    }
}

/* ---- the proof of the tree alone: what is refused here is refused before sizes are compared */

enum { WRONG_GRAPHS = 3000, WHOLE_GRAPHS = 30, WHOLE_NODES = 3 };

/* How another dominator is wrong. */
enum wrong {
    TOO_HIGH, /* it dominates the object, but is not the nearest one */
    SIBLING,  /* it has the same dominator as the object */
    TOO_LOW,  /* it is farther down, beside the object */
    BELOW,    /* the object dominates it */
    NOWHERE,  /* it is not reachable, or the object is said not to be */
    WRONGS,
};

/* Whether `above` is on the way up from `node`, or is `node`; -1 is always. */
static bool is_above(const struct small *s, int above, int node)
{
    while (node >= 0 && node != above)
        node = s->dom[node];
    return node == above;
}

/* A node with a dominator other than its own. */
static enum wrong kind_of(const struct small *s, int node, int other)
{
    if (other >= 0 && !s->reached[other])
        return NOWHERE;
    if (is_above(s, other, s->dom[node]))
        return TOO_HIGH;
    if (is_above(s, node, other))
        return BELOW;
    return s->dom[other] == s->dom[node] ? SIBLING : TOO_LOW;
}

static heapnode object_of(const struct graph *g, const struct small *s, int node)
{
    return node < 0 ? HEAPNODE_ROOT : (heapnode)graph_find(g, id_of(s->first + (unsigned)node));
}

/* The graphs are in one dump, and none of them refers to another one. */
static struct graph *open_small(struct small *graphs, unsigned count, uint64_t *random)
{
    struct heapmade m;
    FILE *file = heapmade_file(path);
    heapmade_begin(&m, file, 8, "JAVA PROFILE 1.0.2");
    heapmade_classes(&m, true);
    for (unsigned i = 0; i < count; i++) {
        graphs[i].first = i * NODES;
        write_small(&m, &graphs[i], random);
        ask_oracle(&graphs[i]);
    }
    heapmade_end(&m);
    struct graph *g = open_made(file, NULL);
    dominate(g);
    return g;
}

static const char not_nearest[] = "its dominator is not the immediate one";

/* Each kind of wrong tree breaks its own condition of the proof. A dominator that is too high may
 * break the first one, too: what the object's subtree refers to loses one above it. Returns whether
 * the second one alone was broken. */
static bool must_be_refused_as(struct graph *g, enum wrong kind)
{
    static const char no_dominator[] = "what should dominate it does not",
                      root[] = "it is a root, but something else dominates it",
                      no_tree[] = "the dominators are no tree of all reachable objects";
    static const char *const says[WRONGS][2] = {
        [TOO_HIGH] = {not_nearest, no_dominator}, [SIBLING] = {no_dominator, root},
        [TOO_LOW] = {no_dominator, root},         [BELOW] = {no_tree, no_tree},
        [NOWHERE] = {no_tree, no_tree},
    };
    char why[GRAPH_WHY];
    assert_int_equal(graph_verify(g, why), E_FORMAT);
    if (!strstr(why, says[kind][0]) && !strstr(why, says[kind][1]))
        fail_msg("a tree that is wrong in the way %d: %s", (int)kind, why);
    return strstr(why, not_nearest) != NULL;
}

static void each_kind_of_wrong_tree_breaks_its_own_condition(void **state)
{
    static struct small graphs[BATCH];
    unsigned found[WRONGS] = {0}, second_alone = 0;
    uint64_t random = 20261201;
    for (int i = 0; i < WRONG_GRAPHS / BATCH; i++) {
        for (unsigned k = 0; k < BATCH; k++)
            make_small(&graphs[k], &random);
        struct graph *g = open_small(graphs, BATCH, &random);
        for (unsigned k = 0; k < BATCH; k++) {
            const struct small *s = &graphs[k];
            int node = (int)(splitmix_next(&random) % s->count);
            int other = (int)(splitmix_next(&random) % (s->count + 1)) - 1;
            if (!s->reached[node] || other == s->dom[node])
                continue;
            heaptable_put(&g->d.dom, object_of(g, s, node), object_of(g, s, other));
            enum wrong kind = kind_of(s, node, other);
            second_alone += must_be_refused_as(g, kind);
            found[kind]++;
            heaptable_put(&g->d.dom, object_of(g, s, node), object_of(g, s, s->dom[node]));
        }
        prove(g);
        graph_close(g);
    }
    for (int kind = 0; kind < WRONGS; kind++)
        assert_true(found[kind] > 50);
    assert_true(second_alone > 50);
}

/* Sets all dominators at once; `number` has a digit for each node. Returns whether they are those
 * of the oracle. */
static bool set_tree(struct graph *g, const struct small *s, unsigned number)
{
    bool is_right = true;
    for (unsigned i = 0; i < s->count; i++, number /= s->count + 2) {
        unsigned digit = number % (s->count + 2);
        heapnode dom = digit == s->count + 1 ? HEAPNODE_NONE : object_of(g, s, (int)digit - 1);
        heapnode right = s->reached[i] ? object_of(g, s, s->dom[i]) : HEAPNODE_NONE;
        heaptable_put(&g->d.dom, object_of(g, s, (int)i), dom);
        is_right &= dom == right;
    }
    return is_right;
}

/* Several wrong dominators do not hide each other: of all tables only one is accepted. */
static void of_all_trees_of_a_small_graph_one_is_accepted(void **state)
{
    static struct small small;
    uint64_t random = 20261202;
    for (int i = 0; i < WHOLE_GRAPHS; i++) {
        unsigned accepted = 0, trees = 1;
        do
            make_small(&small, &random);
        while (small.count > WHOLE_NODES);
        struct graph *g = open_small(&small, 1, &random);
        for (unsigned k = 0; k < small.count; k++)
            trees *= small.count + 2;
        for (unsigned number = 0; number < trees; number++) {
            bool is_right = set_tree(g, &small, number);
            char why[GRAPH_WHY];
            int error = graph_verify(g, why);
            assert_int_equal(error, is_right ? 0 : E_FORMAT);
            assert_null(strstr(why, "size"));
            accepted += error == 0;
        }
        assert_int_equal(accepted, 1);
        graph_close(g);
    }
}

static void begin_plain(struct heapmade *m, FILE *file)
{
    heapmade_begin(m, file, 8, "JAVA PROFILE 1.0.2");
    heapmade_classes(m, true);
    heapmade_cut(m);
}

static void a_long_chain_of_objects_needs_no_recursion(void **state)
{
    struct heapmade m;
    FILE *file = heapmade_file(path);
    begin_plain(&m, file);
    heapmade_root(&m, 0x07, id_of(0));
    /* Every second object has a second way from the top: a quadratic climb would not end. */
    for (unsigned i = 0; i < CHAIN; i++)
        heapmade_node(&m, id_of(2 * i), i + 1 < CHAIN ? id_of(2 * (i + 1)) : 0, id_of(2 * i + 1));
    uint64_t *items = calloc(CHAIN, sizeof(*items));
    for (unsigned i = 0; i < CHAIN; i++) {
        heapmade_node(&m, id_of(2 * i + 1), 0, 0);
        items[i] = id_of(2 * i + 1);
    }
    heapmade_array(&m, id_of(2 * CHAIN), items, CHAIN);
    heapmade_root(&m, 0x07, id_of(2 * CHAIN));
    free(items);
    heapmade_end(&m);
    struct graph *g = open_made(file, NULL);
    dominate(g);
    for (unsigned i = 1; i < CHAIN; i += 99999) {
        graph_object o = graph_find(g, id_of(2 * i));
        assert_int_equal(graph_id(g, graph_dominator(g, o)), id_of(2 * (i - 1)));
        assert_int_equal(graph_retained(g, o), (uint64_t)(CHAIN - i) * 32);
        assert_int_equal(graph_dominator(g, graph_find(g, id_of(2 * i + 1))), GRAPH_ROOT);
    }
    assert_int_equal(graph_facts(g)->reachable, 2 * CHAIN + 1 + CLASSES);
    graph_close(g);
}

static void items_of_a_long_queue_that_its_owner_holds_too(void **state)
{
    /* The owner refers to the array and to the queue, so it dominates each item. */
    struct heapmade m;
    FILE *file = heapmade_file(path);
    begin_plain(&m, file);
    heapmade_root(&m, 0x07, id_of(2 * CHAIN + 1));
    heapmade_node(&m, id_of(2 * CHAIN + 1), id_of(0), id_of(2 * CHAIN));
    uint64_t *items = calloc(CHAIN, sizeof(*items));
    for (unsigned i = 0; i < CHAIN; i++) {
        heapmade_node(&m, id_of(2 * i), i + 1 < CHAIN ? id_of(2 * (i + 1)) : 0, id_of(2 * i + 1));
        heapmade_node(&m, id_of(2 * i + 1), 0, 0);
        items[i] = id_of(2 * i + 1);
    }
    heapmade_array(&m, id_of(2 * CHAIN), items, CHAIN);
    free(items);
    heapmade_end(&m);
    struct graph *g = open_made(file, NULL);
    dominate(g);
    graph_object owner = graph_find(g, id_of(2 * CHAIN + 1));
    for (unsigned i = 0; i < CHAIN; i += 7777)
        assert_int_equal(graph_dominator(g, graph_find(g, id_of(2 * i + 1))), owner);
    prove(g);
    graph_close(g);
}

/* The objects between which the edges of a path lead. */
struct path {
    uint64_t ids[16];
    unsigned count;
};

static bool take_step(void *with, const struct graph_edge *edge)
{
    struct path *p = with;
    if (p->count == 0)
        p->ids[p->count++] = edge->from;
    p->ids[p->count++] = edge->to;
    return p->count < 16;
}

static void the_path_is_a_shortest_one(void **state)
{
    struct heapmade m;
    FILE *file = heapmade_file(path);
    begin_plain(&m, file);
    /* 0 -> 1 -> 2 -> 3 -> 5 -> 6, and 1 -> 4 -> 5: the way over 4 is shorter. */
    heapmade_root(&m, 0xff, id_of(0));
    heapmade_node(&m, id_of(0), id_of(1), 0);
    heapmade_node(&m, id_of(1), id_of(2), id_of(4));
    heapmade_node(&m, id_of(2), id_of(3), 0);
    heapmade_node(&m, id_of(3), id_of(5), 0);
    heapmade_node(&m, id_of(4), id_of(5), 0);
    heapmade_node(&m, id_of(5), id_of(6), 0);
    heapmade_node(&m, id_of(6), 0, 0);
    heapmade_end(&m);
    struct graph *g = open_made(file, NULL);
    struct path found = {.count = 0};
    static const unsigned wanted[] = {0, 1, 4, 5, 6};
    dominate(g);
    assert_int_equal(graph_path(g, graph_find(g, id_of(6)), take_step, &found), 0);
    assert_int_equal(found.count, 5);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(graph_id(g, found.ids[i]), id_of(wanted[i]));
    assert_int_equal(graph_id(g, graph_dominator(g, graph_find(g, id_of(5)))), id_of(1));
    graph_close(g);
}

/* The roots of several paths, and the edges of all of them. */
struct several {
    uint64_t roots[8];
    unsigned count, edges;
};

static bool begin_path(void *with, graph_object root)
{
    struct several *s = with;
    s->roots[s->count++] = root;
    return s->count < 8;
}

static bool count_step(void *with, const struct graph_edge *edge)
{
    struct several *s = with;
    (void)edge;
    s->edges++;
    return true;
}

static void each_root_has_a_path_the_nearest_first(void **state)
{
    (void)state;
    struct heapmade m;
    FILE *file = heapmade_file(path);
    begin_plain(&m, file);
    /* Roots 0, 1 and 2: 0 -> 3 -> 4 -> 6, 1 -> 4, 2 -> 0, and 5, which nothing reaches, -> 4. */
    for (unsigned i = 0; i < 3; i++)
        heapmade_root(&m, 0xff, id_of(i));
    heapmade_node(&m, id_of(0), id_of(3), 0);
    heapmade_node(&m, id_of(1), id_of(4), 0);
    heapmade_node(&m, id_of(2), id_of(0), 0);
    heapmade_node(&m, id_of(3), id_of(4), 0);
    heapmade_node(&m, id_of(4), id_of(6), 0);
    heapmade_node(&m, id_of(5), id_of(4), 0);
    heapmade_node(&m, id_of(6), 0, 0);
    heapmade_end(&m);
    struct graph *g = open_made(file, NULL);
    dominate(g);
    struct several all = {.count = 0}, one = {.count = 0};
    graph_object end = graph_find(g, id_of(6));
    assert_int_equal(graph_path_all(g, end, UINT64_MAX, begin_path, count_step, &all), 0);
    assert_int_equal(all.count, 2);
    assert_int_equal(graph_id(g, all.roots[0]), id_of(1));
    assert_int_equal(graph_id(g, all.roots[1]), id_of(0));
    assert_int_equal(all.edges, 2 + 3);
    assert_int_equal(graph_path_all(g, end, 1, begin_path, count_step, &one), 0);
    assert_int_equal(one.count, 1);
    assert_int_equal(one.edges, 2);
    graph_close(g);
}

static void a_class_retains_what_its_objects_and_its_class_object_do(void **state)
{
    (void)state;
    struct heapmade m;
    FILE *file = heapmade_file(path);
    begin_plain(&m, file);
    heapmade_root(&m, 0xff, id_of(0));
    heapmade_node(&m, id_of(0), id_of(1), id_of(2));
    heapmade_node(&m, id_of(1), 0, 0); /* below another node: counts once */
    heapmade_bytes(&m, id_of(2), "0123456789", 10);
    heapmade_end(&m);
    struct graph *g = open_made(file, NULL);
    dominate(g);
    graph_class node = graph_class_named(g, "a.Node");
    struct graph_histo *rows = calloc(graph_class_count(g), sizeof(*rows));
    assert_non_null(rows);
    assert_int_equal(graph_histo(g, rows), 0);
    graph_object klass = graph_class_at(g, node)->object;
    uint64_t of_class = klass == GRAPH_NONE ? 0 : graph_retained(g, klass);
    assert_true(of_class > 0);
    assert_int_equal(rows[node].objects, 2);
    assert_int_equal(rows[node].retained_bytes,
                     graph_retained(g, graph_find(g, id_of(0))) + of_class);
    assert_int_equal(graph_id(g, rows[node].largest), id_of(0));
    /* All classes as one group retain all that can be reached. */
    uint32_t *group = calloc(graph_class_count(g), sizeof(*group));
    assert_non_null(group);
    assert_int_equal(graph_histo_of(g, group, 1, rows), 0);
    assert_int_equal(rows[0].retained_bytes, graph_facts(g)->reachable_bytes);
    assert_int_equal(rows[0].objects, graph_count(g));
    free(group);
    free(rows);
    graph_close(g);
}

static void a_thread_holds_what_is_in_its_frames(void **state)
{
    struct heapmade m;
    FILE *file = heapmade_file(path);
    begin_plain(&m, file);
    heapmade_thread(&m, id_of(0), 77);
    heapmade_local(&m, id_of(1), 77, 2);
    heapmade_node(&m, id_of(1), id_of(2), 0);
    heapmade_node(&m, id_of(2), 0, 0);
    /* The frame of a thread that the dump does not have. */
    heapmade_local(&m, id_of(3), 78, 0);
    heapmade_node(&m, id_of(3), 0, 0);
    heapmade_end(&m);
    struct graph *g = open_made(file, NULL);
    graph_object thread = graph_find(g, id_of(0));
    dominate(g);
    assert_int_equal(graph_dominator(g, graph_find(g, id_of(1))), thread);
    assert_int_equal(graph_dominator(g, graph_find(g, id_of(3))), GRAPH_ROOT);
    assert_int_equal(graph_dominator(g, thread), GRAPH_ROOT);
    assert_int_equal(graph_thread_of(g, thread)->serial, 77);
    const struct graph_root *root = graph_root_of(g, graph_find(g, id_of(1)));
    assert_int_equal(root->kind, GRAPH_ROOT_JAVA_FRAME);
    assert_int_equal(root->frame, 2);
    assert_int_equal(root->thread, thread);
    graph_close(g);
}

static void a_referent_is_kept_only_if_that_is_asked_for(void **state)
{
    for (int follows = 0; follows < 2; follows++) {
        struct graph_options options = {.memory_bytes = 64 << 20, .follows_weak = follows};
        struct heapmade m;
        FILE *file = heapmade_file(path);
        begin_plain(&m, file);
        heapmade_root(&m, 0xff, id_of(0));
        heapmade_reference(&m, id_of(0), id_of(1));
        heapmade_node(&m, id_of(1), 0, 0);
        heapmade_end(&m);
        struct graph *g = open_made(file, &options);
        dominate(g);
        assert_int_equal(graph_is_reachable(g, graph_find(g, id_of(1))), follows);
        graph_close(g);
    }
}

static void rings_that_no_root_reaches_are_not_reachable(void **state)
{
    struct heapmade m;
    FILE *file = heapmade_file(path);
    begin_plain(&m, file);
    heapmade_root(&m, 0xff, id_of(0));
    heapmade_node(&m, id_of(0), id_of(0), 0);
    heapmade_node(&m, id_of(1), id_of(2), 0);
    heapmade_node(&m, id_of(2), id_of(1), id_of(3));
    heapmade_node(&m, id_of(3), 0, id_of(0));
    heapmade_end(&m);
    struct graph *g = open_made(file, NULL);
    dominate(g);
    assert_int_equal(graph_facts(g)->reachable, 1 + CLASSES);
    assert_int_equal(graph_retained(g, graph_find(g, id_of(0))), 32);
    for (unsigned i = 1; i < 4; i++) {
        assert_false(graph_is_reachable(g, graph_find(g, id_of(i))));
        assert_int_equal(graph_retained(g, graph_find(g, id_of(i))), 0);
    }
    graph_close(g);
}

static void values_and_texts_are_read_when_asked_for(void **state)
{
    struct heapmade m;
    struct graph_value value;
    struct graph_info info;
    char text[8];
    uint64_t chars;
    FILE *file = heapmade_file(path);
    begin_plain(&m, file);
    heapmade_bytes(&m, id_of(0), "caf\xe9 latte", 10);
    heapmade_string(&m, id_of(1), id_of(0));
    heapmade_node(&m, id_of(2), id_of(1), 0xdead);
    const uint64_t to[] = {id_of(2), 0, id_of(1)};
    heapmade_array(&m, id_of(3), to, 3);
    heapmade_end(&m);
    struct graph *g = open_made(file, NULL);
    /* The text is cut at the end of a character. */
    assert_int_equal(graph_text(g, graph_find(g, id_of(1)), text, sizeof(text), &chars), 7);
    assert_string_equal(text, "caf\xc3\xa9 l");
    assert_int_equal(chars, 10);
    assert_int_equal(graph_text(g, graph_find(g, id_of(2)), text, sizeof(text), &chars),
                     E_NOT_FOUND);
    assert_int_equal(graph_value_of(g, graph_find(g, id_of(2)), "number", &value), 0);
    assert_int_equal(value.bits, id_of(2));
    assert_int_equal(graph_value_of(g, graph_find(g, id_of(2)), "right", &value), 0);
    assert_int_equal(value.object, GRAPH_NONE);
    assert_int_equal(value.bits, 0xdead);
    assert_int_equal(graph_value_elements(g, graph_find(g, id_of(3)), 2, 1, &value), 0);
    assert_int_equal(graph_id(g, value.object), id_of(1));
    assert_int_equal(graph_value_elements(g, graph_find(g, id_of(3)), 2, 2, &value), E_RANGE);
    assert_int_equal(graph_look(g, graph_find(g, id_of(3)), &info), 0);
    assert_int_equal(info.kind, GRAPH_OBJECT_ARRAY);
    assert_string_equal(graph_class_at(g, info.klass)->name, "a.Node[]");
    assert_int_equal(graph_look(g, graph_find(g, id_of(0)), &info), 0);
    assert_string_equal(graph_class_at(g, info.klass)->name, "byte[]");
    assert_int_equal(graph_find(g, 0xdead), GRAPH_NONE);
    graph_close(g);
}

static void objects_may_come_in_any_order_and_any_unit(void **state)
{
    /* Odd ids, descending, and one that is far away. */
    struct heapmade m;
    FILE *file = heapmade_file(path);
    begin_plain(&m, file);
    for (unsigned i = 1000; i-- > 0;)
        heapmade_node(&m, 0x10001 + i * 3, 0x10001 + (i + 1) % 1000 * 3, 0);
    heapmade_node(&m, UINT64_C(0xffffffffffffff77), 0x10001, 0);
    heapmade_root(&m, 0xff, UINT64_C(0xffffffffffffff77));
    heapmade_end(&m);
    struct graph *g = open_made(file, NULL);
    dominate(g);
    assert_int_equal(graph_count(g), 1001 + CLASSES);
    for (unsigned i = 0; i < 1000; i++) {
        struct graph_info info;
        graph_object o = graph_find(g, 0x10001 + i * 3);
        assert_int_equal(graph_id(g, o), 0x10001 + i * 3);
        assert_int_equal(graph_look(g, o, &info), 0);
        assert_int_equal(info.id, 0x10001 + i * 3);
        assert_true(graph_is_reachable(g, o));
    }
    assert_int_equal(graph_find(g, 0x10002), GRAPH_NONE);
    graph_close(g);
}

static void the_user_chooses_among_dumps(void **state)
{
    for (unsigned dump = 0; dump <= 2; dump++) {
        struct graph_options options = {.memory_bytes = 64 << 20, .dump = dump};
        struct heapmade m;
        FILE *file = heapmade_file(path);
        heapmade_begin(&m, file, 4, "JAVA PROFILE 1.0.2");
        for (unsigned i = 1; i <= 2; i++) {
            if (i > 1)
                heapmade_again(&m);
            heapmade_classes(&m, true);
            for (unsigned k = 0; k < i * 10; k++)
                heapmade_node(&m, id_of(k), 0, 0);
            heapmade_end(&m);
        }
        struct graph *g = open_made(file, &options);
        assert_int_equal(graph_facts(g)->dumps, 2);
        assert_int_equal(graph_facts(g)->instances, dump == 1 ? 10 : 20);
        graph_close(g);
    }
}

/* Objects that need some 20 MB of tables. */
static FILE *make_large(void)
{
    struct heapmade m;
    FILE *file = heapmade_file(path);
    begin_plain(&m, file);
    uint64_t random = 1;
    for (unsigned i = 0; i < LARGE; i++)
        heapmade_node(&m, id_of(i), id_of(i + 1),
                      id_of((unsigned)(splitmix_next(&random) % LARGE)));
    heapmade_root(&m, 0xff, id_of(0));
    heapmade_root(&m, 0xff, id_of(LARGE / 2));
    heapmade_end(&m);
    fflush(file);
    return file;
}

static void too_little_memory_without_a_file_is_said_and_not_taken(void **state)
{
    struct graph_options options = {.memory_bytes = 12 << 20, .tmp = "/proc/self/fd"};
    char why[GRAPH_WHY] = "";
    FILE *file = make_large();
    struct graph *g = NULL;
    int error = graph_open(path, &options, &g, why);
    if (error == 0)
        error = graph_dominate(g, why);
    assert_true(error < 0);
    assert_non_null(strstr(why, "--memory"));
    assert_non_null(strstr(why, "--tmp"));
    assert_int_equal(graph_retained(g, 0), 0);
    graph_close(g);
    fclose(file);
}

static void tables_that_do_not_fit_go_into_a_file(void **state)
{
    struct graph_options options = {.memory_bytes = 12 << 20, .tmp = tmp_folder()};
    FILE *file = make_large();
    struct graph *in_memory = open_kept(file, NULL), *g = open_kept(file, &options);
    dominate(in_memory);
    dominate(g);
    assert_false(in_memory->store.is_spilling);
    assert_true(g->store.is_spilling);
    assert_true(graph_facts(g)->memory_peak <= options.memory_bytes);
    for (graph_object o = 0; o < graph_count(g); o++) {
        assert_int_equal(graph_dominator(g, o), graph_dominator(in_memory, o));
        assert_int_equal(graph_retained(g, o), graph_retained(in_memory, o));
    }
    struct graph_histo rows[2][CLASSES + 16];
    assert_true(graph_class_count(g) <= CLASSES + 16);
    assert_int_equal(graph_histo(g, rows[0]), 0);
    assert_int_equal(graph_histo(in_memory, rows[1]), 0);
    assert_memory_equal(rows[0], rows[1], graph_class_count(g) * sizeof(rows[0][0]));
    struct path paths[2] = {{.count = 0}};
    graph_object far = graph_find(g, id_of(LARGE / 3));
    assert_int_equal(graph_path(g, far, take_step, &paths[0]), 0);
    assert_int_equal(graph_path(in_memory, far, take_step, &paths[1]), 0);
    assert_memory_equal(&paths[0], &paths[1], sizeof(paths[0]));
    prove(g);
    assert_true(graph_facts(g)->memory_peak <= options.memory_bytes);
    graph_close(in_memory);
    graph_close(g);
    fclose(file);
}

/* A dump with some of everything, as bytes. */
static size_t make_mixed(unsigned char **ret_bytes)
{
    char *bytes = NULL;
    size_t len = 0;
    struct heapmade m;
    FILE *file = open_memstream(&bytes, &len);
    heapmade_begin(&m, file, 8, "JAVA PROFILE 1.0.2");
    heapmade_classes(&m, true);
    heapmade_thread(&m, id_of(0), 5);
    for (unsigned i = 1; i < 30; i++) {
        uint64_t to[] = {id_of(i - 1), id_of(i + 1), id_of(i * 7 % 30)};
        if (i % 5 == 0)
            heapmade_array(&m, id_of(i), to, 3);
        else if (i % 7 == 0)
            heapmade_bytes(&m, id_of(i), "abcdefgh", 8);
        else
            heapmade_node(&m, id_of(i), to[0], to[2]);
        heapmade_local(&m, id_of(i), 5, i);
        if (i % 6 == 0)
            heapmade_cut(&m);
    }
    heapmade_end(&m);
    fclose(file);
    *ret_bytes = (unsigned char *)bytes;
    return len;
}

static void a_cut_file_is_analysed_up_to_the_cut(void **state)
{
    struct graph_options options = {.memory_bytes = 64 << 20};
    unsigned char *bytes;
    char why[GRAPH_WHY];
    size_t len = make_mixed(&bytes);
    uint64_t last = 0;
    for (size_t cut = 0; cut <= len; cut++) {
        struct graph *g = NULL;
        FILE *file = heapmade_file(path);
        fwrite(bytes, 1, cut, file);
        fflush(file);
        if (graph_open(path, &options, &g, why) == 0) {
            /* More bytes are never fewer objects, and only the whole file is whole. */
            assert_true(graph_count(g) >= last);
            last = graph_count(g);
            assert_int_equal(graph_dominate(g, why), 0);
            graph_close(g);
        } else {
            assert_int_equal(last, 0);
        }
        fclose(file);
    }
    assert_int_equal(last, 30 + CLASSES);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dominators_of_random_graphs_are_those_of_the_oracle),
        cmocka_unit_test(each_kind_of_wrong_tree_breaks_its_own_condition),
        cmocka_unit_test(of_all_trees_of_a_small_graph_one_is_accepted),
        cmocka_unit_test(a_long_chain_of_objects_needs_no_recursion),
        cmocka_unit_test(items_of_a_long_queue_that_its_owner_holds_too),
        cmocka_unit_test(the_path_is_a_shortest_one),
        cmocka_unit_test(each_root_has_a_path_the_nearest_first),
        cmocka_unit_test(a_class_retains_what_its_objects_and_its_class_object_do),
        cmocka_unit_test(a_thread_holds_what_is_in_its_frames),
        cmocka_unit_test(a_referent_is_kept_only_if_that_is_asked_for),
        cmocka_unit_test(rings_that_no_root_reaches_are_not_reachable),
        cmocka_unit_test(values_and_texts_are_read_when_asked_for),
        cmocka_unit_test(objects_may_come_in_any_order_and_any_unit),
        cmocka_unit_test(the_user_chooses_among_dumps),
        cmocka_unit_test(each_wrong_dominator_and_size_of_small_graphs_is_found),
        cmocka_unit_test(too_little_memory_without_a_file_is_said_and_not_taken),
        cmocka_unit_test(tables_that_do_not_fit_go_into_a_file),
        cmocka_unit_test(a_cut_file_is_analysed_up_to_the_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
