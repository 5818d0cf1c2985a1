/*
 * export_columns.c - see export_columns.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "export/export_columns.h"
#include <errno.h>
#include <string.h>
#include "base/arena.h"
#include "command/textbuf.h"
#include "profile/profile.h"
#include "query/query_names.h"
#include "query/query_stack.h"
#include "query/query_state.h"

int export_columns_begin(struct export_columns *c, struct query *q)
{
    static const char *const folders[] = {"day", "service", "type"};
    *c = (struct export_columns){.query = q, .names = query_names_new(&q->arena)};
    for (size_t i = 0; c->names && i < sizeof(folders) / sizeof(folders[0]); i++)
        if (!query_names_add(c->names, folders[i]))
            return -ENOMEM;
    return c->names ? export_columns_add(c, "input", EXPORT_NUMBER) : -ENOMEM;
}

int export_columns_add(struct export_columns *c, const char *name, enum export_type type)
{
    if (c->count == c->room) {
        uint32_t room = c->room * 2 + 16;
        struct export_column *more = arena_alloc(&c->query->arena, room * sizeof(*more));
        if (!more)
            return -ENOMEM;
        if (c->count > 0)
            memcpy(more, c->of, c->count * sizeof(*more));
        c->of = more;
        c->room = room;
    }
    const char *own = query_names_add(c->names, name);
    if (!own)
        return -ENOMEM;
    c->of[c->count++] = (struct export_column){own, type};
    return 0;
}

int export_columns_add_options(struct export_columns *c, const struct export_options *options)
{
    int error = 0;
    for (uint32_t i = 0; i < options->label_count && error == 0; i++)
        error = export_columns_add(c, options->labels[i].name, EXPORT_TEXT);
    if (error == 0 && options->is_flat)
        error = export_columns_add(c, "top", EXPORT_TEXT);
    if (error == 0 && options->is_flat)
        error = export_columns_add(c, "frames", EXPORT_TEXT);
    return error;
}

/* Makes "A.a:12;B.b:34", the innermost frame first. */
static void put_frames(struct query *q, const frame_id *frames, uint32_t count, struct textbuf *to)
{
    to->len = 0;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = query_stack_frame_name(q, frames[i]);
        int32_t line = profile_frame_at(q->model, frames[i])->line;
        if (i > 0)
            textbuf_char(to, ';');
        textbuf_text(to, name ? name : "");
        if (line > 0) {
            textbuf_char(to, ':');
            textbuf_number(to, line);
        }
    }
}

uint32_t export_columns_give_options(const struct export_state *s, int64_t stack,
                                     struct textbuf *frames, struct query_value *values)
{
    const struct export_options *o = s->options;
    const frame_id *of;
    uint32_t at = 0;
    for (; at < o->label_count; at++)
        query_value_kept(&values[at], o->labels[at].value, strlen(o->labels[at].value));
    if (!o->is_flat)
        return at;
    uint32_t count = query_stack_frames(s->query, stack, &of);
    if (count > 0) {
        const char *top = query_stack_frame_name(s->query, of[0]);
        query_value_kept(&values[at], top, top ? strlen(top) : 0);
        put_frames(s->query, of, count, frames);
        /* The next row has another text there, so it is not kept. */
        if (!frames->is_bad)
            values[at + 1] = (struct query_value){
                .type = QUERY_VALUE_TEXT, .bytes = frames->bytes, .len = frames->len};
    }
    return at + 2;
}

const char *export_columns_service(const struct export_state *s, const char *program)
{
    static const char unknown[] = "unknown_service:java";
    if (s->options->service)
        return s->options->service;
    if (*program == '\0')
        return unknown;
    size_t len = strlen(program) + 1;
    char *kept = arena_alloc(&s->query->arena, len);
    return kept ? memcpy(kept, program, len) : unknown;
}
