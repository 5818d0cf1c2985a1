/*
 * query_threads.c - see query_threads.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_threads.h"
#include <errno.h>
#include <string.h>
#include "profile/lookup.h"
#include "profile/profile.h"
#include "profile/table.h"
#include "query/query_state.h"

struct query_threads {
    struct arena *arena;
    struct lookup_key key;
    struct lookup index;
    struct table rows;
};

uint32_t query_threads_add(struct query_threads *t, const struct query_threads_row *row)
{
    uint32_t hash = lookup_hash(&t->key, row, sizeof(*row)), at = hash;
    for (uint32_t number; (number = lookup_next(&t->index, hash, &at)) != 0;)
        if (memcmp(table_at(&t->rows, number), row, sizeof(*row)) == 0)
            return number;
    struct query_threads_row *added =
        lookup_reserve(&t->index, t->arena) ? table_add(&t->rows, t->arena) : NULL;
    if (!added)
        return 0;
    *added = *row;
    lookup_add(&t->index, hash, t->rows.count);
    return t->rows.count;
}

const struct query_threads_row *query_threads_at(const struct query_threads *t, uint32_t number)
{
    return table_at(&t->rows, number);
}

uint32_t query_threads_count(const struct query_threads *t)
{
    return t->rows.count;
}

/* ---- the table */

enum { COLUMN_ID, COLUMN_NAME, COLUMN_JAVA, COLUMN_OS, COLUMN_VIRTUAL, COLUMN_GROUP, COLUMN_INPUT };

struct threads_cursor {
    struct query_table_cursor base;
    uint32_t at, last;
};

static int next_thread(struct query_table_cursor *base)
{
    struct threads_cursor *c = (struct threads_cursor *)base;
    return c->at++ < c->last;
}

static int begin_threads(struct query_table_cursor *base, const struct query_table_ask *ask)
{
    struct threads_cursor *c = (struct threads_cursor *)base;
    struct query *q = base->table->query;
    if (ask->bound_count > 0) {
        sqlite3_int64 id = sqlite3_value_int64(ask->bounds[0].value);
        bool is_there = id > 0 && id <= (sqlite3_int64)query_threads_count(q->threads);
        c->at = is_there ? (uint32_t)id - 1 : 0;
        c->last = is_there ? (uint32_t)id : 0;
        return next_thread(base);
    }
    int error = q->load(q);
    c->at = 0;
    c->last = query_threads_count(q->threads);
    return error < 0 ? error : next_thread(base);
}

static void give_known(struct query_value *to, uint64_t number)
{
    if (number > 0)
        query_value_number(to, (int64_t)number);
}

static int give_column(struct query_table_cursor *base, struct query_value *to, uint32_t column)
{
    struct query *q = base->table->query;
    uint32_t number = ((struct threads_cursor *)base)->at;
    const struct query_threads_row *row = query_threads_at(q->threads, number);
    switch (column) {
    case COLUMN_ID:
        query_value_number(to, number);
        break;
    case COLUMN_NAME:
        query_give_string(q, to, row->name);
        break;
    case COLUMN_JAVA:
        give_known(to, row->java_id);
        break;
    case COLUMN_OS:
        give_known(to, row->os_id);
        break;
    case COLUMN_VIRTUAL:
        query_value_number(to, row->is_virtual);
        break;
    case COLUMN_GROUP:
        query_give_string(q, to, row->group);
        break;
    default:
        query_value_number(to, row->input);
    }
    return 0;
}

int query_threads_open(struct query *q)
{
    static const struct query_table_column columns[] = {
        {"thread_id", "INTEGER", "The number by which other tables name the thread.",
         QUERY_TABLE_KEY, 0},
        {"name", "TEXT", "Its name in Java, or else that of the system.", 0, 0},
        {"java_id", "INTEGER", "Java's number of it.", 0, 0},
        {"os_id", "INTEGER", "The kernel's number of it.", 0, 0},
        {"virtual", "INTEGER", "1: a virtual thread.", 0, 0},
        {"thread_group", "TEXT", "Its thread group.", 0, 0},
        {"input", "INTEGER", "The input that has it.", 0, 0},
    };
    static const struct query_table_kind kind = {sizeof(struct threads_cursor), begin_threads,
                                                 next_thread, give_column, NULL};
    static const struct query_table table = {.kind = &kind,
                                             .name = "threads",
                                             .about = "The threads that have events or samples.",
                                             QUERY_TABLE_COLUMNS(columns),
                                             .rows = 1000};
    struct query_threads *t = arena_alloc(&q->arena, sizeof(*t));
    if (!t)
        return -ENOMEM;
    t->arena = &q->arena;
    lookup_key_init(&t->key);
    table_init(&t->rows, sizeof(struct query_threads_row));
    q->threads = t;
    return query_add_copy(q, &table);
}
