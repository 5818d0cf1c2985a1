/*
 * report_rows.c - see report_rows.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/report_rows.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "command/tabular.h"
#include "profile/hidden.h"
#include "report/report_how.h"
#include "report/report_text.h"

enum { KEY = 128 };

bool report_rows_begin(const struct report_how *r, struct tabular *t, const char *name,
                       const char *columns)
{
    t->name = name;
    if (!r->rows || !tabular_wants_rows(r->rows->how))
        return false;
    tabular_columns(t, columns);
    return true;
}

bool report_rows_place(const struct report_how *r, struct tabular *t)
{
    if (!r->rows)
        return true;
    if (!tabular_wants_rows(r->rows->how))
        return tabular_has(r->rows, t->name);
    tabular_place(r->rows, t, r->top);
    return tabular_has(r->rows, t->name);
}

void report_rows_string(struct tabular *t, struct profile *profile, string_id id)
{
    tabular_text(t, id ? report_text_of(profile, id) : NULL);
}

void report_rows_class(struct tabular *t, struct profile *profile, class_id id)
{
    report_rows_string(t, profile, id ? profile_class_at(profile, id)->name : 0);
}

void report_rows_method(struct tabular *t, const char *klass, const char *name)
{
    char *whole = report_text_join(klass, name);
    if (whole)
        tabular_text(t, whole);
    else
        t->is_bad = true;
    free(whole);
}

static const char *class_of(struct profile *profile, const struct profile_method *method)
{
    return method->klass ? report_text_of(profile, profile_class_at(profile, method->klass)->name)
                         : "";
}

void report_rows_top(const struct report_how *r, struct tabular *t, struct profile *profile,
                     trace_id id)
{
    const struct profile_frame *frame = report_text_top(r, profile, id);
    const struct profile_method *method = frame ? profile_method_at(profile, frame->method) : NULL;
    if (method)
        report_rows_method(t, class_of(profile, method), report_text_of(profile, method->name));
    else
        tabular_nothing(t);
}

void report_rows_thread(struct tabular *t, struct profile *profile, thread_id id)
{
    report_rows_string(t, profile, id ? profile_thread_at(profile, id)->name : 0);
}

void report_rows_share(struct tabular *t, uint64_t part, uint64_t whole)
{
    tabular_real(t, report_text_percent(part, whole) / 100);
}

void report_rows_stack(const struct report_how *r, struct tabular *t, struct profile *profile,
                       trace_id id)
{
    const struct profile_trace *trace = profile_trace_at(profile, id);
    struct textbuf text = {0};
    for (uint32_t i = 0; i < trace->depth; i++) {
        if (!r->with_hidden && hidden_is_frame(profile, trace->frames[i]))
            continue;
        const struct profile_frame *frame = profile_frame_at(profile, trace->frames[i]);
        const struct profile_method *method = profile_method_at(profile, frame->method);
        char *name =
            report_text_join(class_of(profile, method), report_text_of(profile, method->name));
        textbuf_text(&text, text.len > 0 ? " < " : "");
        textbuf_text(&text, name ? name : "?");
        free(name);
    }
    t->is_bad |= text.is_bad;
    if (text.len > 0)
        tabular_bytes(t, text.bytes, text.len);
    else
        tabular_nothing(t);
    textbuf_done(&text);
}

void report_rows_key(enum kind_id kind, uint32_t value, char *to, size_t room)
{
    const struct kind_value *v = &kind_all[kind]->values[value];
    char words[KEY];
    tabular_key(v->words, words, sizeof(words));
    snprintf(to, room, "%s%s", words,
             v->unit == KIND_UNIT_NS      ? "_ns"
             : v->unit == KIND_UNIT_LEVEL ? "_bytes"
                                          : "");
}
