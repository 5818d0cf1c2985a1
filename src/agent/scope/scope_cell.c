/*
 * scope_cell.c - see scope_cell.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/scope/scope_cell.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agent/scope/scope_record.h"
#include "base/lock.h"

enum {
    BUCKETS = 4096,
    BLOCK = 64, /* cells for virtual threads that are allocated at once */
    BLOCKS_MAX = 1024,
};

static struct {
    struct lock lock;
    pthread_key_t key; /* its destructor runs at the end of a thread */
    bool has_key;
    struct scope_thread *threads[BUCKETS], *free_threads; /* live threads, by tid */
    struct scope_cell *unmounted[BUCKETS], *free_cells;   /* cells of virtual threads, by java_id */
    struct scope_cell *blocks[BLOCKS_MAX];
    uint32_t block_count;
    _Atomic uint32_t unmounted_count;
} cells = {.lock = LOCK_INIT(SCOPE_CELLS)};

static struct scope_thread **bucket_of_thread(int32_t tid)
{
    return &cells.threads[(uint32_t)tid % BUCKETS];
}

static struct scope_cell **bucket_of_cell(int64_t java_id)
{
    return &cells.unmounted[(uint64_t)java_id % BUCKETS];
}

static void clear(struct scope_cell *c)
{
    for (int i = 0; i < SCOPE_KEYS; i++)
        atomic_store(&c->words.value[i], 0);
    atomic_store(&c->words.depth, 0);
    if (c->record)
        atomic_store(&c->record->generation, 0);
    c->java_id = 0;
    c->next = NULL;
}

static void point(struct scope_thread *t, struct scope_cell *c)
{
    atomic_store_explicit(&t->current, c, memory_order_release);
    scope_record_show(t->variable, c ? c->record : NULL);
}

static struct scope_cell *current_of(const struct scope_thread *t)
{
    return atomic_load_explicit(&t->current, memory_order_relaxed);
}

/* ---- OS threads */

/* The thread ends; after this its signal handlers find no cell. */
static void end_thread(void *thread)
{
    struct scope_thread *t = thread, **link;
    scope_bind(NULL);
    lock_take(&cells.lock);
    for (link = bucket_of_thread(t->tid); *link && *link != t; link = &(*link)->next)
        ;
    if (*link)
        *link = t->next;
    point(t, NULL);
    t->variable = NULL;
    atomic_store(&t->tid, 0);
    clear(&t->own);
    t->next = cells.free_threads;
    cells.free_threads = t;
    lock_give(&cells.lock);
}

/* Needs the lock. */
static struct scope_thread *take_thread(void)
{
    struct scope_thread *t = cells.free_threads;
    if (!cells.has_key)
        cells.has_key = pthread_key_create(&cells.key, end_thread) == 0;
    if (!cells.has_key)
        return NULL;
    if (t)
        cells.free_threads = t->next;
    else
        t = calloc(1, sizeof(*t));
    return t;
}

/* The record of the calling thread, made if it has none. NULL: no memory. */
static struct scope_thread *enter_thread(void)
{
    struct scope_thread *t = scope_mine();
    if (t)
        return t;
    lock_take(&cells.lock);
    t = take_thread();
    if (t) {
        atomic_store(&t->tid, (int32_t)gettid());
        t->variable = scope_record_mine();
        t->next = *bucket_of_thread(t->tid);
        *bucket_of_thread(t->tid) = t;
    }
    lock_give(&cells.lock);
    if (t && pthread_setspecific(cells.key, t) != 0) {
        end_thread(t);
        return NULL;
    }
    scope_bind(t);
    return t;
}

struct scope_cell *scope_cell_own(void)
{
    struct scope_thread *t = enter_thread();
    if (t)
        point(t, &t->own);
    return t ? &t->own : NULL;
}

/* ---- virtual threads */

/* Needs the lock. */
static void free_cell(struct scope_cell *c)
{
    clear(c);
    if (atomic_fetch_add(&c->words.stamp, 1) ==
        UINT32_MAX)                       /* so its thread sees that the cell is gone */
        atomic_store(&c->words.stamp, 1); /* 0 is for platform threads */
    c->next = cells.free_cells;
    cells.free_cells = c;
}

/* Needs the lock. */
static struct scope_cell *take_cell(void)
{
    struct scope_cell *c = cells.free_cells, *block;
    if (!c && cells.block_count < BLOCKS_MAX) {
        block = calloc(BLOCK, sizeof(*block));
        if (!block)
            return NULL;
        cells.blocks[cells.block_count++] = block;
        for (int i = 0; i < BLOCK; i++)
            free_cell(&block[i]);
        c = cells.free_cells;
    }
    if (c)
        cells.free_cells = c->next;
    return c;
}

struct scope_cell *scope_cell_virtual(int64_t java_id)
{
    struct scope_thread *t = enter_thread();
    struct scope_cell *c;
    if (!t)
        return NULL;
    lock_take(&cells.lock);
    c = take_cell();
    lock_give(&cells.lock);
    if (!c)
        return NULL;
    c->java_id = java_id;
    point(t, c);
    return c;
}

/* The link that points to the cell; *link is NULL if there is no such cell. Needs the lock. */
static struct scope_cell **find(int64_t java_id)
{
    struct scope_cell **link = bucket_of_cell(java_id);
    while (*link && (*link)->java_id != java_id)
        link = &(*link)->next;
    return link;
}

static struct scope_cell *take_unmounted(int64_t java_id)
{
    struct scope_cell **link, *c;
    if (atomic_load(&cells.unmounted_count) == 0)
        return NULL;
    lock_take(&cells.lock);
    link = find(java_id);
    c = *link;
    if (c) {
        *link = c->next;
        atomic_fetch_sub(&cells.unmounted_count, 1);
    }
    lock_give(&cells.lock);
    return c;
}

static void keep_unmounted(struct scope_cell *c)
{
    struct scope_cell **bucket = bucket_of_cell(c->java_id);
    lock_take(&cells.lock);
    if (c->words.depth == 0) {
        free_cell(c);
    } else {
        c->next = *bucket;
        *bucket = c;
        atomic_fetch_add(&cells.unmounted_count, 1);
    }
    lock_give(&cells.lock);
}

/*
 * Make the thread's record point to `to`. Returns the cell of a virtual thread that it pointed to,
 * or NULL.
 */
static struct scope_cell *leave_virtual(struct scope_thread *t, struct scope_cell *to)
{
    struct scope_cell *c = current_of(t);
    point(t, to);
    return c && c->java_id ? c : NULL;
}

void scope_cell_mount(int64_t java_id)
{
    struct scope_cell *c = take_unmounted(java_id), *left;
    struct scope_thread *t = c ? enter_thread() : scope_mine();
    if (!t)
        return;
    left = leave_virtual(t, NULL);
    if (left) { /* that virtual thread has ended, and its unmounting was not reported */
        left->words.depth = 0;
        keep_unmounted(left);
    }
    point(t, c);
}

void scope_cell_unmount(int64_t java_id)
{
    struct scope_thread *t = scope_mine();
    struct scope_cell *c = t ? leave_virtual(t, &t->own) : NULL;
    if (c)
        keep_unmounted(c);
}

void scope_cell_forget(int64_t java_id)
{
    struct scope_thread *t = scope_mine();
    struct scope_cell *c = t ? current_of(t) : NULL;
    if (!c || c->java_id != java_id)
        return;
    point(t, NULL);
    c->words.depth = 0;
    keep_unmounted(c);
}

void scope_cell_forget_virtuals(void)
{
    lock_take(&cells.lock);
    for (int i = 0; i < BUCKETS; i++) {
        for (struct scope_thread *t = cells.threads[i]; t; t = t->next)
            if (current_of(t) && current_of(t)->java_id)
                free_cell(leave_virtual(t, NULL));
        while (cells.unmounted[i]) {
            struct scope_cell *c = cells.unmounted[i];
            cells.unmounted[i] = c->next;
            free_cell(c);
        }
    }
    atomic_store(&cells.unmounted_count, 0);
    lock_give(&cells.lock);
}

/* ---- what others read in the process's memory */

static struct scope_record *record_of(struct scope_cell *c)
{
    struct scope_record *r = c->record;
    if (r)
        return r;
    r = calloc(1, sizeof(*r));
    lock_take(&cells.lock);
    c->record = r;
    lock_give(&cells.lock);
    return r;
}

struct scope_record *scope_cell_record(void)
{
    struct scope_thread *t = scope_mine();
    struct scope_cell *c = t ? current_of(t) : NULL;
    struct scope_record *r = c ? record_of(c) : NULL;
    if (!r)
        return NULL;
    if (!scope_record_is_current(r)) {
        scope_record_show(t->variable, NULL);
        scope_record_reset(r);
    }
    scope_record_show(t->variable, r);
    return r;
}

void scope_cell_hide_all(void)
{
    lock_take(&cells.lock);
    for (int i = 0; i < BUCKETS; i++)
        for (struct scope_thread *t = cells.threads[i]; t; t = t->next)
            scope_record_show(t->variable, NULL);
    lock_give(&cells.lock);
}

/* ---- looked at by others */

void scope_cell_read(int32_t tid, struct scope_values *ret)
{
    struct scope_thread *t;
    lock_take(&cells.lock);
    t = *bucket_of_thread(tid);
    while (t && t->tid != tid)
        t = t->next;
    scope_read_of(t, ret);
    lock_give(&cells.lock);
}

void scope_cell_read_virtual(int64_t java_id, struct scope_values *ret)
{
    struct scope_thread as_if = {.tid = 0};
    lock_take(&cells.lock);
    point(&as_if, *find(java_id));
    scope_read_of(&as_if, ret);
    lock_give(&cells.lock);
}

static void each_of(const struct scope_cell *c, void (*with)(uint32_t value))
{
    uint32_t all = c->words.depth, depth = all < SCOPE_DEPTH ? all : SCOPE_DEPTH;
    for (int i = 0; i < SCOPE_KEYS; i++)
        with(c->words.value[i]);
    for (uint32_t i = 0; i < depth; i++)
        with(c->words.saved[i].before);
}

void scope_cell_each(void (*with)(uint32_t value))
{
    lock_take(&cells.lock);
    for (int i = 0; i < BUCKETS; i++)
        for (struct scope_thread *t = cells.threads[i]; t; t = t->next)
            each_of(&t->own, with);
    for (uint32_t i = 0; i < cells.block_count; i++)
        for (int j = 0; j < BLOCK; j++)
            each_of(&cells.blocks[i][j], with);
    lock_give(&cells.lock);
}
