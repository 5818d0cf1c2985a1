/*
 * times_tree.c - see times_tree.h.
 *
 * Nodes are never moved and never given back singly: a thread takes some at a time, and those of an
 * ended thread are merged into a tree of the dead and handed out again. A node's owner is its
 * thread; others look at parent, id, count and time only. The lock guards all lists; a thread that
 * only enters and leaves known nodes never takes it.
 *
 * A thread runs on behind the event of its end: a virtual one until its carrier has let go of it,
 * and that may be put off by the scheduler for any time. Its tree is given back when nothing can
 * run in it any more: the OS thread that it ended on ends another one, or is gone.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_tree.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
#include "agent/times/times_read.h"
#include "base/os_thread.h"
#include "base/pages.h"

enum {
    STOCK = 16,       /* nodes that a thread takes at a time */
    FEW = 8,          /* nodes of a thread that are found without a hash table, */
    HASH_MIN = 64,    /* and its size at first */
    LEFT_MIN = 64,    /* so many trees of ended threads may wait before OS threads are looked for */
    ROOTS_SHARE = 16, /* one node of so many is for threads to come */
    NO_TID = -1,
};

static struct {
    pthread_mutex_t lock;
    struct times_node *nodes;      /* the arena */
    struct times_read_base *bases; /* by the same numbers */
    uint32_t capacity, used;
    uint32_t for_roots; /* so many nodes are kept for threads to come */
    struct times_node *free;
    uint32_t free_count;
    struct times_block **table; /* what the tracker reads: the last thread seen in each slot, */
    struct times_block **heads; /* and all of them */
    struct times_block *spare;
    struct times_block *left; /* ended threads, whose trees are not given back yet */
    uint32_t left_count, left_limit;
    struct times_block dead; /* the merged trees of ended threads */
    int per_thread;
    int is_cleared; /* some bases are not 0 */
    _Atomic uint64_t lost;
    _Atomic uint64_t *unplaced; /* calls without a node, by method */
    uint32_t methods;
} tree = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct times_node no_node = {.id = TIMES_NONE}; /* instead of NULL, for the tracker */
static struct times_block no_block = {.tid = NO_TID};

/* Calls that have no node are counted for their method alone; those of the calibration are none. */
static void count_unplaced(int32_t id, uint64_t calls)
{
    if (id >= 0)
        atomic_fetch_add_explicit((uint32_t)id < tree.methods ? &tree.unplaced[id] : &tree.lost,
                                  calls, memory_order_relaxed);
}

static size_t slot_of(int64_t tid)
{
    return (uint64_t)tid % TIMES_SLOTS;
}

/* A node from the arena, or from ended threads, if more than `kept` are left. Needs the lock. */
static struct times_node *take_node(uint32_t kept)
{
    struct times_node *n = tree.free;

    if (tree.free_count + (tree.capacity - tree.used) <= kept)
        return NULL;
    if (n) {
        tree.free = n->next;
        tree.free_count--;
    } else if (tree.used < tree.capacity) {
        n = &tree.nodes[tree.used++];
        n->id = TIMES_FREE;
    }
    return n;
}

static struct times_read_base *base_of(const struct times_node *n)
{
    return &tree.bases[n - tree.nodes];
}

static void give_node(struct times_node *n)
{
    if (tree.is_cleared)
        *base_of(n) = (struct times_read_base){0};
    __atomic_store_n(&n->id, TIMES_FREE, __ATOMIC_RELEASE);
    n->next = tree.free;
    tree.free = n;
    tree.free_count++;
}

/* A node for `b` alone: without the lock while its stock lasts. */
static struct times_node *take_for(struct times_block *b)
{
    struct times_node *n = b->stock;

    if (!n) {
        pthread_mutex_lock(&tree.lock);
        for (int i = 0; i < STOCK && (n = take_node(tree.for_roots)) != NULL; i++) {
            n->next = b->stock;
            b->stock = n;
        }
        pthread_mutex_unlock(&tree.lock);
        n = b->stock;
    }
    if (n)
        b->stock = n->next;
    return n;
}

/* The id last: who reads the arena looks at nothing else of a node that has none. */
static void begin_node(struct times_block *b, struct times_node *n, struct times_node *parent,
                       int32_t id)
{
    n->count = n->time = n->entered = n->base_count = 0;
    n->parent = parent;
    n->last = &no_node;
    n->thread = 0;
    n->next = NULL;
    if (b->newest)
        b->newest->next = n;
    b->newest = n;
    b->node_count++;
    __atomic_store_n(&n->id, id, __ATOMIC_RELEASE);
}

/* ---- children */

static void hash_add(struct times_block *b, struct times_node *n)
{
    uint64_t mask = (uint64_t)b->hash_mask, at = times_tree_hash(n->parent, n->id);

    while (b->hash[at & mask])
        at++;
    b->hash[at & mask] = n;
}

/* Twice the room of the nodes at least. Without memory the old table stays, and then fills up: the
 * caller asks hash_has_room(). */
static void hash_grow(struct times_block *b)
{
    uint64_t size = b->hash ? 4 * ((uint64_t)b->hash_mask + 1) : HASH_MIN;
    struct times_node **table = calloc(size, sizeof(struct times_node *));

    if (!table)
        return;
    free(b->hash);
    b->hash = table;
    b->hash_mask = (int64_t)size - 1;
    for (struct times_node *n = b->root; n; n = n->next)
        hash_add(b, n);
}

static int hash_has_room(struct times_block *b)
{
    if (b->node_count >= FEW && (!b->hash || 2 * (int64_t)b->node_count > b->hash_mask))
        hash_grow(b);
    return b->hash ? b->node_count < b->hash_mask : b->node_count < FEW;
}

static struct times_node *find_child(const struct times_block *b, const struct times_node *parent,
                                     int32_t id)
{
    if (!b->hash) {
        for (struct times_node *n = b->root; n; n = n->next)
            if (n->parent == parent && n->id == id)
                return n;
        return NULL;
    }
    for (uint64_t at = times_tree_hash(parent, id);; at++) {
        struct times_node *n = b->hash[at & (uint64_t)b->hash_mask];

        if (!n || (n->parent == parent && n->id == id))
            return n;
    }
}

/* `n` is a node for it if it is new. Returns it. */
static struct times_node *add_child(struct times_block *b, struct times_node *n,
                                    struct times_node *parent, int32_t id)
{
    begin_node(b, n, parent, id);
    if (b->hash)
        hash_add(b, n);
    return n;
}

struct times_node *times_tree_child(struct times_block *b, int32_t id)
{
    struct times_node *parent = b->cur, *n = find_child(b, parent, id);

    if (!n) {
        if (hash_has_room(b))
            n = take_for(b);
        if (!n) {
            count_unplaced(id, 1);
            return NULL;
        }
        add_child(b, n, parent, id);
    }
    parent->last = n;
    return n;
}

static void close_node(struct times_node *n, int64_t now)
{
    if (n->time < 0)
        n->time += now;
}

void times_tree_unwind(struct times_block *b, struct times_node *node, int leave, int64_t now)
{
    const struct times_node *n = b->cur;

    while (n != node && n != b->root)
        n = n->parent;
    if (n != node || node == b->root)
        return;
    for (struct times_node *at = b->cur; at != node; at = at->parent)
        close_node(at, now);
    if (leave)
        close_node(node, now);
    b->cur = leave ? node->parent : node;
}

int times_tree_is_new(const struct times_block *b, int32_t id)
{
    int has_room = b->stock != NULL;

    if (find_child(b, b->cur, id))
        return 0;
    if (!has_room) {
        pthread_mutex_lock(&tree.lock);
        has_room = tree.free_count + (tree.capacity - tree.used) > tree.for_roots;
        pthread_mutex_unlock(&tree.lock);
    }
    return has_room;
}

uint32_t times_tree_open(const struct times_block *b, int32_t *ret_ids, uint32_t max)
{
    uint32_t depth = 0, at;

    for (const struct times_node *n = b->cur; n != b->root; n = n->parent)
        depth++;
    at = depth;
    for (const struct times_node *n = b->cur; n != b->root; n = n->parent)
        if (--at < max)
            ret_ids[at] = n->id;
    return depth;
}

void times_tree_cut(struct times_block *b, uint32_t calls, int64_t now)
{
    for (; calls > 0 && b->cur != b->root; calls--) {
        close_node(b->cur, now);
        b->cur = b->cur->parent;
    }
}

/* ---- threads */

static struct times_block *find_block(int64_t tid)
{
    struct times_block *b = tree.heads[slot_of(tid)];

    while (b && b->tid != tid)
        b = b->chain;
    return b;
}

static int begin_tree(struct times_block *b)
{
    struct times_node *root = take_node(0);

    if (!root)
        return -ENOMEM;
    b->root = NULL;
    b->newest = NULL;
    b->node_count = 0;
    begin_node(b, root, root, TIMES_ROOT);
    b->root = root;
    b->cur = root;
    return 0;
}

/* Needs the lock. */
static struct times_block *make_block(int64_t tid)
{
    struct times_block *b = tree.spare;

    if (b)
        tree.spare = b->next;
    else
        b = calloc(1, sizeof(*b));
    if (!b)
        return NULL;
    if (begin_tree(b) != 0) {
        b->next = tree.spare;
        tree.spare = b;
        return NULL;
    }
    b->is_ended = 0;
    b->tid = tid;
    b->chain = tree.heads[slot_of(tid)];
    tree.heads[slot_of(tid)] = b;
    return b;
}

struct times_block *times_tree_block(int64_t tid)
{
    struct times_block *b = NULL;

    if (tid > 0) {
        pthread_mutex_lock(&tree.lock);
        b = find_block(tid);
        if (!b)
            b = make_block(tid);
        if (b)
            __atomic_store_n(&tree.table[slot_of(tid)], b, __ATOMIC_RELEASE);
        pthread_mutex_unlock(&tree.lock);
    }
    if (!b)
        atomic_fetch_add_explicit(&tree.lost, 1, memory_order_relaxed);
    return b;
}

void times_tree_thread(int64_t tid, uint32_t thread)
{
    struct times_block *b = times_tree_block(tid);

    if (b)
        b->root->thread = thread;
}

/* `n`, of an ended thread, becomes a node of the dead itself. */
static void adopt(struct times_node *n, struct times_node *parent)
{
    if (n->time < 0)
        n->time = 0;
    n->parent = parent;
    n->thread = 0;
    n->next = NULL;
    tree.dead.newest->next = n;
    tree.dead.newest = n;
    tree.dead.node_count++;
    if (tree.dead.hash)
        hash_add(&tree.dead, n);
}

static void add_to(struct times_node *to, const struct times_node *n)
{
    to->count += n->count;
    to->time += n->time > 0 ? n->time : 0;
    to->base_count += n->base_count;
    base_of(to)->time += base_of(n)->time;
    base_of(to)->self += base_of(n)->self;
}

/*
 * The nodes of an ended thread, in the order of making, are added to those of the dead, or go there
 * where these have none like them; the first stay in its list. `last` says meanwhile what became of
 * a node. What finds no place keeps its count of calls.
 */
static void merge(struct times_block *b)
{
    struct times_node *newest = tree.dead.newest, *stays = b->root, *next;

    b->root->last = tree.dead.root;
    for (struct times_node *n = b->root->next; n; n = next) {
        struct times_node *parent = n->parent->last, *to = &no_node;

        next = n->next;
        if (parent != &no_node && hash_has_room(&tree.dead)) {
            to = find_child(&tree.dead, parent, n->id);
            if (!to) {
                adopt(n, parent);
                n->last = n;
                continue;
            }
            add_to(to, n);
        } else {
            count_unplaced(n->id, (uint64_t)(n->count - n->base_count));
        }
        n->last = to;
        stays->next = n;
        stays = n;
    }
    stays->next = NULL;
    for (struct times_node *n = newest->next; n; n = n->next)
        n->last = &no_node;
}

static void give_all(struct times_node *n)
{
    while (n) {
        struct times_node *next = n->next;

        give_node(n);
        n = next;
    }
}

static void recycle(struct times_block *b)
{
    struct times_block **at = &tree.heads[slot_of(b->tid)];

    merge(b);
    while (*at && *at != b)
        at = &(*at)->chain;
    if (*at)
        *at = b->chain;
    if (tree.table[slot_of(b->tid)] == b)
        __atomic_store_n(&tree.table[slot_of(b->tid)], &no_block, __ATOMIC_RELEASE);
    give_all(b->root);
    give_all(b->stock);
    free(b->hash);
    *b = (struct times_block){.tid = NO_TID, .next = tree.spare};
    tree.spare = b;
}

/* What this OS thread ended before; now and then also what those ended that are gone. */
static void give_back_left(int32_t os_thread)
{
    struct times_block **at = &tree.left;
    int is_sweep = tree.left_count >= tree.left_limit;

    while (*at) {
        struct times_block *b = *at;

        if (b->os_thread == os_thread || (is_sweep && os_thread_is_gone(b->os_thread))) {
            *at = b->next;
            tree.left_count--;
            recycle(b);
        } else {
            at = &b->next;
        }
    }
    if (is_sweep)
        tree.left_limit = LEFT_MIN + 2 * tree.left_count;
}

void times_tree_end(int64_t tid, int64_t now)
{
    struct times_block *b;

    pthread_mutex_lock(&tree.lock);
    b = find_block(tid);
    if (b && !b->is_ended) {
        b->is_ended = 1;
        for (struct times_node *n = b->root; n; n = n->next)
            close_node(n, now);
        b->cur = b->root;
        b->os_thread = gettid();
        give_back_left(b->os_thread);
        if (!tree.per_thread || !b->root || b->root->thread == 0) {
            b->next = tree.left;
            tree.left = b;
            tree.left_count++;
        }
    }
    pthread_mutex_unlock(&tree.lock);
}

/* ---- the whole */

int times_tree_init(size_t bytes, uint32_t methods, int per_thread)
{
    uint64_t capacity = bytes / (sizeof(struct times_node) + sizeof(struct times_read_base));

    if (tree.dead.root) { /* an attach that failed came before: threads may know its trees */
        tree.per_thread = per_thread;
        return 0;
    }
    tree.capacity = capacity < UINT32_MAX ? (uint32_t)capacity : UINT32_MAX;
    tree.for_roots = tree.capacity / ROOTS_SHARE;
    tree.per_thread = per_thread;
    tree.left_limit = LEFT_MIN;
    tree.nodes = pages_map((size_t)tree.capacity * sizeof(struct times_node));
    tree.bases = pages_map((size_t)tree.capacity * sizeof(struct times_read_base));
    tree.table = pages_map(TIMES_SLOTS * sizeof(struct times_block *));
    tree.heads = pages_map(TIMES_SLOTS * sizeof(struct times_block *));
    tree.unplaced = pages_map(methods * sizeof(*tree.unplaced));
    tree.methods = methods;
    if (!tree.nodes || !tree.bases || !tree.table || !tree.heads || !tree.unplaced ||
        begin_tree(&tree.dead) != 0)
        return -ENOMEM;
    for (size_t i = 0; i < TIMES_SLOTS; i++)
        tree.table[i] = &no_block;
    return 0;
}

struct times_block **times_tree_table(void)
{
    return tree.table;
}

/* Without a clock no time says which calls are open: those on the stacks are. */
static void find_open(struct times_row *rows)
{
    for (size_t i = 0; i < TIMES_SLOTS; i++)
        for (const struct times_block *b = tree.heads[i]; b; b = b->chain)
            for (const struct times_node *n = b->cur; n != b->root; n = n->parent)
                rows[n - tree.nodes].is_open = 1;
}

int times_tree_read(int64_t now, int clear, struct times_row **ret_rows, uint32_t *ret_count)
{
    struct times_row *rows;
    int error = -ENOMEM;

    pthread_mutex_lock(&tree.lock);
    rows = calloc((size_t)tree.used + 1, sizeof(*rows));
    if (rows && now == 0)
        find_open(rows);
    if (rows)
        error = times_read(tree.nodes, tree.bases, tree.used, now, clear, rows);
    tree.is_cleared |= clear;
    if (error) {
        free(rows);
    } else {
        *ret_rows = rows;
        *ret_count = tree.used;
    }
    pthread_mutex_unlock(&tree.lock);
    return error;
}

uint64_t times_tree_take_unplaced(int32_t id)
{
    return id >= 0 && (uint32_t)id < tree.methods ? atomic_exchange(&tree.unplaced[id], 0) : 0;
}

uint64_t times_tree_lost(void)
{
    return atomic_load(&tree.lost);
}

uint32_t times_tree_nodes(void)
{
    uint32_t n;

    pthread_mutex_lock(&tree.lock);
    n = tree.used - tree.free_count;
    pthread_mutex_unlock(&tree.lock);
    return n;
}
