/*
 * heapanswer.c - see heapanswer.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heapanswer.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/sink.h"
#include "format/json_out.h"
#include "heap/question.h"

enum { SCHEMA = 1, CELL = 64, INDENT = 2, SENTENCE = 1024 };

static bool is_json(const struct heapanswer *a)
{
    return a->form == HEAPANSWER_JSON;
}

static void indent(struct heapanswer *a)
{
    for (unsigned i = 0; i < a->indent && a->form == HEAPANSWER_TEXT; i++)
        sink_text(a->out, " ");
}

const char *heapanswer_bytes(uint64_t bytes, char ret_text[HEAPANSWER_BYTES_ROOM])
{
    static const char *const units[] = {"KB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)bytes / 1024;
    size_t unit = 0;
    if (bytes < 1024) {
        snprintf(ret_text, HEAPANSWER_BYTES_ROOM, "%" PRIu64 " B", bytes);
        return ret_text;
    }
    for (; value >= 1023.95 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
        value /= 1024;
    snprintf(ret_text, HEAPANSWER_BYTES_ROOM, "%.1f %s", value, units[unit]);
    return ret_text;
}

/* ---- JSON */

static void open_level(struct heapanswer *a, const char *bracket)
{
    sink_text(a->out, bracket);
    if (a->depth + 1 < HEAPANSWER_DEPTH)
        a->has_members[++a->depth] = false;
}

static void close_level(struct heapanswer *a, const char *bracket)
{
    sink_text(a->out, bracket);
    if (a->depth > 0)
        a->depth--;
}

static void separate(struct heapanswer *a)
{
    if (a->has_members[a->depth])
        sink_text(a->out, ",");
    a->has_members[a->depth] = true;
    if (a->depth <= 2)
        sink_text(a->out, "\n");
}

/* `key` NULL: the value is one of a list. */
static void member(struct heapanswer *a, const char *key)
{
    separate(a);
    if (key)
        sink_printf(a->out, "\"%s\":", key);
}

static void put_json(struct heapanswer *a, enum heapanswer_unit unit, uint64_t value)
{
    if (unit == HEAPANSWER_ID)
        sink_printf(a->out, "\"0x%" PRIx64 "\"", value);
    else if (unit == HEAPANSWER_CHANGE || unit == HEAPANSWER_CHANGE_COUNT)
        sink_printf(a->out, "%" PRId64, (int64_t)value);
    else if (unit == HEAPANSWER_FLAG)
        sink_text(a->out, value ? "true" : "false");
    else
        sink_printf(a->out, "%" PRIu64, value);
}

/* ---- values for people */

static const char *say_value(enum heapanswer_unit unit, uint64_t value, char room[CELL])
{
    char bytes[HEAPANSWER_BYTES_ROOM];
    int64_t change = (int64_t)value;
    switch (unit) {
    case HEAPANSWER_BYTES:
        return heapanswer_bytes(value, room);
    case HEAPANSWER_CHANGE:
        snprintf(room, CELL, "%c%s", change < 0 ? '-' : '+',
                 heapanswer_bytes(change < 0 ? -(uint64_t)change : (uint64_t)change, bytes));
        return room;
    case HEAPANSWER_CHANGE_COUNT:
        snprintf(room, CELL, "%+" PRId64, change);
        return room;
    case HEAPANSWER_ID:
        snprintf(room, CELL, "0x%" PRIx64, value);
        return room;
    case HEAPANSWER_FLAG:
        return value ? "yes" : "no";
    default:
        snprintf(room, CELL, "%" PRIu64, value);
        return room;
    }
}

/* A name in Markdown, where some characters have a meaning. */
static void put_markdown(struct heapanswer *a, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\n' || *text == '\r') {
            sink_text(a->out, " ");
            continue;
        }
        if (*text == '<')
            sink_text(a->out, "&lt;");
        else if (*text == '&')
            sink_text(a->out, "&amp;");
        else if (strchr("\\`*_[]|~#", *text))
            sink_printf(a->out, "\\%c", *text);
        else
            sink_bytes(a->out, text, 1);
    }
}

static void put_text(struct heapanswer *a, const char *text)
{
    if (a->form == HEAPANSWER_MARKDOWN) {
        put_markdown(a, text);
        return;
    }
    for (; *text != '\0'; text++) /* a name is one line */
        sink_bytes(a->out, *text == '\n' || *text == '\t' ? " " : text, 1);
}

/* Markdown needs an empty line behind a list or table. */
static void end_block(struct heapanswer *a)
{
    if (a->is_in_block)
        sink_text(a->out, "\n");
    a->is_in_block = false;
}

/* ---- facts */

void heapanswer_begin(struct heapanswer *a, const struct question_asked *asked,
                      const char *question)
{
    *a = (struct heapanswer){.out = asked->out,
                             .form = asked->is_json       ? HEAPANSWER_JSON
                                     : asked->is_markdown ? HEAPANSWER_MARKDOWN
                                                          : HEAPANSWER_TEXT,
                             .is_at_start = true};
    if (!is_json(a))
        return;
    sink_text(a->out, "{");
    heapanswer_fact_text(a, "question", NULL, question);
    heapanswer_fact(a, "schema", NULL, HEAPANSWER_COUNT, SCHEMA);
}

void heapanswer_end(struct heapanswer *a)
{
    if (is_json(a))
        sink_text(a->out, "\n}\n");
}

/* Begins a line "title: ". Returns whether there is one. */
static bool begin_fact(struct heapanswer *a, const char *title)
{
    if (!title)
        return false;
    a->is_at_start = false;
    indent(a);
    a->is_in_block = a->form == HEAPANSWER_MARKDOWN;
    if (a->form == HEAPANSWER_MARKDOWN)
        sink_printf(a->out, "- %s: ", title);
    else
        sink_printf(a->out, "%s: ", title);
    return true;
}

void heapanswer_fact(struct heapanswer *a, const char *key, const char *title,
                     enum heapanswer_unit unit, uint64_t value)
{
    char room[CELL];
    if (is_json(a)) {
        member(a, key);
        put_json(a, unit, value);
    } else if (begin_fact(a, title)) {
        sink_printf(a->out, "%s\n", say_value(unit, value, room));
    }
}

void heapanswer_fact_text(struct heapanswer *a, const char *key, const char *title,
                          const char *value)
{
    if (is_json(a)) {
        member(a, key);
        if (value)
            json_out_text(a->out, value, strlen(value));
        else
            sink_text(a->out, "null");
    } else if (value && begin_fact(a, title)) {
        put_text(a, value);
        sink_text(a->out, "\n");
    }
}

void heapanswer_fact_percent(struct heapanswer *a, const char *key, const char *title, double value)
{
    if (is_json(a)) {
        member(a, key);
        sink_printf(a->out, "%.2f", value);
    } else if (begin_fact(a, title)) {
        sink_printf(a->out, "%.2f%%\n", value);
    }
}

void heapanswer_fact_bool(struct heapanswer *a, const char *key, bool value)
{
    if (!is_json(a))
        return;
    member(a, key);
    sink_text(a->out, value ? "true" : "false");
}

void heapanswer_object(struct heapanswer *a, const char *key)
{
    if (!is_json(a))
        return;
    member(a, key);
    open_level(a, "{");
}

void heapanswer_object_end(struct heapanswer *a)
{
    if (is_json(a))
        close_level(a, "}");
}

static void put_sentence(struct heapanswer *a, const char *format, va_list args)
{
    char text[SENTENCE];
    vsnprintf(text, sizeof(text), format, args);
    put_text(a, text);
    sink_text(a->out, "\n");
}

void heapanswer_say(struct heapanswer *a, const char *format, ...)
{
    va_list args;
    if (is_json(a))
        return;
    a->is_at_start = false;
    end_block(a);
    indent(a);
    va_start(args, format);
    put_sentence(a, format, args);
    va_end(args);
    if (a->form == HEAPANSWER_MARKDOWN)
        sink_text(a->out, "\n");
}

void heapanswer_heading(struct heapanswer *a, const char *format, ...)
{
    va_list args;
    if (is_json(a))
        return;
    end_block(a);
    if (!a->is_at_start && a->form == HEAPANSWER_TEXT)
        sink_text(a->out, "\n");
    a->is_at_start = false;
    indent(a);
    if (a->form == HEAPANSWER_MARKDOWN)
        sink_text(a->out, a->indent > 0 ? "#### " : "### ");
    va_start(args, format);
    put_sentence(a, format, args);
    va_end(args);
    if (a->form == HEAPANSWER_MARKDOWN)
        sink_text(a->out, "\n");
}

void heapanswer_command(struct heapanswer *a, const char *command, const char *why)
{
    if (is_json(a))
        return;
    a->is_at_start = false;
    if (a->form == HEAPANSWER_TEXT) {
        sink_text(a->out, "  ");
        put_text(a, command);
        sink_printf(a->out, "   %s\n", why);
        return;
    }
    a->is_in_block = true;
    sink_text(a->out, "- `");
    for (; *command != '\0'; command++) /* a name of a file may have anything */
        sink_bytes(a->out, *command == '`' || *command == '\n' ? "?" : command, 1);
    sink_printf(a->out, "`: %s\n", why);
}

/* ---- tables */

static unsigned width_of(const struct heapanswer_column *c)
{
    static const unsigned usual[] = {
        [HEAPANSWER_COUNT] = 10,        [HEAPANSWER_BYTES] = 10,  [HEAPANSWER_CHANGE] = 11,
        [HEAPANSWER_CHANGE_COUNT] = 10, [HEAPANSWER_PERCENT] = 7, [HEAPANSWER_ID] = 14,
        [HEAPANSWER_FLAG] = 3,          [HEAPANSWER_NAME] = 0};
    return c->width > 0 ? c->width : usual[c->unit];
}

static bool is_right(const struct heapanswer_column *c)
{
    return c->unit != HEAPANSWER_NAME && c->unit != HEAPANSWER_ID;
}

/* Whether this form of the answer has the column. */
static bool is_shown(const struct heapanswer *a, const struct heapanswer_column *c)
{
    return is_json(a) ? c->key != NULL : c->title != NULL;
}

static bool is_last_shown(const struct heapanswer *a, unsigned column)
{
    for (unsigned i = column + 1; i < a->column_count; i++)
        if (is_shown(a, &a->columns[i]))
            return false;
    return true;
}

static bool has_no_titles(const struct heapanswer *a)
{
    for (unsigned i = 0; i < a->column_count; i++)
        if (is_shown(a, &a->columns[i]) && a->columns[i].title[0] != '\0')
            return false;
    return true;
}

static void put_titles(struct heapanswer *a)
{
    bool is_text = a->form == HEAPANSWER_TEXT;
    a->has_titles = true;
    if (is_text && has_no_titles(a))
        return;
    indent(a);
    for (unsigned i = 0; i < a->column_count; i++) {
        const struct heapanswer_column *c = &a->columns[i];
        bool is_last = is_last_shown(a, i);
        if (!is_shown(a, c))
            continue;
        if (!is_text)
            sink_printf(a->out, "| %s ", c->title);
        else if (is_right(c))
            sink_printf(a->out, "%*s%s", (int)width_of(c), c->title, is_last ? "" : "  ");
        else
            sink_printf(a->out, "%-*s%s", is_last ? 0 : (int)width_of(c), c->title,
                        is_last ? "" : "  ");
    }
    sink_text(a->out, is_text ? "\n" : "|\n");
    for (unsigned i = 0; i < a->column_count && !is_text; i++)
        if (is_shown(a, &a->columns[i]))
            sink_text(a->out, is_right(&a->columns[i]) ? "| ---: " : "| --- ");
    if (!is_text)
        sink_text(a->out, "|\n");
}

void heapanswer_table(struct heapanswer *a, const char *key, const char *title,
                      const struct heapanswer_column *columns, unsigned count)
{
    a->columns = columns;
    a->column_count = count;
    a->column = 0;
    a->rows = 0;
    a->has_titles = false;
    a->is_bare = false;
    for (unsigned i = 0; i < count; i++)
        a->is_bare = a->is_bare || (columns[i].key && columns[i].key[0] == '\0');
    if (is_json(a)) {
        member(a, key);
        open_level(a, "[");
    } else if (title) {
        heapanswer_heading(a, "%s", title);
    }
}

void heapanswer_table_part(struct heapanswer *a, const char *format, ...)
{
    char text[SENTENCE];
    va_list args;
    if (is_json(a))
        return;
    if (a->form == HEAPANSWER_MARKDOWN && a->rows > 0)
        sink_text(a->out, "\n");
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    heapanswer_heading(a, "%s", text);
    a->has_titles = false;
}

/* Begins a cell, and a row if it is the first. Returns NULL if this form does not have it. */
static const struct heapanswer_column *begin_cell(struct heapanswer *a, bool has_value)
{
    const struct heapanswer_column *c = &a->columns[a->column];
    if (is_json(a)) {
        if (a->column == 0)
            separate(a);
        if (a->column == 0 && !a->is_bare)
            open_level(a, "{");
        if (!is_shown(a, c) || !has_value)
            return NULL;
        if (a->is_bare)
            return c;
        if (a->has_members[a->depth])
            sink_text(a->out, ",");
        a->has_members[a->depth] = true;
        sink_printf(a->out, "\"%s\":", c->key);
        return c;
    }
    if (!a->has_titles && a->column == 0) {
        end_block(a);
        put_titles(a);
    }
    if (a->column == 0)
        indent(a);
    if (!is_shown(a, c))
        return NULL;
    if (a->form == HEAPANSWER_MARKDOWN)
        sink_text(a->out, "| ");
    return c;
}

static void end_cell(struct heapanswer *a)
{
    bool is_last = a->column + 1 == a->column_count, is_text = a->form == HEAPANSWER_TEXT;
    if (!is_json(a) && is_shown(a, &a->columns[a->column]) && !is_last_shown(a, a->column))
        sink_text(a->out, is_text ? "  " : " ");
    else if (a->form == HEAPANSWER_MARKDOWN && is_last)
        sink_text(a->out, " ");
    if (is_last && is_json(a) && !a->is_bare)
        close_level(a, "}");
    else if (is_last && !is_json(a))
        sink_text(a->out, is_text ? "\n" : "|\n");
    a->column = is_last ? 0 : a->column + 1;
    a->rows += is_last;
}

/* Writes the text of a cell for people. */
static void put_cell(struct heapanswer *a, const struct heapanswer_column *c, const char *text)
{
    bool is_last = is_last_shown(a, a->column);
    size_t len = strlen(text), width = width_of(c);
    size_t fill = a->form == HEAPANSWER_TEXT && len < width ? width - len : 0;
    if (is_right(c))
        for (size_t i = 0; i < fill; i++)
            sink_text(a->out, " ");
    put_text(a, text);
    if (!is_right(c) && !is_last)
        for (size_t i = 0; i < fill; i++)
            sink_text(a->out, " ");
}

void heapanswer_number(struct heapanswer *a, uint64_t value)
{
    char room[CELL];
    const struct heapanswer_column *c = begin_cell(a, true);
    if (c && is_json(a))
        put_json(a, c->unit, value);
    else if (c)
        put_cell(a, c, say_value(c->unit, value, room));
    end_cell(a);
}

void heapanswer_change(struct heapanswer *a, int64_t value)
{
    heapanswer_number(a, (uint64_t)value);
}

void heapanswer_flag(struct heapanswer *a, bool value)
{
    heapanswer_number(a, value);
}

void heapanswer_percent(struct heapanswer *a, double value)
{
    char room[CELL];
    const struct heapanswer_column *c = begin_cell(a, true);
    snprintf(room, sizeof(room), is_json(a) ? "%.2f" : "%.2f%%", value);
    if (c && is_json(a))
        sink_text(a->out, room);
    else if (c)
        put_cell(a, c, room);
    end_cell(a);
}

void heapanswer_text(struct heapanswer *a, const char *value)
{
    const struct heapanswer_column *c = begin_cell(a, true);
    if (c && is_json(a))
        json_out_text(a->out, value, strlen(value));
    else if (c)
        put_cell(a, c, value);
    end_cell(a);
}

void heapanswer_nothing(struct heapanswer *a)
{
    const struct heapanswer_column *c = begin_cell(a, true);
    if (c && is_json(a))
        sink_text(a->out, "null");
    else if (c)
        put_cell(a, c, "-");
    end_cell(a);
}

void heapanswer_none(struct heapanswer *a)
{
    const struct heapanswer_column *c = begin_cell(a, false);
    if (c)
        put_cell(a, c, "");
    end_cell(a);
}

void heapanswer_literal(struct heapanswer *a, const char *json, const char *text)
{
    const struct heapanswer_column *c = begin_cell(a, true);
    if (c && is_json(a))
        sink_text(a->out, json);
    else if (c)
        put_cell(a, c, text);
    end_cell(a);
}

void heapanswer_cell(struct heapanswer *a, const char *text)
{
    const struct heapanswer_column *c = begin_cell(a, true);
    if (c && is_json(a))
        open_level(a, "{");
    else if (c)
        put_cell(a, c, text);
}

void heapanswer_cell_end(struct heapanswer *a)
{
    if (is_json(a) && is_shown(a, &a->columns[a->column]))
        close_level(a, "}");
    end_cell(a);
}

void heapanswer_note(struct heapanswer *a, const char *format, ...)
{
    va_list args;
    char text[SENTENCE];
    if (is_json(a))
        return;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    indent(a);
    for (unsigned i = 0; i < a->column_count; i++) {
        if (!is_shown(a, &a->columns[i]))
            continue;
        if (is_last_shown(a, i))
            break;
        if (a->form == HEAPANSWER_TEXT)
            sink_printf(a->out, "%*s", (int)width_of(&a->columns[i]) + 2, "");
        else
            sink_text(a->out, "| ");
    }
    sink_text(a->out, a->form == HEAPANSWER_TEXT ? "" : "| ");
    put_text(a, text);
    sink_text(a->out, a->form == HEAPANSWER_TEXT ? "\n" : " |\n");
}

void heapanswer_table_end(struct heapanswer *a, const char *none)
{
    if (is_json(a))
        close_level(a, "]");
    else if (a->rows == 0 && none)
        heapanswer_say(a, "%s", none);
    else if (a->rows > 0 && a->form == HEAPANSWER_MARKDOWN)
        sink_text(a->out, "\n");
}

/* ---- lists */

void heapanswer_list(struct heapanswer *a, const char *key)
{
    if (!is_json(a))
        return;
    member(a, key);
    open_level(a, "[");
}

void heapanswer_item(struct heapanswer *a)
{
    if (is_json(a)) {
        separate(a);
        open_level(a, "{");
        return;
    }
    a->indent += INDENT;
}

void heapanswer_item_end(struct heapanswer *a)
{
    if (is_json(a))
        close_level(a, "}");
    else
        a->indent -= INDENT;
}

void heapanswer_list_end(struct heapanswer *a)
{
    if (is_json(a))
        close_level(a, "]");
}
