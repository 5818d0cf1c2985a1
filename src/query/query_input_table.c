/*
 * query_input_table.c - see query_input_table.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_input_table.h"
#include <errno.h>
#include "query/query_state.h"

struct inputs_cursor {
    struct query_table_cursor base;
    size_t at; /* behind the current input */
};

static int next_input(struct query_table_cursor *c)
{
    struct inputs_cursor *i = (struct inputs_cursor *)c;
    return i->at++ < c->table->query->input_count;
}

static int begin_inputs(struct query_table_cursor *c, const struct query_table_ask *ask)
{
    (void)ask;
    ((struct inputs_cursor *)c)->at = 0;
    return next_input(c);
}

static int give_input(struct query_table_cursor *c, struct query_value *to, uint32_t column)
{
    const struct query_input *in = &c->table->query->inputs[((struct inputs_cursor *)c)->at - 1];
    switch (column) {
    case 0:
        query_value_number(to, in->number);
        return 0;
    case 1:
        query_table_give_text(to, in->word);
        return 0;
    case 2:
        query_table_give_text(to, in->format);
        return 0;
    default:
        if (in->pid == 0)
            query_value_number(to, (int64_t)in->bytes);
        return 0;
    }
}

int query_input_table_open(struct query *q)
{
    static const struct query_table_column columns[] = {
        {"input", "INTEGER", "The number of the input, from 1, in the order of the command line.",
         0, 0},
        {"name", "TEXT", "The input as it was named.", 0, 0},
        {"format", "TEXT", "Its format.", 0, 0},
        {"bytes", "INTEGER", "Its size, unpacked.", 0, 0},
    };
    static const struct query_table_kind kind = {sizeof(struct inputs_cursor), begin_inputs,
                                                 next_input, give_input, NULL};
    const struct query_table table = {.kind = &kind,
                                      .name = "inputs",
                                      .about = "The inputs of this query.",
                                      QUERY_TABLE_COLUMNS(columns),
                                      .rows = 1 + q->input_count};
    return query_add_copy(q, &table);
}
