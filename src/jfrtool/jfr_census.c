/*
 * jfr_census.c - see jfr_census.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_census.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/sink.h"
#include "jfrtool/jfr_input.h"
#include "jfrtool/jfr_pretty.h"
#include "jfrtool/jfr_printer.h"
#include "jfr/jfr_filter.h"
#include "jfr/jfr_setting.h"
#include "jfr/jfr_value.h"

enum { TEXTS_MAX = 16 << 20, SETTINGS = 512, EXAMPLE_VALUE = 200, CATEGORIES = 512 };

/* The state while the file is read. */
struct taking {
    struct jfr_census *census;
    struct jfr_input in;
    struct jfr_printer printer; /* writes examples, which are taken from its text */
    struct sink nowhere;
    uint32_t *row_of; /* row + 1, by jfr_type.number */
};

static char *keep(struct jfr_census *c, const char *text, size_t len)
{
    char *kept = arena_alloc(&c->arena, len + 1);
    if (kept)
        memcpy(kept, text, len);
    else
        c->error = -ENOMEM;
    return kept;
}

static const char *keep_text(struct jfr_census *c, const char *text)
{
    return text ? keep(c, text, strlen(text)) : NULL;
}

static struct jfr_catalogue_row *add_known(struct jfr_census *c)
{
    if (c->known_count == c->known_room) {
        size_t room = c->known_room * 2 + 64;
        struct jfr_catalogue_row *rows = realloc(c->known, room * sizeof(*rows));
        if (!rows) {
            c->error = -ENOMEM;
            return NULL;
        }
        c->known = rows;
        c->known_room = room;
    }
    c->known[c->known_count] = (struct jfr_catalogue_row){.releases = ~0u};
    return &c->known[c->known_count++];
}

static const char *unit_of(const struct jfr_field *f)
{
    static const struct {
        unsigned marks;
        const char *unit;
    } units[] = {{JFR_BYTES_AMOUNT | JFR_FREQUENCY, "bytes/s"},
                 {JFR_BITS_AMOUNT | JFR_FREQUENCY, "bits/s"},
                 {JFR_BYTES_AMOUNT, "bytes"},
                 {JFR_BITS_AMOUNT, "bits"},
                 {JFR_FREQUENCY, "hertz"},
                 {JFR_PERCENTAGE, "percentage"},
                 {JFR_ADDRESS, "address"}};
    if (f->content != JFR_PLAIN)
        return f->content >= JFR_TICKS_STAMP ? "time" : "duration";
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if ((f->marks & units[i].marks) == units[i].marks)
            return units[i].unit;
    return "";
}

static const char *annotated(const struct jfr_type *type, const char *name)
{
    return jfr_type_annotation(&type->annotations, name, "value");
}

static bool is_experimental(const struct jfr_annotations *annotations)
{
    for (uint32_t i = 0; i < annotations->count; i++)
        if (annotations->rows[i].type &&
            strcmp(annotations->rows[i].type->name, "jdk.jfr.Experimental") == 0)
            return true;
    return false;
}

static void know_event(struct jfr_census *c, const struct jfr_type *type)
{
    struct jfr_catalogue_row *row = add_known(c);
    char categories[CATEGORIES];
    const char *category;
    size_t len = 0;
    for (unsigned i = 0; len < sizeof(categories) && (category = jfr_filter_category(type, i)); i++)
        len += (size_t)snprintf(categories + len, sizeof(categories) - len, "%s%s",
                                i > 0 ? "|" : "", category);
    if (!row)
        return;
    row->kind = JFR_CATALOGUE_EVENT;
    row->name = keep_text(c, type->name);
    row->label = keep_text(c, annotated(type, "jdk.jfr.Label"));
    row->categories = keep_text(c, categories);
    row->is_experimental = is_experimental(&type->annotations);
}

static void know_field(struct jfr_census *c, const struct jfr_field *f)
{
    const struct jfr_field *simple = f->type ? jfr_type_simple_field(f->type) : NULL;
    const struct jfr_type *type = simple && simple->type ? simple->type : f->type;
    struct jfr_catalogue_row *row = add_known(c);
    char words[CATEGORIES];
    if (!row)
        return;
    row->kind = JFR_CATALOGUE_FIELD;
    row->name = keep_text(c, f->name);
    snprintf(words, sizeof(words), "%s%s", f->marks & JFR_UNSIGNED ? "unsigned " : "",
             type ? jfr_filter_simple(type->name) : "?");
    row->type = keep_text(c, words);
    row->unit = unit_of(f);
    row->label = keep_text(c, f->label);
    row->is_experimental = is_experimental(&f->annotations);
    row->is_contextual = f->marks & JFR_CONTEXTUAL;
    row->about = keep_text(c, jfr_type_annotation(&f->annotations, "jdk.jfr.Description", "value"));
}

/* Adds rows for a type that the catalogue does not have. */
static void know(struct jfr_census *c, const struct jfr_type *type)
{
    know_event(c, type);
    for (uint32_t i = 0; i < type->field_count; i++)
        know_field(c, &type->fields[i]);
}

/* Row + 1 of a name and its hash; 0: there is none. */
static uint32_t number_of(const struct jfr_census *c, const char *name, uint32_t hash)
{
    uint32_t at = hash, number;
    do
        number = lookup_next(&c->by_name, hash, &at);
    while (number > 0 && strcmp(c->rows[number - 1].name, name) != 0);
    return number;
}

static uint32_t add_row(struct jfr_census *c, const struct jfr_type *type, uint32_t hash)
{
    const struct jfr_catalogue all = jfr_catalogue_all();
    const char *name = keep_text(c, type->name);
    if (c->count == c->room) {
        size_t room = c->room * 2 + 64;
        struct jfr_census_row *rows = realloc(c->rows, room * sizeof(*rows));
        if (!rows) {
            c->error = -ENOMEM;
            return 0;
        }
        c->rows = rows;
        c->room = room;
    }
    if (name && !lookup_reserve(&c->by_name, &c->arena))
        c->error = -ENOMEM;
    if (c->error < 0)
        return 0;
    c->rows[c->count++] = (struct jfr_census_row){
        .name = name, .sentence = keep_text(c, annotated(type, "jdk.jfr.Description"))};
    lookup_add(&c->by_name, hash, (uint32_t)c->count);
    if (jfr_catalogue_find(&all, name).count == 0)
        know(c, type);
    return (uint32_t)c->count;
}

/* A type has another number in each chunk, but the same name. */
static int begin_chunk(struct taking *t)
{
    const struct jfr_metadata *m = &t->in.file.chunk.metadata;
    free(t->row_of);
    t->row_of = calloc(m->type_count + (size_t)1, sizeof(*t->row_of));
    if (!t->row_of)
        return -ENOMEM;
    for (uint32_t i = 0; i < m->type_count; i++)
        if (jfr_type_is_event(&m->types[i])) {
            const char *name = m->types[i].name;
            uint32_t hash = lookup_hash(&t->census->key, name, strlen(name));
            uint32_t number = number_of(t->census, name, hash);
            t->row_of[i] = number > 0 ? number : add_row(t->census, &m->types[i], hash);
        }
    jfr_printer_chunk(&t->printer, &t->in.file.chunk);
    int64_t ns = t->in.file.chunk.header.duration_ns;
    /* A broken header may have a negative duration. */
    t->census->duration_ns += ns > 0 ? (uint64_t)ns : 0;
    return t->census->error;
}

/* Writes a line for each field that is not null. Long values are cut. */
static void take_example(struct taking *t, struct jfr_census_row *row, const struct jfr_type *type,
                         const struct jfr_record *record)
{
    const struct jfr_value event = jfr_value_event(type, record);
    struct textbuf *text = &t->printer.text;
    for (uint32_t i = 0; i < type->field_count; i++) {
        struct jfr_value value;
        jfr_value_field(&t->in.file.chunk, &event, i, &value);
        if (value.shape == JFR_NULL)
            continue;
        textbuf_printf(text, "%s = ", type->fields[i].name);
        size_t start = text->len;
        jfr_pretty_cell(&t->printer, &value);
        for (size_t at = start; at < text->len; at++)
            if (text->bytes[at] == '\n')
                text->bytes[at] = ' ';
        if (text->len > start + EXAMPLE_VALUE) {
            text->len = start + EXAMPLE_VALUE;
            textbuf_text(text, " ...");
        }
        textbuf_char(text, '\n');
    }
    row->example = text->is_bad || text->len == 0 ? NULL : keep(t->census, text->bytes, text->len);
    text->len = 0;
}

/* Changes "a=1, b=2" into "a=1, b=3", or adds b=3 at the end. If the text would get too long, it
 * stays unchanged. */
static void set(char settings[SETTINGS], const char *name, const char *value)
{
    char changed[SETTINGS];
    size_t len = strlen(name);
    char *at = settings;
    while (at && (strncmp(at, name, len) != 0 || at[len] != '=')) {
        at = strstr(at, ", ");
        at = at ? at + 2 : NULL;
    }
    const char *end = at ? strstr(at, ", ") : NULL;
    int before = (int)(at ? (size_t)(at - settings) : strlen(settings));
    int n = snprintf(changed, sizeof(changed), "%.*s%s%s=%s%s", before, settings,
                     !at && before > 0 ? ", " : "", name, value, end ? end : "");

    if (n > 0 && (size_t)n < sizeof(changed))
        memcpy(settings, changed, (size_t)n + 1);
}

/* Takes a setting such as "period=20 ms". jdk.ActiveSetting names the event type by its number.
 * Settings change when recordings begin and end, so the last event counts. */
static void take_setting(struct taking *t, const struct jfr_type *type,
                         const struct jfr_record *record)
{
    const struct jfr_chunk *c = &t->in.file.chunk;
    struct jfr_setting setting;
    char word[SETTINGS / 2], is[SETTINGS / 2];
    if (!jfr_setting_read(c, type, record, &setting))
        return;
    uint32_t number = setting.about ? t->row_of[setting.about->number] : 0;
    if (number == 0)
        return;
    struct jfr_census_row *row = &t->census->rows[number - 1];
    jfr_value_utf8(&setting.name, word, sizeof(word));
    jfr_value_utf8(&setting.value, is, sizeof(is));
    char *settings = row->settings ? row->settings : arena_alloc(&t->census->arena, SETTINGS);
    if (!settings) {
        t->census->error = -ENOMEM;
        return;
    }
    row->settings = settings;
    set(settings, word, is);
    if (strcmp(word, "enabled") == 0) {
        row->was_enabled |= strcmp(is, "true") == 0;
        row->was_disabled |= strcmp(is, "true") != 0;
    }
}

static int take_chunk(struct taking *t)
{
    const struct jfr_chunk *c = &t->in.file.chunk;
    struct jfr_record record;
    int r = begin_chunk(t);
    while (r == 0 && jfr_file_next_record(&t->in.file, &record) > 0) {
        const struct jfr_type *type = jfr_chunk_type(c, record.type_id);
        uint32_t number = type ? t->row_of[type->number] : 0;
        if (number == 0)
            continue;
        struct jfr_census_row *row = &t->census->rows[number - 1];
        if (row->count++ == 0 && t->census->examples &&
            jfr_filter_names(t->census->examples, row->name))
            take_example(t, row, type, &record);
        row->bytes += record.size;
        if (strcmp(row->name, "jdk.ActiveSetting") == 0)
            take_setting(t, type, &record);
        r = t->census->error;
    }
    return r;
}

int jfr_census_take(struct jfr_census *c, const char *path, const char *examples)
{
    struct taking t = {.census = c};
    int r;
    *c = (struct jfr_census){.examples = examples};
    arena_init(&c->arena, TEXTS_MAX);
    lookup_key_init(&c->key);
    r = jfr_input_open(&t.in, path, true);
    if (r < 0)
        return r;
    r = sink_init(&t.nowhere, -1);
    if (r == 0)
        r = jfr_printer_init(&t.printer, &t.nowhere, 1);
    while (r == 0 && (r = jfr_file_next_chunk(&t.in.file)) > 0)
        r = take_chunk(&t);
    if (r < 0)
        jfr_input_say(&t.in, r);
    jfr_printer_done(&t.printer);
    sink_done(&t.nowhere);
    free(t.row_of);
    bool is_whole = jfr_input_close(&t.in);
    return r == 0 && !is_whole ? E_TRUNCATED : r;
}

const struct jfr_census_row *jfr_census_find(const struct jfr_census *c, const char *name)
{
    uint32_t number = number_of(c, name, lookup_hash(&c->key, name, strlen(name)));
    return number > 0 ? &c->rows[number - 1] : NULL;
}

void jfr_census_done(struct jfr_census *c)
{
    arena_done(&c->arena);
    free(c->rows);
    free(c->known);
    *c = (struct jfr_census){0};
}
