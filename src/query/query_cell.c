/*
 * query_cell.c - see query_cell.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_cell.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/javaname.h"
#include "format/frame_name.h"
#include "jfr/jfr_value.h"
#include "profile/profile.h"
#include "query/query_scan.h"
#include "query/query_state.h"

enum {
    KEPT_TEXT = 1024, /* bytes of a constant's text that is kept for other events */
    NAME = 1024,      /* bytes of a name */
    ELEMENT = 256,    /* bytes of an element of a list */
    LIST_MAX = 64,    /* elements of a list that are shown */
};

static void give_number(struct query_scan *s, struct query_value *to, const struct jfr_value *v)
{
    int64_t ns;
    if (v->shape != JFR_NUMBER)
        return;
    if (v->field->content == JFR_PLAIN && v->number < 0 && v->field->marks & JFR_UNSIGNED &&
        v->type->kind == JFR_LONG)
        query_value_real(to, (double)(uint64_t)v->number); /* more than SQL's integers */
    else if (v->field->content == JFR_PLAIN)
        query_value_number(to, jfr_value_widened(v));
    else if (jfr_value_ns(&s->file.chunk, v, &ns))
        query_value_number(to, ns);
}

/* The text of a constant comes again with other events, so it is kept in the model. */
static void give_text(struct query_scan *s, struct query_value *to, const struct jfr_value *v)
{
    if (v->shape == JFR_NUMBER || v->shape == JFR_REAL) {
        give_number(s, to, v);
        return;
    }
    if (v->shape != JFR_TEXT)
        return;
    size_t room = jfr_text_room(&v->text);
    string_id kept = v->constant ? idmap_get(&s->texts, (uintptr_t)v->constant) : 0;
    if (kept == 0 && v->constant && room < KEPT_TEXT) {
        char text[KEPT_TEXT];
        kept = profile_string(s->query->model, text, jfr_text_utf8(&v->text, text));
        if (kept)
            idmap_put(&s->texts, (uintptr_t)v->constant, kept);
    }
    if (kept) {
        query_give_string(s->query, to, kept);
        return;
    }
    char *text = sqlite3_malloc64(room + 1);
    if (text)
        query_value_owned(to, text, jfr_text_utf8(&v->text, text), sqlite3_free);
    else
        to->is_lacking = true;
}

static void give_class(struct query_scan *s, struct query_value *to, const struct jfr_value *v)
{
    class_id id = jfr_stacks_class(query_scan_stacks(s), v);
    if (id)
        query_give_string(s->query, to, profile_class_at(s->query->model, id)->name);
}

static string_id method_name(struct query_scan *s, const struct jfr_value *v)
{
    struct profile *p = s->query->model;
    struct jfr_value type, name;
    char text[NAME];
    jfr_value_named(&s->file.chunk, v, "type", &type);
    jfr_value_named(&s->file.chunk, v, "name", &name);
    class_id id = jfr_stacks_class(query_scan_stacks(s), &type);
    jfr_value_utf8(&name, text, sizeof(text));
    return frame_name_join(p, id ? profile_string_at(p, profile_class_at(p, id)->name)->bytes : "",
                           ".", text);
}

/* "java.lang.String.indexOf(int, int)" */
static string_id signature_of(struct query_scan *s, const struct jfr_value *v)
{
    struct profile *p = s->query->model;
    struct jfr_value descriptor;
    char text[NAME], parameters[2 * NAME], whole[4 * NAME];
    string_id name = method_name(s, v);
    jfr_value_named(&s->file.chunk, v, "descriptor", &descriptor);
    jfr_value_utf8(&descriptor, text, sizeof(text));
    snprintf(whole, sizeof(whole), "%s%s", name ? profile_string_at(p, name)->bytes : "",
             javaname_of_parameters(text, parameters, sizeof(parameters)));
    return name ? profile_cstring(p, whole) : 0;
}

static string_id loader_name(struct query_scan *s, const struct jfr_value *v)
{
    struct profile *p = s->query->model;
    struct jfr_value type, name;
    char text[NAME], whole[2 * NAME];
    jfr_value_named(&s->file.chunk, v, "type", &type);
    jfr_value_named(&s->file.chunk, v, "name", &name);
    class_id id = jfr_stacks_class(query_scan_stacks(s), &type);
    jfr_value_utf8(&name, text, sizeof(text));
    javaname_join_loader(text, id ? profile_string_at(p, profile_class_at(p, id)->name)->bytes : "",
                         whole, sizeof(whole));
    return profile_cstring(p, whole);
}

static string_id plain_name(struct query_scan *s, const struct jfr_value *v)
{
    char text[NAME];
    return jfr_value_words(&s->file.chunk, v, text, sizeof(text))
               ? profile_cstring(s->query->model, text)
               : 0;
}

/* Gives the name of a constant, which is made once. */
static void give_name(struct query_scan *s, struct query_value *to, const struct jfr_value *v,
                      string_id (*make)(struct query_scan *, const struct jfr_value *))
{
    if (v->shape != JFR_OBJECT)
        return;
    string_id id = v->constant ? idmap_get(&s->texts, (uintptr_t)v->constant) : 0;
    if (!id) {
        id = make(s, v);
        if (id && v->constant)
            idmap_put(&s->texts, (uintptr_t)v->constant, id);
    }
    query_give_string(s->query, to, id);
}

static void give_list(struct query_scan *s, struct query_value *to, const struct jfr_value *v)
{
    if (v->shape != JFR_ARRAY)
        return;
    sqlite3_str *text = sqlite3_str_new(NULL);
    struct leb l = v->at;
    for (uint64_t i = 0; i < v->count && !l.is_bad; i++) {
        struct jfr_value element;
        char words[ELEMENT] = "";
        if (i == LIST_MAX) {
            sqlite3_str_appendf(text, ", and %llu more", (unsigned long long)(v->count - i));
            break;
        }
        jfr_value_element(&s->file.chunk, v, &l, &element);
        if (element.shape == JFR_REAL)
            snprintf(words, sizeof(words), "%.17g", element.real);
        else
            jfr_value_words(&s->file.chunk, &element, words, sizeof(words));
        sqlite3_str_appendf(text, "%s%s", i > 0 ? ", " : "", words);
    }
    int len = sqlite3_str_length(text);
    char *whole = sqlite3_str_finish(text);
    if (whole)
        query_value_owned(to, whole, (size_t)len, sqlite3_free);
    else
        query_value_kept(to, "", 0);
}

static void give_stack(struct query_scan *s, struct query_value *to, const struct jfr_value *v)
{
    trace_id id = v->shape == JFR_OBJECT ? jfr_stacks_trace(query_scan_stacks(s), v) : 0;
    if (id)
        query_value_number(to, id);
}

static void give_thread(struct query_scan *s, struct query_value *to, const struct jfr_value *v,
                        bool is_name)
{
    uint32_t id = query_scan_thread(s, v);
    if (id && is_name)
        query_give_string(s->query, to, query_threads_at(s->query->threads, id)->name);
    else if (id)
        query_value_number(to, id);
}

void query_cell_give(struct query_scan *s, struct query_value *to, enum query_shape shape,
                     const struct jfr_value *v)
{
    switch (shape) {
    case QUERY_SHAPE_NUMBER:
        give_number(s, to, v);
        return;
    case QUERY_SHAPE_REAL:
        if (v->shape == JFR_REAL)
            query_value_real(to, v->real);
        return;
    case QUERY_SHAPE_TEXT:
        give_text(s, to, v);
        return;
    case QUERY_SHAPE_STACK:
        give_stack(s, to, v);
        return;
    case QUERY_SHAPE_THREAD:
    case QUERY_SHAPE_THREAD_ID:
        give_thread(s, to, v, shape == QUERY_SHAPE_THREAD);
        return;
    case QUERY_SHAPE_CLASS:
        give_class(s, to, v);
        return;
    case QUERY_SHAPE_METHOD:
        give_name(s, to, v, method_name);
        return;
    case QUERY_SHAPE_SIGNATURE:
        if (v->shape == JFR_OBJECT)
            query_give_string(s->query, to, signature_of(s, v));
        return;
    case QUERY_SHAPE_LOADER:
        give_name(s, to, v, loader_name);
        return;
    case QUERY_SHAPE_NAMED:
        give_name(s, to, v, plain_name);
        return;
    case QUERY_SHAPE_LIST:
        give_list(s, to, v);
        return;
    default:
        return;
    }
}
