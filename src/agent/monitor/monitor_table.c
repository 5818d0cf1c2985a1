/*
 * monitor_table.c - see monitor_table.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/monitor/monitor_table.h"
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "base/lock.h"

struct name {
    const char *text;
};

int monitor_table_init(struct monitor_table *t, size_t budget)
{
    memset(t, 0, sizeof(*t));
    lock_init(&t->lock, LOCK_MONITORS);
    arena_init(&t->arena, budget);
    lookup_key_init(&t->key);
    table_init(&t->names, sizeof(struct name));
    table_init(&t->rows, sizeof(struct monitor_table_row));
    t->lines = arena_alloc(&t->arena, MONITOR_TABLE_LINES * sizeof(*t->lines));
    return t->lines ? 0 : -ENOMEM;
}

void monitor_table_done(struct monitor_table *t)
{
    arena_done(&t->arena);
    lock_done(&t->lock);
}

static void *copy(struct monitor_table *t, const void *bytes, size_t len)
{
    void *to = arena_alloc(&t->arena, len ? len : 1);
    if (to && len)
        memcpy(to, bytes, len);
    return to;
}

static const char *intern(struct monitor_table *t, const char *text)
{
    size_t len = strlen(text) + 1;
    uint32_t hash = lookup_hash(&t->key, text, len), at = hash, id;
    struct name *name;
    const char *own;
    while ((id = lookup_next(&t->name_index, hash, &at)) != 0) {
        name = table_at(&t->names, id);
        if (strcmp(name->text, text) == 0)
            return name->text;
    }
    if (!lookup_reserve(&t->name_index, &t->arena) || !(own = copy(t, text, len)) ||
        !(name = table_add(&t->names, &t->arena)))
        return NULL;
    name->text = own;
    lookup_add(&t->name_index, hash, t->names.count);
    return own;
}

static uint32_t hash_of(const struct monitor_table *t, const struct monitor_table_row *r)
{
    struct {
        uint64_t name;
        uint32_t kind, thread, frames, frame_bytes;
    } key = {(uint64_t)(uintptr_t)r->name, (uint32_t)r->kind, r->thread,
             lookup_hash(&t->key, r->frames, r->frame_bytes), r->frame_bytes};
    return lookup_hash(&t->key, &key, sizeof(key));
}

static bool is_same(const struct monitor_table_row *l, const struct monitor_table_row *r)
{
    return l->name == r->name && l->kind == r->kind && l->thread == r->thread &&
           l->frame_bytes == r->frame_bytes &&
           (l->frame_bytes == 0 || memcmp(l->frames, r->frames, l->frame_bytes) == 0);
}

/*
 * The row that equals `wanted`, added if it is new. The frames of `wanted` are copied. Needs the
 * lock.
 */
static uint32_t find_or_add(struct monitor_table *t, struct monitor_table_row *wanted)
{
    uint32_t hash = hash_of(t, wanted), at = hash, id;
    struct monitor_table_row *row;
    while ((id = lookup_next(&t->row_index, hash, &at)) != 0) {
        if (is_same(table_at(&t->rows, id), wanted))
            return id;
    }
    if (!lookup_reserve(&t->row_index, &t->arena) ||
        !(wanted->frames = copy(t, wanted->frames, wanted->frame_bytes)) ||
        !(row = table_add(&t->rows, &t->arena)))
        return 0;
    *row = *wanted;
    lookup_add(&t->row_index, hash, t->rows.count);
    return t->rows.count;
}

uint32_t monitor_table_row(struct monitor_table *t, int kind, const char *name, uint32_t thread,
                           const void *frames, uint32_t frame_bytes)
{
    struct monitor_table_row wanted = {
        .kind = kind, .thread = thread, .frames = frames, .frame_bytes = frame_bytes};
    uint32_t id;
    lock_take(&t->lock);
    wanted.name = intern(t, name);
    id = wanted.name ? find_or_add(t, &wanted) : 0;
    lock_give(&t->lock);
    return id;
}

static void count(struct monitor_table_count *c, uint64_t ns, uint64_t hits)
{
    c->hits += hits;
    c->ns += ns;
}

static void add(struct monitor_table *t, uint32_t row, uint64_t ns, uint64_t hits)
{
    lock_take(&t->lock);
    if (row) {
        count(&((struct monitor_table_row *)table_at(&t->rows, row))->count, ns, hits);
    } else {
        count(&t->lost, ns, hits);
        count(&t->lost_total, ns, hits);
    }
    lock_give(&t->lock);
}

void monitor_table_add(struct monitor_table *t, uint32_t row, uint64_t ns)
{
    add(t, row, ns, 1);
}

void monitor_table_add_time(struct monitor_table *t, uint32_t row, uint64_t ns)
{
    add(t, row, ns, 0);
}

void monitor_table_add_line(struct monitor_table *t, int waited, const char *name, int64_t ms,
                            uint32_t thread)
{
    struct monitor_table_line line = {.ms = ms, .thread = thread, .waited = waited};
    lock_take(&t->lock);
    line.name = intern(t, name);
    if (line.name && t->line_end - t->line_first < MONITOR_TABLE_LINES)
        t->lines[t->line_end++ % MONITOR_TABLE_LINES] = line;
    else
        t->lines_lost++;
    lock_give(&t->lock);
}

int monitor_table_next_line(struct monitor_table *t, struct monitor_table_line *ret)
{
    int found;
    lock_take(&t->lock);
    found = t->line_first != t->line_end;
    if (found)
        *ret = t->lines[t->line_first++ % MONITOR_TABLE_LINES];
    lock_give(&t->lock);
    return found;
}

uint32_t monitor_table_rows(struct monitor_table *t)
{
    uint32_t rows;
    lock_take(&t->lock);
    rows = t->rows.count;
    lock_give(&t->lock);
    return rows;
}

struct monitor_table_row *monitor_table_at(struct monitor_table *t, uint32_t id)
{
    struct monitor_table_row *row;
    lock_take(&t->lock); /* a growing table may move its list of chunks */
    row = table_at(&t->rows, id);
    lock_give(&t->lock);
    return row;
}

struct monitor_table_count monitor_table_take(struct monitor_table *t, uint32_t id)
{
    struct monitor_table_count *from, taken;
    lock_take(&t->lock);
    from = id ? &((struct monitor_table_row *)table_at(&t->rows, id))->count : &t->lost;
    taken = *from;
    *from = (struct monitor_table_count){0, 0};
    lock_give(&t->lock);
    return taken;
}
