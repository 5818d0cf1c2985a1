/*
 * query_context.c - see query_context.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_context.h"
#include <errno.h>
#include <stdlib.h>
#include "profile/profile.h"
#include "query/query_state.h"

enum { ROOM_MIN = 256 };

struct row {
    string_id context, key, value;
    uint32_t input;
};

struct query_contexts {
    int (*load)(struct query *q);
    struct row *rows;
    size_t count, room;
};

void query_context_clear(struct query_contexts *c)
{
    c->count = 0;
}

int query_context_add(struct query_contexts *c, uint32_t input, string_id context, string_id key,
                      string_id value)
{
    if (c->count == c->room) {
        size_t room = c->room > 0 ? c->room * 2 : ROOM_MIN;
        struct row *rows = reallocarray(c->rows, room, sizeof(*rows));
        if (!rows)
            return -ENOMEM;
        c->rows = rows;
        c->room = room;
    }
    c->rows[c->count++] = (struct row){context, key, value, input};
    return 0;
}

void query_context_close(struct query_contexts *c)
{
    if (c)
        free(c->rows);
}

/* ---- the table */

struct contexts_cursor {
    struct query_table_cursor base;
    size_t at; /* behind the current row */
};

static int next_context(struct query_table_cursor *base)
{
    struct contexts_cursor *c = (struct contexts_cursor *)base;
    const struct query_contexts *contexts = base->table->of;
    return c->at++ < contexts->count;
}

static int begin_contexts(struct query_table_cursor *base, const struct query_table_ask *ask)
{
    const struct query_contexts *contexts = base->table->of;
    int error = contexts->load(base->table->query);
    (void)ask;
    ((struct contexts_cursor *)base)->at = 0;
    return error < 0 ? error : next_context(base);
}

static int give_column(struct query_table_cursor *base, struct query_value *to, uint32_t column)
{
    const struct query *q = base->table->query;
    const struct query_contexts *contexts = base->table->of;
    const struct row *row = &contexts->rows[((const struct contexts_cursor *)base)->at - 1];
    if (column < 3)
        query_give_string(q, to, column == 0 ? row->context : column == 1 ? row->key : row->value);
    else
        query_value_number(to, row->input);
    return 0;
}

struct query_contexts *query_context_open(struct query *q, int (*load)(struct query *q))
{
    static const struct query_table_column columns[] = {
        {"context", "TEXT", "The whole context, as in the column context of samples.", 0, 0},
        {"key", "TEXT", "A key that the program has named, or a label: user.", 0, 0},
        {"value", "TEXT", "Its value: alice.", 0, 0},
        {"input", "INTEGER", "The number of the input.", 0, 0},
    };
    static const struct query_table_kind kind = {sizeof(struct contexts_cursor), begin_contexts,
                                                 next_context, give_column, NULL};
    struct query_contexts *c = arena_alloc(&q->arena, sizeof(*c));
    const struct query_table table = {.kind = &kind,
                                      .name = "contexts",
                                      .about = "What threads worked for: a row for each key of "
                                               "each context of the samples.",
                                      QUERY_TABLE_COLUMNS(columns),
                                      .rows = 1000,
                                      .of = c};
    if (!c || query_add_copy(q, &table) < 0)
        return NULL;
    c->load = load;
    return c;
}
