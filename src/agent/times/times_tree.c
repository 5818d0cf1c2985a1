/*
 * times_tree.c - see times_tree.h.
 *
 * A node's owner is its thread; other threads look only at parent, id, count, time and made. The
 * lock guards the lists of threads and the places of stacks. A thread that calls along known paths
 * never takes the lock. Lock order: this lock, then that of times_node.c.
 *
 * A thread still runs after the event of its end. A virtual thread runs until its carrier has left
 * it, which the scheduler may delay by any time. So the paths of a thread are given back only when
 * nothing can run in it any more: the OS thread that it ended on ends another thread, or is gone.
 *
 * A thread may be at work on its block when a run ends, and when the next one begins. So a block of
 * the earlier run stays as it is until its own thread comes here. The thread comes here because the
 * table of the tracker was emptied. Until then nothing of such a block is read.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_tree.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agent/times/times_read.h"
#include "agent/times/times_since.h"
#include "base/lock.h"
#include "base/os_thread.h"
#include "base/pages.h"

enum {
    STACK_MIN = 32, /* room for open calls of a thread at first */
    /* so many blocks of ended threads may wait until ended OS threads are looked for */
    LEFT_MIN = 64,
    NO_TID = -1,
};

static struct {
    struct lock lock;
    struct times_block **table; /* for the tracker: the last thread seen in each slot */
    struct times_block **heads; /* all threads of each slot */
    struct times_block *spare;
    struct times_block *left; /* ended threads whose paths are not given back yet */
    uint32_t left_count, left_limit;
    struct times_paths dead; /* the merged paths of ended threads */
    struct times_tree_config config;
    _Atomic uint64_t lost;
    _Atomic uint32_t run;
    _Atomic bool rests; /* no recording counts, and new threads get no block */
    int per_thread;
    struct times_since *since[TIMES_NODE_PLACES]; /* by the place of a recording */
} tree = {.lock = LOCK_INIT(TREES)};

static struct times_call no_calls[1];
static struct times_node dead_root;
static struct times_block no_block = {.tid = NO_TID, .top = no_calls, .stack = no_calls};

static void count_lost(uint64_t calls)
{
    atomic_fetch_add_explicit(&tree.lost, calls, memory_order_relaxed);
}

static size_t slot_of(int64_t tid)
{
    return (uint64_t)tid % TIMES_SLOTS;
}

static bool is_stale(const struct times_block *b)
{
    return b->run != atomic_load_explicit(&tree.run, memory_order_relaxed);
}

/* ---- calls */

void times_tree_spend(struct times_block *b, int64_t time)
{
    if (!tree.config.has_totals)
        b->top->child += time;
}

struct times_node *times_tree_callee(struct times_block *b, int32_t id)
{
    struct times_node *caller = b->top->node, *n = NULL;
    if (!times_node_is_shared(caller)) {
        n = times_paths_callee(&b->paths, caller, id);
        if (!n && id == TIMES_PROBE)
            n = times_node_probe();
        if (n)
            caller->last = n;
    } else {
        n = times_paths_find_open(&b->paths, b->top, (uint32_t)(b->top - b->stack), id);
    }
    return n ? n : times_node_of_method(id);
}

bool times_tree_is_new(const struct times_block *b, int32_t id)
{
    if (b->top == b->limit)
        return true;
    return !times_node_is_shared(b->top->node) && times_node_has_room(&b->paths.stock) &&
           !times_paths_find(&b->paths, b->top->node, id);
}

/* A stack is moved only by its own thread; other threads read it under the lock. */
static int grow_stack(struct times_block *b)
{
    size_t count = (size_t)(b->limit - b->stack) + 1, more = 2 * count;
    struct times_call *old = b->stack, *stack = malloc(more * sizeof(*stack));
    if (!stack)
        return 0;
    memcpy(stack, old, count * sizeof(*stack));
    lock_take(&tree.lock);
    b->top = stack + (b->top - old);
    b->stack = stack;
    b->limit = stack + more - 1;
    lock_give(&tree.lock);
    free(old);
    return 1;
}

int64_t times_tree_enter(struct times_block *b, struct times_node *n, int64_t now)
{
    int64_t place;
    if (!n || (b->top == b->limit && !grow_stack(b))) {
        if (!n || n->id >= 0)
            count_lost(1);
        return 0;
    }
    b->top[1] = (struct times_call){.node = n, .entered = now};
    __atomic_store_n(&b->top, b->top + 1, __ATOMIC_RELEASE);
    place = (b->top - b->stack) * (int64_t)sizeof(*b->top);
    return times_node_is_shared(n) ? -place : place;
}

/* End the innermost call. */
static void leave(struct times_block *b, int64_t now)
{
    const struct times_call *call = b->top;
    struct times_call *caller = b->top - 1;
    int64_t took = now - call->entered;
    bool has_totals = tree.config.has_totals;
    times_node_add(call->node, 1, has_totals ? took : took - call->child, call->made);
    times_node_add_call(call->node, took);
    caller->child += took;
    caller->made += 1 + (has_totals ? call->made : 0);
    __atomic_store_n(&b->top, caller, __ATOMIC_RELEASE);
}

void times_tree_unwind(struct times_block *b, int64_t place, int leaves, int64_t now)
{
    int64_t at = (place < 0 ? -place : place) / (int64_t)sizeof(*b->stack);
    if (at == 0 || at > b->top - b->stack || is_stale(b))
        return;
    while (b->top - b->stack > at)
        leave(b, now);
    if (leaves)
        leave(b, now);
}

uint32_t times_tree_open(const struct times_block *b, int32_t *ret_ids, uint32_t max)
{
    uint32_t depth = (uint32_t)(b->top - b->stack);
    for (uint32_t i = 0; i < depth && i < max; i++)
        ret_ids[i] = b->stack[i + 1].node->id;
    return depth;
}

void times_tree_cut(struct times_block *b, uint32_t calls, int64_t now)
{
    for (; calls > 0 && b->top != b->stack; calls--)
        leave(b, now);
}

/* ---- threads */

static struct times_block *find_block(int64_t tid)
{
    struct times_block *b = tree.heads[slot_of(tid)];
    while (b && b->tid != tid)
        b = b->chain;
    return b;
}

/* Needs the lock. */
static struct times_block *make_block(int64_t tid)
{
    struct times_block *b = tree.spare;
    struct times_call *stack = calloc(STACK_MIN, sizeof(*stack));
    if (b && stack)
        tree.spare = b->next;
    else if (stack)
        b = calloc(1, sizeof(*b) + sizeof(struct times_node));
    if (!b || !stack) {
        free(stack);
        return NULL;
    }
    times_paths_begin(&b->paths, (struct times_node *)(b + 1), tree.dead.window);
    stack->node = b->paths.root;
    b->top = b->stack = stack;
    b->limit = stack + STACK_MIN - 1;
    b->is_ended = 0;
    b->run = tree.run;
    b->tid = tid;
    b->chain = tree.heads[slot_of(tid)];
    tree.heads[slot_of(tid)] = b;
    return b;
}

/*
 * Prepare a block of the earlier run for this run; only the block's own thread does this. Needs the
 * lock.
 */
static void begin_anew(struct times_block *b)
{
    times_node_give(b->paths.root->next);
    times_paths_end(&b->paths);
    times_paths_begin(&b->paths, (struct times_node *)(b + 1), tree.dead.window);
    b->paths.root->thread = b->thread;
    b->stack->node = b->paths.root;
    b->stack->child = b->stack->made = 0;
    b->top = b->stack;
    b->seen = (struct times_seen){0};
    b->run = tree.run;
}

struct times_block *times_tree_block(int64_t tid)
{
    struct times_block *b = NULL;
    if (tid > 0 && !atomic_load_explicit(&tree.rests, memory_order_relaxed)) {
        lock_take(&tree.lock);
        b = find_block(tid);
        if (!b)
            b = make_block(tid);
        else if (is_stale(b))
            begin_anew(b);
        if (b)
            __atomic_store_n(&tree.table[slot_of(tid)], b, __ATOMIC_RELEASE);
        lock_give(&tree.lock);
    }
    if (!b)
        count_lost(1);
    return b;
}

struct times_block *times_tree_find(int64_t tid)
{
    struct times_block *b = __atomic_load_n(&tree.table[slot_of(tid)], __ATOMIC_ACQUIRE);
    if (b->tid == tid)
        return b;
    lock_take(&tree.lock);
    b = find_block(tid);
    lock_give(&tree.lock);
    return b;
}

void times_tree_thread(int64_t tid, uint32_t thread)
{
    struct times_block *b = NULL;
    if (tid <= 0)
        return;
    lock_take(&tree.lock);
    b = find_block(tid);
    if (!b)
        b = make_block(tid);
    if (b)
        b->thread = thread;
    if (b && !is_stale(b))
        b->paths.root->thread = thread;
    lock_give(&tree.lock);
}

static void recycle(struct times_block *b)
{
    struct times_block **at = &tree.heads[slot_of(b->tid)];
    times_node_give(is_stale(b) ? b->paths.root->next : times_paths_merge(&tree.dead, &b->paths));
    times_paths_end(&b->paths);
    free(b->stack);
    while (*at && *at != b)
        at = &(*at)->chain;
    if (*at)
        *at = b->chain;
    if (tree.table[slot_of(b->tid)] == b)
        __atomic_store_n(&tree.table[slot_of(b->tid)], &no_block, __ATOMIC_RELEASE);
    *b = (struct times_block){.tid = NO_TID, .next = tree.spare};
    tree.spare = b;
}

/*
 * Give back the paths of threads that ended earlier on this OS thread; now and then also of threads
 * whose OS thread is gone.
 */
static void give_back_left(int32_t os_thread)
{
    struct times_block **at = &tree.left;
    bool is_sweep = tree.left_count >= tree.left_limit;
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

/* Keep the block until its OS thread works for another thread; then it may be given back. */
static void leave_block(struct times_block *b)
{
    b->next = tree.left;
    tree.left = b;
    tree.left_count++;
}

/* Calls of the block have ended that were open when recordings began. */
static void settle_since(const struct times_block *b)
{
    struct times_node_view v = times_node_view();
    for (int place = 0; place < TIMES_NODE_PLACES; place++) {
        struct times_since *s = times_since_find(tree.since[place], b->tid);
        if (s)
            times_since_settle(s, b, v, place);
    }
}

void times_tree_end(int64_t tid, int64_t now)
{
    struct times_block *b;
    lock_take(&tree.lock);
    b = find_block(tid);
    if (b && !b->is_ended) {
        b->is_ended = 1;
        if (is_stale(b))
            begin_anew(b);
        while (b->top != b->stack)
            leave(b, now);
        settle_since(b);
        b->os_thread = gettid();
        give_back_left(b->os_thread);
        b->is_kept = tree.per_thread && b->thread != 0;
        if (!b->is_kept)
            leave_block(b);
    }
    lock_give(&tree.lock);
}

/* ---- the whole */

static void stop_keeping(struct times_block *b)
{
    if (b->is_kept)
        leave_block(b);
    b->is_kept = 0;
}

/* Make all blocks those of the earlier run. Needs the lock. */
static void turn_blocks(void)
{
    for (size_t i = 0; i < TIMES_SLOTS; i++) {
        __atomic_store_n(&tree.table[i], &no_block, __ATOMIC_RELEASE);
        for (struct times_block *b = tree.heads[i]; b; b = b->chain) {
            stop_keeping(b);
            b->had_thread = b->had_thread || b->thread != 0;
            b->thread = 0;
        }
    }
}

/*
 * Begin another run. What was counted until now is in no later table, because no recording has
 * joined yet.
 */
static int begin_again(const struct times_tree_config *config)
{
    lock_take(&tree.lock);
    turn_blocks();
    times_node_give(dead_root.next);
    times_paths_end(&tree.dead);
    times_paths_begin(&tree.dead, &dead_root, UINT32_MAX);
    times_node_forget_calls();
    tree.config = *config;
    atomic_store(&tree.lost, 0);
    atomic_fetch_add(&tree.run, 1);
    atomic_store(&tree.rests, false);
    lock_give(&tree.lock);
    return 0;
}

void times_tree_rest(void)
{
    atomic_store(&tree.rests, true);
}

int times_tree_init(const struct times_tree_config *config)
{
    if (tree.dead.root)
        return begin_again(config);
    tree.config = *config;
    tree.left_limit = LEFT_MIN;
    tree.table = pages_map(TIMES_SLOTS * sizeof(struct times_block *));
    tree.heads = pages_map(TIMES_SLOTS * sizeof(struct times_block *));
    if (!tree.table || !tree.heads || times_node_init(config->bytes, config->methods) != 0)
        return -ENOMEM;
    for (size_t i = 0; i < TIMES_SLOTS; i++)
        tree.table[i] = &no_block;
    times_paths_begin(&tree.dead, &dead_root, UINT32_MAX);
    return 0;
}

void times_tree_sweep(void)
{
    lock_take(&tree.lock);
    for (size_t i = 0; i < TIMES_SLOTS; i++) {
        for (struct times_block *b = tree.heads[i], *next; b; b = next) {
            next = b->chain;
            if (is_stale(b) && b->had_thread && b->thread == 0 && !b->is_ended)
                recycle(b);
        }
    }
    lock_give(&tree.lock);
}

void times_tree_set_window(uint32_t window)
{
    tree.dead.window = window;
}

struct times_block **times_tree_table(void)
{
    return tree.table;
}

int times_tree_add_method(int32_t id)
{
    return times_node_add_method(id);
}

uint32_t times_tree_window(void)
{
    return tree.dead.window;
}

/* ---- reading */

/*
 * The block of this run after `b`; NULL: the first block; returns NULL at the end. *at counts
 * slots.
 */
static struct times_block *next_block(const struct times_block *b, size_t *at)
{
    struct times_block *next = b ? b->chain : NULL;
    for (;;) {
        while (next && is_stale(next))
            next = next->chain;
        if (next || *at == TIMES_SLOTS)
            return next;
        next = tree.heads[(*at)++];
    }
}

static int64_t now_of(const struct times_block *b, int64_t now)
{
    return tree.config.now_of ? tree.config.now_of(&b->cpu) : now;
}

/* Needs the lock. */
static int read_all(const struct times_reading *how, struct times_node_view v,
                    struct times_row *rows)
{
    struct times_since *since = tree.since[how->place];
    size_t at = 0;
    int error = 0;
    for (const struct times_block *b = NULL; since && (b = next_block(b, &at)) != NULL;)
        settle_since(b);
    times_read_nodes(v, how, rows);
    at = 0;
    for (const struct times_block *b = NULL; !error && (b = next_block(b, &at)) != NULL;)
        error = times_read_stack(v, b, times_since_find(since, b->tid), now_of(b, how->now), rows);
    return error;
}

/*
 * Note what was before a recording: first the stacks, then the bases; a call that ends in between
 * is in the bases. Needs the lock.
 */
static int note_past(int place, int64_t now)
{
    struct times_node_view v = times_node_view();
    size_t at = 0;
    int error = 0;
    for (const struct times_block *b = NULL; !error && (b = next_block(b, &at)) != NULL;)
        error = times_since_take(&tree.since[place], b, now_of(b, now), tree.config.has_totals);
    for (uint32_t i = 0; i < v.count; i++)
        if (__atomic_load_n(&times_node_at(v, i)->id, __ATOMIC_ACQUIRE) != TIMES_FREE)
            times_read_base(times_node_at(v, i), times_node_base_at(v, place, i));
    at = 0;
    for (const struct times_block *b = NULL; !error && (b = next_block(b, &at)) != NULL;) {
        struct times_since *s = times_since_find(tree.since[place], b->tid);
        if (s)
            times_since_drop(s, b);
    }
    return error;
}

/* Needs the lock. */
static void part(int place)
{
    times_since_free(tree.since[place]);
    tree.since[place] = NULL;
    times_node_part(place);
}

int times_tree_join(int place, int64_t now)
{
    int error;
    lock_take(&tree.lock);
    error = times_node_join(place);
    if (!error)
        error = note_past(place, now);
    if (error)
        part(place);
    lock_give(&tree.lock);
    return error;
}

void times_tree_part(int place)
{
    lock_take(&tree.lock);
    part(place);
    lock_give(&tree.lock);
}

void times_tree_set_per_thread(int per_thread)
{
    size_t at = 0;
    lock_take(&tree.lock);
    tree.per_thread = per_thread;
    for (struct times_block *b = NULL; !per_thread && (b = next_block(b, &at)) != NULL;)
        stop_keeping(b);
    lock_give(&tree.lock);
}

int times_tree_read(const struct times_reading *how, struct times_row **ret_rows,
                    uint32_t *ret_count)
{
    struct times_node_view v;
    struct times_row *rows;
    int error;
    lock_take(&tree.lock);
    v = times_node_view();
    rows = calloc((size_t)v.count + 1, sizeof(*rows));
    error = rows ? read_all(how, v, rows) : -ENOMEM;
    lock_give(&tree.lock);
    if (error) {
        free(rows);
        return error;
    }
    *ret_rows = rows;
    *ret_count = v.count;
    return 0;
}

void times_tree_read_spreads(struct times_method_spread *ret, uint32_t methods)
{
    lock_take(&tree.lock);
    times_read_spreads(times_node_view(), ret, methods);
    lock_give(&tree.lock);
}

uint64_t times_tree_lost(void)
{
    return atomic_load(&tree.lost);
}

uint32_t times_tree_nodes(void)
{
    return times_node_used();
}
