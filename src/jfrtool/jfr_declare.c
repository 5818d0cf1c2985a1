/*
 * jfr_declare.c - `hprof jfr metadata`: prints the declarations of the types of a JFR file.
 *
 * The types are taken from the last chunk that has types, because it also has those of earlier
 * chunks.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfrtool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/sink.h"
#include "command/cmd.h"
#include "jfrtool/jfr_input.h"
#include "command/plainout.h"
#include "command/say.h"
#include "command/textbuf.h"
#include "jfr/jfr_filter.h"

/* The order of types: plain types, structures, annotations, settings, events. */
static int group_of(const struct jfr_type *t)
{
    if (!t->super)
        return 1;
    if (strcmp(t->super, "java.lang.annotation.Annotation") == 0)
        return 3;
    if (strcmp(t->super, "jdk.jfr.SettingControl") == 0)
        return 4;
    return jfr_type_is_event(t) ? 5 : 2;
}

/* The length of the package, including its last dot. */
static size_t package_of(const char *name)
{
    return (size_t)(jfr_filter_simple(name) - name);
}

/* Sorts by group, package and name. */
static int compare(const void *a, const void *b)
{
    const struct jfr_type *x = *(const struct jfr_type *const *)a,
                          *y = *(const struct jfr_type *const *)b;
    size_t of_x = package_of(x->name), of_y = package_of(y->name);
    int order = group_of(x) - group_of(y);
    if (order == 0)
        order = strncmp(x->name, y->name, of_x < of_y ? of_x : of_y);
    if (order == 0)
        order = (of_x > of_y) - (of_x < of_y);
    return order != 0 ? order : strcmp(x->name, y->name);
}

static bool is_text(const struct jfr_annotation *a, const char *key)
{
    int i = a->type ? jfr_type_find(a->type, key) : -1;
    return i < 0 || !a->type->fields[i].type || a->type->fields[i].type->kind == JFR_STRING;
}

static void put_quoted(struct textbuf *t, const struct jfr_annotation *a, const char *key,
                       const char *value)
{
    const char *quote = is_text(a, key) ? "\"" : "";
    textbuf_text(t, quote);
    textbuf_text(t, value);
    textbuf_text(t, quote);
}

/* Writes the value of an annotation's field. An array has the keys "KEY-0", "KEY-1" and so on. */
static void put_annotation_value(struct textbuf *t, const struct jfr_annotation *a,
                                 const struct jfr_field *f)
{
    size_t len = strlen(f->name);
    uint32_t count = 0, done = 0;
    for (uint32_t i = 0; i < a->pair_count; i++)
        count += strncmp(a->pairs[i].key, f->name, len) == 0 && a->pairs[i].key[len] == '-';
    if (count != 1 && f->is_array)
        textbuf_char(t, '{');
    for (uint32_t i = 0; i < a->pair_count; i++) {
        const struct jfr_pair *p = &a->pairs[i];
        if (strncmp(p->key, f->name, len) != 0 || (p->key[len] != '-' && p->key[len] != '\0'))
            continue;
        textbuf_text(t, done++ > 0 ? ", " : "");
        put_quoted(t, a, f->name, p->value);
    }
    if (count != 1 && f->is_array)
        textbuf_char(t, '}');
}

static void put_annotations(struct textbuf *t, const struct jfr_annotations *all,
                            const char *indent)
{
    for (uint32_t i = 0; i < all->count; i++) {
        const struct jfr_annotation *a = &all->rows[i];
        if (!a->type || strcmp(a->type->name, "jdk.jfr.Name") == 0)
            continue;
        textbuf_text(t, indent);
        textbuf_char(t, '@');
        textbuf_text(t, jfr_filter_simple(a->type->name));
        bool is_value = a->type->field_count == 1 && strcmp(a->type->fields[0].name, "value") == 0;
        for (uint32_t k = 0; k < a->type->field_count; k++) {
            textbuf_text(t, k == 0 ? "(" : ", ");
            if (!is_value) {
                textbuf_text(t, a->type->fields[k].name);
                textbuf_char(t, '=');
            }
            put_annotation_value(t, a, &a->type->fields[k]);
        }
        textbuf_text(t, a->type->field_count > 0 ? ")\n" : "\n");
    }
}

/* The name of a field's type. A simple type is replaced by the type of its only field. */
static const char *type_name(const struct jfr_field *f)
{
    const struct jfr_type *type = f->type;
    const struct jfr_field *simple = type ? jfr_type_simple_field(type) : NULL;
    if (simple && simple->type)
        type = simple->type;
    return type ? jfr_filter_simple(type->name) : "?";
}

static void put_field(struct textbuf *t, const struct jfr_field *f)
{
    put_annotations(t, &f->annotations, "  ");
    textbuf_text(t, "  ");
    textbuf_text(t, type_name(f));
    textbuf_text(t, f->is_array ? "[] " : " ");
    textbuf_text(t, f->name);
    textbuf_text(t, ";\n");
}

static void put_type(struct textbuf *t, const struct jfr_type *type)
{
    const char *simple = jfr_filter_simple(type->name);
    if (simple != type->name)
        textbuf_printf(t, "@Name(\"%s\")\n", type->name);
    put_annotations(t, &type->annotations, "");
    textbuf_printf(t, "class %s%s%s {\n", simple, type->super ? " extends " : "",
                   type->super ? type->super : "");
    for (uint32_t i = 0; i < type->field_count; i++) {
        textbuf_text(t, i > 0 ? "\n" : "");
        put_field(t, &type->fields[i]);
    }
    textbuf_text(t, "}\n\n");
}

static int print_types(const struct jfr_metadata *m, const struct jfr_filter *filter,
                       struct textbuf *t)
{
    bool is_filtered = filter->events || filter->categories;
    const struct jfr_type **rows =
        calloc(m->type_count + (size_t)1, sizeof(const struct jfr_type *));
    size_t count = 0;
    if (!rows)
        return -ENOMEM;
    for (uint32_t i = 0; i < m->type_count; i++)
        if (!is_filtered ||
            (jfr_type_is_event(&m->types[i]) && jfr_filter_fits(filter, &m->types[i])))
            rows[count++] = &m->types[i];
    qsort(rows, count, sizeof(const struct jfr_type *), compare);
    for (size_t i = 0; i < count; i++)
        put_type(t, rows[i]);
    free(rows);
    return t->is_bad ? -ENOMEM : 0;
}

int jfr_declare_print(const char *path, const struct jfr_filter *filter)
{
    struct textbuf text = {0};
    struct jfr_input in;
    struct plainout out;
    int r = jfr_input_open(&in, path, false);
    if (r < 0)
        return CMD_FAILED;
    /* The last chunk that has types also has those of earlier chunks. */
    while ((r = jfr_file_next_chunk(&in.file)) > 0) {
        if (!in.file.chunk.has_types)
            continue;
        text.len = 0;
        r = print_types(&in.file.chunk.metadata, filter, &text);
        if (r < 0)
            break;
    }
    if (r == 0)
        r = plainout_open(&out, false);
    if (r == 0) {
        textbuf_flush(&text, &out.sink);
        r = plainout_done(&out);
    }
    textbuf_done(&text);
    if (r < 0)
        jfr_input_say(&in, r);
    return jfr_input_close(&in) && r == 0 ? CMD_OK : CMD_FAILED;
}
