/*
 * tabular.c - see tabular.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/tabular.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/plain.h"
#include "base/sink.h"
#include "command/cmd.h"
#include "command/plainout.h"
#include "command/say.h"
#include "command/shorten.h"
#include "format/json_out.h"

enum { CELLS_MIN = 256, KEY = 256, NUMBER = 64, GAP = 2, WIDTH_MAX = 60 };

/* ---- the values of the options */

static const char *const forms[] = {
    [TABULAR_TEXT] = "text", [TABULAR_CSV] = "csv", [TABULAR_JSON] = "json"};

const char *tabular_form_word(int form)
{
    return form >= 0 && form < (int)(sizeof(forms) / sizeof(forms[0])) ? forms[form] : NULL;
}

int tabular_form_named(const char *word)
{
    for (int i = 0; tabular_form_word(i); i++)
        if (strcmp(forms[i], word) == 0)
            return i;
    return -1;
}

int tabular_take_form(const char *command, const char *value, enum tabular_form *ret_form)
{
    int form = tabular_form_named(value);
    if (form < 0) {
        say("%s: --format '%s': wanted is text, csv or json", command, value);
        return E_SYNTAX;
    }
    *ret_form = (enum tabular_form)form;
    return 0;
}

/* The way behind the last colon: 'a', 'd'; 0: none is named; '?': it is neither. */
static char way_of(const char *sort, size_t *ret_len)
{
    const char *colon = strrchr(sort, ':');
    *ret_len = colon ? (size_t)(colon - sort) : strlen(sort);
    if (!colon)
        return '\0';
    return strcmp(colon, ":asc") == 0 ? 'a' : strcmp(colon, ":desc") == 0 ? 'd' : '?';
}

int tabular_take_sort(const char *command, const char *value, const char **ret_sort)
{
    size_t len;
    if (way_of(value, &len) == '?' || len == 0) {
        say("%s: --sort '%s': wanted is COLUMN, COLUMN:asc or COLUMN:desc", command, value);
        return E_SYNTAX;
    }
    *ret_sort = value;
    return 0;
}

/* ---- a table */

void tabular_done(struct tabular *t)
{
    textbuf_done(&t->keys);
    textbuf_done(&t->texts);
    free(t->cells);
    free(t->order);
    *t = (struct tabular){0};
}

void tabular_column(struct tabular *t, const char *key)
{
    textbuf_bytes(&t->keys, key, strlen(key) + 1);
    t->columns++;
}

void tabular_columns(struct tabular *t, const char *keys)
{
    while (*keys != '\0') {
        size_t len = strcspn(keys, " ");
        textbuf_bytes(&t->keys, keys, len);
        textbuf_char(&t->keys, '\0');
        t->columns++;
        keys += len + (keys[len] == ' ');
    }
}

static struct tabular_cell *add(struct tabular *t)
{
    static struct tabular_cell none; /* where a cell goes for which there is no memory */
    if (t->count == t->room) {
        size_t room = t->room > 0 ? t->room * 2 : CELLS_MIN;
        struct tabular_cell *cells = reallocarray(t->cells, room, sizeof(*cells));
        if (!cells) {
            t->is_bad = true;
            return &none;
        }
        t->cells = cells;
        t->room = room;
    }
    t->cells[t->count] = (struct tabular_cell){0};
    return &t->cells[t->count++];
}

void tabular_nothing(struct tabular *t)
{
    add(t);
}

void tabular_number(struct tabular *t, int64_t number)
{
    *add(t) = (struct tabular_cell){.kind = TABULAR_NUMBER, .as.number = number};
}

void tabular_unsigned(struct tabular *t, uint64_t number)
{
    *add(t) = (struct tabular_cell){.kind = TABULAR_UNSIGNED, .as.whole = number};
}

void tabular_real(struct tabular *t, double number)
{
    if (isfinite(number))
        *add(t) = (struct tabular_cell){.kind = TABULAR_REAL, .as.real = number};
    else
        tabular_nothing(t);
}

void tabular_bytes(struct tabular *t, const char *text, size_t len)
{
    *add(t) = (struct tabular_cell){.kind = TABULAR_WORDS, .as.text = t->texts.len};
    textbuf_bytes(&t->texts, text, len);
    textbuf_char(&t->texts, '\0');
}

void tabular_text(struct tabular *t, const char *text)
{
    if (text)
        tabular_bytes(t, text, strlen(text));
    else
        tabular_nothing(t);
}

size_t tabular_rows(const struct tabular *t)
{
    return t->columns > 0 ? t->count / t->columns : 0;
}

size_t tabular_at(const struct tabular *t, size_t i)
{
    return t->order ? t->order[i] : i;
}

static const struct tabular_cell *cell_at(const struct tabular *t, size_t row, uint32_t column)
{
    return &t->cells[row * t->columns + column];
}

static const char *text_at(const struct tabular *t, const struct tabular_cell *cell)
{
    return t->texts.is_bad ? "" : t->texts.bytes + cell->as.text;
}

void tabular_key(const char *heading, char *to, size_t room)
{
    size_t len = 0;
    for (; *heading != '\0' && len + 1 < room; heading++) {
        unsigned char c = (unsigned char)*heading;
        if (isalnum(c) || c >= 0x80 || c == '.')
            to[len++] = (char)tolower(c);
        else if (len > 0 && to[len - 1] != '_')
            to[len++] = '_';
    }
    while (len > 0 && to[len - 1] == '_')
        len--;
    to[len] = '\0';
}

/* ---- the order of rows */

struct order {
    const struct tabular *table;
    uint32_t column;
    bool is_downward;
};

static double real_of(const struct tabular_cell *c)
{
    return c->kind == TABULAR_NUMBER     ? (double)c->as.number
           : c->kind == TABULAR_UNSIGNED ? (double)c->as.whole
                                         : c->as.real;
}

static int compare_cells(const struct tabular *t, const struct tabular_cell *a,
                         const struct tabular_cell *b)
{
    if (a->kind == TABULAR_WORDS || b->kind == TABULAR_WORDS)
        return a->kind != b->kind ? (a->kind == TABULAR_WORDS ? 1 : -1)
                                  : strcmp(text_at(t, a), text_at(t, b));
    if (a->kind == b->kind && a->kind == TABULAR_NUMBER)
        return (a->as.number > b->as.number) - (a->as.number < b->as.number);
    if (a->kind == b->kind && a->kind == TABULAR_UNSIGNED)
        return (a->as.whole > b->as.whole) - (a->as.whole < b->as.whole);
    double x = real_of(a), y = real_of(b);
    return (x > y) - (x < y);
}

/* Cells without a value come last, whatever the way. Equal rows stay in their order, which qsort
 * alone does not promise. */
static int compare_rows(const void *left, const void *right, void *with)
{
    const struct order *o = with;
    size_t x = *(const size_t *)left, y = *(const size_t *)right;
    const struct tabular_cell *a = cell_at(o->table, x, o->column),
                              *b = cell_at(o->table, y, o->column);
    int way = 0;
    if (a->kind == TABULAR_NOTHING || b->kind == TABULAR_NOTHING)
        way = (a->kind == TABULAR_NOTHING) - (b->kind == TABULAR_NOTHING);
    else
        way = compare_cells(o->table, a, b) * (o->is_downward ? -1 : 1);
    return way != 0 ? way : (x > y) - (x < y);
}

/* The column that --sort names: by its name, or by its heading in any writing. -1: none. */
static int find_column(const struct tabular *t, const char *word, size_t len)
{
    char whole[KEY], wanted[KEY], key[KEY];
    int like = -1;
    if (t->keys.is_bad || len >= sizeof(whole))
        return -1;
    snprintf(whole, sizeof(whole), "%.*s", (int)len, word);
    tabular_key(whole, wanted, sizeof(wanted));
    const char *at = t->keys.bytes;
    for (uint32_t i = 0; i < t->columns; i++, at += strlen(at) + 1) {
        if (strcmp(at, whole) == 0)
            return (int)i;
        tabular_key(at, key, sizeof(key));
        if (like < 0 && strcmp(key, wanted) == 0)
            like = (int)i;
    }
    return like;
}

/* Numbers are best seen from the largest on, texts from A to Z. */
static bool is_downward(const struct tabular *t, uint32_t column, char way)
{
    if (way != '\0')
        return way == 'd';
    for (size_t i = 0; i < tabular_rows(t); i++)
        if (cell_at(t, i, column)->kind != TABULAR_NOTHING)
            return cell_at(t, i, column)->kind != TABULAR_WORDS;
    return false;
}

/* Returns whether the table has the column. */
static bool sort_rows(struct tabular *t, const char *sort)
{
    size_t len, count = tabular_rows(t);
    char way = way_of(sort, &len);
    int column = find_column(t, sort, len);
    if (column < 0)
        return false;
    struct order order = {t, (uint32_t)column, is_downward(t, (uint32_t)column, way)};
    free(t->order);
    t->order = calloc(count + 1, sizeof(*t->order));
    if (!t->order) {
        t->is_bad = true;
        return true;
    }
    for (size_t i = 0; i < count; i++)
        t->order[i] = i;
    qsort_r(t->order, count, sizeof(*t->order), compare_rows, &order);
    return true;
}

/* ---- CSV and JSON */

void tabular_put_csv(struct sink *to, const char *text, size_t len)
{
    bool needs_quotes = false;
    for (size_t i = 0; i < len; i++)
        needs_quotes |= text[i] != '\0' && strchr(",\"\r\n", text[i]);
    if (!needs_quotes) {
        sink_bytes(to, text, len);
        return;
    }
    sink_text(to, "\"");
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '"')
            sink_text(to, "\"");
        sink_u1(to, (uint8_t)text[i]);
    }
    sink_text(to, "\"");
}

/* Writes the number with as many digits as tell it apart from all others. */
static const char *number_of(const struct tabular_cell *c, char number[NUMBER])
{
    if (c->kind == TABULAR_NUMBER)
        snprintf(number, NUMBER, "%" PRId64, c->as.number);
    else if (c->kind == TABULAR_UNSIGNED)
        snprintf(number, NUMBER, "%" PRIu64, c->as.whole);
    else
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(number, NUMBER, "%.*g", digits, c->as.real);
            if (strtod(number, NULL) == c->as.real)
                break;
        }
    return number;
}

static void put_text(struct sink *to, const char *text, bool is_json)
{
    if (is_json)
        json_out_text(to, text, strlen(text));
    else
        tabular_put_csv(to, text, strlen(text));
}

static void put_cell(struct sink *to, const struct tabular *t, const struct tabular_cell *c,
                     bool is_json)
{
    char number[NUMBER];
    if (c->kind == TABULAR_WORDS)
        put_text(to, text_at(t, c), is_json);
    else if (c->kind != TABULAR_NOTHING)
        sink_text(to, number_of(c, number));
    else
        sink_text(to, is_json ? "null" : "");
}

/* Writes the members that stand before those of the table: input and table. */
static bool put_front(const struct tabular_out *out, struct sink *to, const struct tabular *t)
{
    bool is_json = out->how->form == TABULAR_JSON;
    if (out->has_inputs) {
        sink_text(to, is_json ? "\"input\":" : "");
        put_text(to, out->input ? out->input : "", is_json);
    }
    if (out->has_tables && is_json) {
        sink_text(to, out->has_inputs ? ",\"table\":" : "\"table\":");
        put_text(to, t->name ? t->name : "", true);
    }
    return out->has_inputs || (out->has_tables && is_json);
}

static void put_json_row(struct tabular_out *out, struct sink *to, const struct tabular *t,
                         size_t row)
{
    const char *key = t->keys.bytes;
    sink_text(to, out->text.len > 0 || sink_position(to) > 0 ? ",\n{" : "{");
    bool is_first = !put_front(out, to, t);
    for (uint32_t i = 0; i < t->columns; i++, key += strlen(key) + 1) {
        sink_text(to, is_first ? "" : ",");
        is_first = false;
        put_text(to, key, true);
        sink_text(to, ":");
        put_cell(to, t, cell_at(t, row, i), true);
    }
    sink_text(to, "}");
}

static void put_csv_row(struct tabular_out *out, struct sink *to, const struct tabular *t,
                        size_t row)
{
    bool is_first = !put_front(out, to, t);
    for (uint32_t i = 0; i < t->columns; i++) {
        sink_text(to, is_first ? "" : ",");
        is_first = false;
        put_cell(to, t, cell_at(t, row, i), false);
    }
    sink_text(to, "\r\n");
}

static int take(void *to, const unsigned char *bytes, size_t len)
{
    struct textbuf *t = to;
    textbuf_bytes(t, (const char *)bytes, len);
    return t->is_bad ? -ENOMEM : 0;
}

/* Notes the names of the columns, which all tables of a CSV file must have. A table without rows
 * gives way to one with rows. */
static void note_heads(struct tabular_out *out, const struct tabular *t)
{
    if (t->keys.len == 0 || (out->heads.len == t->keys.len &&
                             memcmp(out->heads.bytes, t->keys.bytes, t->keys.len) == 0))
        return;
    if (out->text.len > 0 && tabular_rows(t) > 0)
        out->is_mixed = true;
    if (out->text.len > 0 || (out->heads.len > 0 && tabular_rows(t) == 0))
        return;
    out->heads.len = 0;
    textbuf_bytes(&out->heads, t->keys.bytes, t->keys.len);
}

static void put_rows(struct tabular_out *out, const struct tabular *t, size_t top)
{
    size_t count = tabular_rows(t);
    struct sink to;
    note_heads(out, t);
    if (sink_init_taker(&to, take, &out->text) < 0) {
        out->is_bad = true;
        return;
    }
    for (size_t i = 0; i < count && (top == 0 || i < top); i++) {
        if (out->how->form == TABULAR_JSON)
            put_json_row(out, &to, t, tabular_at(t, i));
        else
            put_csv_row(out, &to, t, tabular_at(t, i));
    }
    out->is_bad |= sink_done(&to) < 0;
}

/* ---- all tables */

bool tabular_is_data(const struct tabular_how *how)
{
    return how->form != TABULAR_TEXT;
}

bool tabular_wants_rows(const struct tabular_how *how)
{
    return tabular_is_data(how) || how->sort;
}

/* Whether the name stands in a list of names, each with a NUL. */
static bool is_among(const struct textbuf *names, const char *name)
{
    for (size_t at = 0; at < names->len && !names->is_bad; at += strlen(names->bytes + at) + 1)
        if (strcmp(names->bytes + at, name) == 0)
            return true;
    return false;
}

static void note_name(struct tabular_out *out, const char *name)
{
    if (is_among(&out->names, name))
        return;
    textbuf_bytes(&out->names, name, strlen(name) + 1);
    out->table_count++;
}

bool tabular_has(struct tabular_out *out, const char *name)
{
    note_name(out, name);
    return !out->how->table || strcmp(out->how->table, name) == 0;
}

/* Keeps the columns of a table that lacks the column of --sort, for the message. */
static void note_columns(struct tabular_out *out, const struct tabular *t)
{
    const char *key = t->keys.is_bad ? NULL : t->keys.bytes;
    textbuf_text(&out->known, out->known.len > 0 ? "; " : "");
    if (out->has_tables && t->name)
        textbuf_printf(&out->known, "%s: ", t->name);
    for (uint32_t i = 0; key && i < t->columns; i++, key += strlen(key) + 1)
        textbuf_printf(&out->known, "%s%s", i > 0 ? ", " : "", key);
}

bool tabular_place(struct tabular_out *out, struct tabular *t, size_t top)
{
    if (out->has_tables && t->name && !tabular_has(out, t->name))
        return false;
    out->is_answered = true;
    if (out->how->sort) {
        if (sort_rows(t, out->how->sort))
            out->is_sorted = true;
        else
            note_columns(out, t);
    }
    out->is_bad |= t->is_bad || t->keys.is_bad || t->texts.is_bad;
    if (!tabular_is_data(out->how))
        return true;
    if (!out->is_bad)
        put_rows(out, t, top);
    return false;
}

/* The names of the tables, for a message; is_bad if there is no memory. */
static struct textbuf list_names(const struct tabular_out *out)
{
    struct textbuf list = {0};
    for (size_t at = 0; at < out->names.len && !out->names.is_bad;
         at += strlen(out->names.bytes + at) + 1)
        textbuf_printf(&list, "%s%s", at > 0 ? ", " : "", out->names.bytes + at);
    textbuf_char(&list, '\0');
    return list;
}

static int say_tables(const struct tabular_out *out, bool is_unknown)
{
    struct textbuf list = list_names(out);
    const char *names = list.is_bad ? "?" : list.bytes;
    if (is_unknown && out->table_count == 0)
        say("%s: --table '%s': there is no table", out->command, out->how->table);
    else if (is_unknown)
        say("%s: --table '%s': there is no such table; there are %s", out->command, out->how->table,
            names);
    else
        say("%s: --format csv: CSV has room for one table; name one%s%s: %s", out->command,
            out->chooser ? " with " : "", out->chooser ? out->chooser : "", names);
    textbuf_done(&list);
    return is_unknown ? E_NOT_FOUND : E_UNSUPPORTED;
}

int tabular_check(struct tabular_out *out)
{
    const struct tabular_how *how = out->how;
    if (out->is_bad || out->text.is_bad || out->known.is_bad)
        return -ENOMEM;
    if (out->is_refused)
        return E_NOT_FOUND;
    if (how->table && !is_among(&out->names, how->table))
        return say_tables(out, true);
    if (how->sort && !out->is_sorted && out->known.len > 0) {
        size_t len;
        way_of(how->sort, &len);
        textbuf_char(&out->known, '\0');
        say("%s: --sort '%.*s': there is no such column; there are %s", out->command, (int)len,
            how->sort, out->known.is_bad ? "?" : out->known.bytes);
        textbuf_done(&out->known);
        out->is_refused = true;
        return E_NOT_FOUND;
    }
    if (how->form == TABULAR_CSV && out->is_mixed && out->has_tables && !how->table)
        return say_tables(out, false);
    if (how->form == TABULAR_CSV && out->is_mixed) {
        say("%s: --format csv: the inputs differ in their columns; name them one by one, or take "
            "json",
            out->command);
        return E_UNSUPPORTED;
    }
    return 0;
}

static void put_heads(const struct tabular_out *out, struct sink *to)
{
    const char *end = out->heads.bytes + out->heads.len;
    sink_text(to, out->has_inputs ? "input" : "");
    for (const char *key = out->heads.bytes; key < end; key += strlen(key) + 1) {
        sink_text(to, key > out->heads.bytes || out->has_inputs ? "," : "");
        tabular_put_csv(to, key, strlen(key));
    }
    sink_text(to, "\r\n");
}

int tabular_finish(struct tabular_out *out)
{
    struct plainout to;
    int error = tabular_check(out);
    if (error == 0 && tabular_is_data(out->how) && out->is_answered) {
        error = plainout_open(&to, true);
        if (error == 0) {
            bool is_json = out->how->form == TABULAR_JSON;
            if (is_json)
                sink_text(&to.sink, "[\n");
            else if (out->heads.len > 0)
                put_heads(out, &to.sink);
            sink_bytes(&to.sink, out->text.bytes, out->text.len);
            if (is_json)
                sink_text(&to.sink, out->text.len > 0 ? "\n]\n" : "]\n");
            error = plainout_done(&to);
        }
    }
    if (error == -ENOMEM)
        say("%s: %s", out->command, err_text(error));
    tabular_drop(out);
    return error;
}

/* A reader that has closed the output early has what it wanted. */
int tabular_status(int error, int status)
{
    bool has_failed = error < 0 && error != -EPIPE;
    return error == E_NOT_FOUND ? CMD_USAGE : has_failed ? CMD_FAILED : status;
}

void tabular_drop(struct tabular_out *out)
{
    textbuf_done(&out->text);
    textbuf_done(&out->heads);
    textbuf_done(&out->names);
    textbuf_done(&out->known);
}

/* ---- text */

static const char *shown_of(const struct tabular *t, const struct tabular_cell *c,
                            char number[NUMBER])
{
    if (c->kind == TABULAR_WORDS)
        return text_at(t, c);
    if (c->kind == TABULAR_NOTHING)
        return "-";
    if (c->kind != TABULAR_REAL)
        return number_of(c, number);
    snprintf(number, NUMBER, "%.3f", c->as.real);
    return number;
}

/* The width of a column, and whether its numbers stand at the right. */
static size_t width_of(const struct tabular *t, uint32_t column, const char *key, size_t shown,
                       bool *ret_is_right)
{
    char number[NUMBER];
    size_t width = strlen(key);
    *ret_is_right = false;
    for (size_t i = 0; i < shown; i++) {
        const struct tabular_cell *c = cell_at(t, tabular_at(t, i), column);
        size_t len = shorten_columns(shown_of(t, c, number));
        width = len > width ? len : width;
        *ret_is_right |= c->kind != TABULAR_WORDS && c->kind != TABULAR_NOTHING;
    }
    return width < WIDTH_MAX ? width : WIDTH_MAX;
}

static void put_shown(struct sink *to, const char *text, size_t width, bool is_right, bool is_last)
{
    size_t len = shorten_columns(text), blanks = len < width ? width - len : 0;
    sink_printf(to, "%*s", is_right ? (int)blanks : 0, "");
    plain_put(to, text, strlen(text));
    if (!is_last)
        sink_printf(to, "%*s", (int)((is_right ? 0 : blanks) + GAP), "");
}

void tabular_print(const struct tabular *t, size_t top, struct sink *to)
{
    size_t count = tabular_rows(t), shown = top > 0 && top < count ? top : count;
    struct {
        size_t width;
        bool is_right;
    } *of = calloc((size_t)t->columns + 1, sizeof(*of));
    const char *key = t->keys.bytes;
    char number[NUMBER];
    for (uint32_t i = 0; of && i < t->columns; i++, key += strlen(key) + 1)
        of[i].width = width_of(t, i, key, shown, &of[i].is_right);
    key = t->keys.bytes;
    for (uint32_t i = 0; of && i < t->columns; i++, key += strlen(key) + 1)
        put_shown(to, key, of[i].width, of[i].is_right, i + 1 == t->columns);
    sink_text(to, "\n");
    for (size_t row = 0; of && row < shown; row++) {
        for (uint32_t i = 0; i < t->columns; i++)
            put_shown(to, shown_of(t, cell_at(t, tabular_at(t, row), i), number), of[i].width,
                      of[i].is_right, i + 1 == t->columns);
        sink_text(to, "\n");
    }
    free(of);
}
