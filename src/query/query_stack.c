/*
 * query_stack.c - see query_stack.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_stack.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "format/frame_name.h"
#include "profile/hidden.h"
#include "profile/profile.h"
#include "query/query_state.h"

/* ---- names */

static bool grow_names(struct query *q, frame_id frame)
{
    size_t room = q->frame_names.room * 2 > (size_t)frame + 1 ? q->frame_names.room * 2
                                                              : (size_t)frame + 1024;
    string_id *names = realloc(q->frame_names.of, room * sizeof(*names));
    if (!names)
        return false;
    memset(names + q->frame_names.room, 0, (room - q->frame_names.room) * sizeof(*names));
    q->frame_names.of = names;
    q->frame_names.room = room;
    return true;
}

const char *query_stack_frame_name(struct query *q, frame_id frame)
{
    if (frame >= q->frame_names.room && !grow_names(q, frame))
        return NULL;
    if (!q->frame_names.of[frame])
        q->frame_names.of[frame] =
            frame_name_whole(q->model, q->model, profile_frame_at(q->model, frame));
    return q->frame_names.of[frame] ? profile_string_at(q->model, q->frame_names.of[frame])->bytes
                                    : NULL;
}

uint32_t query_stack_frames(struct query *q, int64_t stack, const frame_id **ret_frames)
{
    if (stack <= 0 || stack > (int64_t)profile_trace_count(q->model))
        return 0;
    const struct profile_trace *t = profile_trace_at(q->model, (trace_id)stack);
    *ret_frames = t->frames;
    return t->depth;
}

/* ---- stacks */

struct stack_cursor {
    struct query_table_cursor base;
    uint32_t at, last; /* stacks, or frames; `at` is the current one */
    uint32_t depth;    /* of the frame in the stack */
};

static int find_frame(struct stack_cursor *c)
{
    const frame_id *frames;
    for (; c->at <= c->last; c->at++, c->depth = 0)
        if (c->depth < query_stack_frames(c->base.table->query, c->at, &frames))
            return 1;
    return 0;
}

static int next_in_stack(struct query_table_cursor *base)
{
    struct stack_cursor *c = (struct stack_cursor *)base;
    c->depth++;
    return find_frame(c);
}

/* Sets the cursor to one row, or to all; `count` says how many there are. */
static int begin_rows(struct stack_cursor *c, const struct query_table_ask *ask,
                      uint32_t (*count)(const struct profile *))
{
    struct query *q = c->base.table->query;
    c->depth = 0;
    if (ask->bound_count == 0) {
        int error = q->load(q);
        c->at = 1;
        c->last = count(q->model);
        return error;
    }
    sqlite3_int64 id = sqlite3_value_int64(ask->bounds[0].value);
    bool is_there = id > 0 && id <= (sqlite3_int64)count(q->model);
    c->at = is_there ? (uint32_t)id : 1;
    c->last = is_there ? (uint32_t)id : 0;
    return 0;
}

static int begin_stacks(struct query_table_cursor *base, const struct query_table_ask *ask)
{
    struct stack_cursor *c = (struct stack_cursor *)base;
    int error = begin_rows(c, ask, profile_trace_count);
    return error < 0 ? error : find_frame(c);
}

static int give_stack(struct query_table_cursor *base, struct query_value *to, uint32_t column)
{
    const struct stack_cursor *c = (struct stack_cursor *)base;
    const frame_id *frames;
    if (query_stack_frames(base->table->query, c->at, &frames) <= c->depth)
        return 0;
    query_value_number(to, column == 0 ? c->at : column == 1 ? c->depth : frames[c->depth]);
    return 0;
}

/* ---- frames */

enum {
    COLUMN_FRAME,
    COLUMN_NAME,
    COLUMN_CLASS,
    COLUMN_METHOD,
    COLUMN_DESCRIPTOR,
    COLUMN_SOURCE,
    COLUMN_LINE,
    COLUMN_BCI,
    COLUMN_RAN,
    COLUMN_HIDDEN,
};

static int next_frame(struct query_table_cursor *base)
{
    struct stack_cursor *c = (struct stack_cursor *)base;
    return ++c->at <= c->last;
}

static int begin_frames(struct query_table_cursor *base, const struct query_table_ask *ask)
{
    struct stack_cursor *c = (struct stack_cursor *)base;
    int error = begin_rows(c, ask, profile_frame_count);
    return error < 0 ? error : c->at <= c->last;
}

static int give_frame(struct query_table_cursor *base, struct query_value *to, uint32_t column)
{
    struct query *q = base->table->query;
    frame_id id = ((struct stack_cursor *)base)->at;
    const struct profile_frame *f = profile_frame_at(q->model, id);
    const struct profile_method *m = profile_method_at(q->model, f->method);
    switch (column) {
    case COLUMN_FRAME:
        query_value_number(to, id);
        break;
    case COLUMN_NAME:
        query_table_give_text(to, query_stack_frame_name(q, id));
        break;
    case COLUMN_CLASS:
        query_give_string(q, to, m->klass ? profile_class_at(q->model, m->klass)->name : 0);
        break;
    case COLUMN_METHOD:
        query_give_string(q, to, m->name);
        break;
    case COLUMN_DESCRIPTOR:
        query_give_string(q, to, m->descriptor);
        break;
    case COLUMN_SOURCE:
        query_give_string(q, to, m->source);
        break;
    case COLUMN_LINE:
        if (f->line > 0)
            query_value_number(to, f->line);
        break;
    case COLUMN_BCI:
        if (f->bci >= 0)
            query_value_number(to, f->bci);
        break;
    case COLUMN_RAN:
        query_table_give_text(to, frame_kind_word((enum frame_kind)f->kind));
        break;
    default:
        query_value_number(to, hidden_is_frame(q->model, id));
    }
    return 0;
}

int query_stack_open(struct query *q)
{
    static const struct query_table_column stack_columns[] = {
        {"stack", "INTEGER", "The number of the stack.", QUERY_TABLE_KEY, 0},
        {"depth", "INTEGER", "The place of the frame: 0 is the innermost.", 0, 0},
        {"frame", "INTEGER", "The frame, a number in the table frames.", 0, 0},
    };
    static const struct query_table_column frame_columns[] = {
        {"frame", "INTEGER", "The number of the frame.", QUERY_TABLE_KEY, 0},
        {"name", "TEXT", "Class and method, or the function.", 0, 0},
        {"class", "TEXT", "The class, or the library of a native function.", 0, 0},
        {"method", "TEXT", "The method or function.", 0, 0},
        {"descriptor", "TEXT", "The types of its parameters and result, as the JVM writes them.", 0,
         0},
        {"source", "TEXT", "The source file, if the input names it.", 0, 0},
        {"line", "INTEGER", "The line.", 0, 0},
        {"bci", "INTEGER", "The index into the bytecode.", 0, 0},
        {"ran", "TEXT", "How it ran: interpreted, C1, C2, inlined, native, kernel; java: unknown.",
         0, 0},
        {"hidden", "INTEGER", "1 for what the JVM puts between methods for lambdas and reflection.",
         0, 0},
    };
    static const struct query_table_kind stacks = {sizeof(struct stack_cursor), begin_stacks,
                                                   next_in_stack, give_stack, NULL};
    static const struct query_table_kind frames = {sizeof(struct stack_cursor), begin_frames,
                                                   next_frame, give_frame, NULL};
    static const struct query_table stack_table = {
        .kind = &stacks,
        .name = "stacks",
        .about = "The stacks of events and samples: a row for each frame.",
        QUERY_TABLE_COLUMNS(stack_columns),
        .rows = 200000};
    static const struct query_table frame_table = {.kind = &frames,
                                                   .name = "frames",
                                                   .about =
                                                       "The frames of stacks: a method at a line.",
                                                   QUERY_TABLE_COLUMNS(frame_columns),
                                                   .rows = 10000};
    int error = query_add_copy(q, &stack_table);
    return error < 0 ? error : query_add_copy(q, &frame_table);
}
