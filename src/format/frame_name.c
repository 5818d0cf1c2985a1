/*
 * frame_name.c - see frame_name.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/frame_name.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct frame_name frame_name(struct profile *p, const struct profile_method *m)
{
    struct frame_name name = {.function = m->name ? profile_string_at(p, m->name) : NULL};
    string_id library = m->klass ? profile_class_at(p, m->klass)->name : 0;
    if (library && name.function && strncmp(name.function->bytes, "0x", 2) == 0)
        name.library = profile_string_at(p, library);
    return name;
}

static const char *text_of(struct profile *p, string_id id)
{
    return id ? profile_string_at(p, id)->bytes : "";
}

string_id frame_name_join(struct profile *p, const char *a, const char *between, const char *b)
{
    char *text = NULL;
    string_id id = 0;
    if (asprintf(&text, "%s%s%s", a, *a && *b ? between : "", b) >= 0)
        id = profile_cstring(p, *text ? text : "?");
    free(text);
    return id;
}

string_id frame_name_whole(struct profile *names, struct profile *p, const struct profile_frame *f)
{
    const struct profile_method *m = profile_method_at(p, f->method);
    struct frame_name native;
    if (frame_kind_is_java(f->kind))
        return frame_name_join(names,
                               m->klass ? text_of(p, profile_class_at(p, m->klass)->name) : "", ".",
                               text_of(p, m->name));
    native = frame_name(p, m);
    return frame_name_join(names, native.library ? native.library->bytes : "", "+",
                           native.function ? native.function->bytes : "");
}

const char *frame_name_ending(enum frame_kind kind)
{
    static const char *const endings[FRAME_KINDS] = {
        [FRAME_INTERPRETED] = "_[0]",
        [FRAME_C1] = "_[1]",
        [FRAME_C2] = "_[j]",
        [FRAME_INLINED] = "_[i]",
    };
    return endings[kind];
}

string_id frame_name_object(struct profile *names, struct profile *p, const struct event *event)
{
    string_id klass = event->klass ? profile_class_at(p, event->klass)->name : 0;
    return frame_name_join(names, text_of(p, klass), " ", text_of(p, event->text));
}
