/*
 * query_print.c - see query_print.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_print.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/plain.h"
#include "base/sink.h"
#include "command/tabular.h"
#include "format/json_out.h"

enum {
    ROWS_KEPT = 1000,
    BYTES_KEPT = 8 << 20,
    WIDTH_MAX = 120, /* of a column in characters; longer texts push what follows */
    GAP = 2,
    NUMBER = 64,
};

/* ---- words */

static const char *const words[] = {[QUERY_FORM_TABLE] = "table",
                                    [QUERY_FORM_CSV] = "csv",
                                    [QUERY_FORM_JSON] = "json",
                                    [QUERY_FORM_MD] = "md",
                                    [QUERY_FORM_HTML] = "html"};

const char *query_print_form_word(int form)
{
    return form >= 0 && form < (int)(sizeof(words) / sizeof(words[0])) ? words[form] : NULL;
}

int query_print_form_named(const char *word)
{
    for (int i = 0; query_print_form_word(i); i++)
        if (strcmp(query_print_form_word(i), word) == 0)
            return i;
    return -1;
}

/* ---- texts */

/* Markdown's own characters get a backslash. */
static void put_md(struct sink *s, const char *text, size_t len)
{
    size_t from = 0;
    for (size_t i = 0; i < len; i++)
        if (strchr("\\|`*_<>[]#", text[i]) && text[i] != '\0') {
            plain_put(s, text + from, i - from);
            sink_text(s, "\\");
            from = i;
        }
    plain_put(s, text + from, len - from);
}

static void put_html(struct sink *s, const char *text, size_t len)
{
    static const char *const escapes[] = {['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;"};
    size_t from = 0;
    for (size_t i = 0; i < len; i++)
        if (text[i] == '&' || text[i] == '<' || text[i] == '>') {
            plain_put(s, text + from, i - from);
            sink_text(s, escapes[(unsigned char)text[i]]);
            from = i + 1;
        }
    plain_put(s, text + from, len - from);
}

/* The value as a text. A real number has three digits behind the point for people, or more if it is
 * small, and all for programs. `number` is room for it. */
static const char *text_of(sqlite3_stmt *st, int i, bool is_for_people, char number[NUMBER],
                           size_t *ret_len)
{
    int type = sqlite3_column_type(st, i);
    if (type == SQLITE_FLOAT && is_for_people) {
        double value = sqlite3_column_double(st, i);
        bool is_small = value != 0 && fabs(value) < 0.001, is_large = fabs(value) >= 1e15;
        *ret_len = (size_t)snprintf(number, NUMBER, is_small || is_large ? "%.4g" : "%.3f", value);
        return number;
    }
    const char *text = (const char *)sqlite3_column_text(st, i);
    if (type == SQLITE_FLOAT && text && strtod(text, NULL) != sqlite3_column_double(st, i)) {
        /* SQLite writes 15 digits; 17 tell any number apart from all others. */
        double value = sqlite3_column_double(st, i);
        *ret_len = (size_t)snprintf(number, NUMBER, "%.16g", value);
        if (strtod(number, NULL) != value)
            *ret_len = (size_t)snprintf(number, NUMBER, "%.17g", value);
        return number;
    }
    *ret_len = text ? (size_t)sqlite3_column_bytes(st, i) : 0;
    return text ? text : "";
}

/* Bytes are written in hexadecimal digits. */
static void put_blob(struct sink *s, sqlite3_stmt *st, int i)
{
    const unsigned char *bytes = sqlite3_column_blob(st, i);
    int len = sqlite3_column_bytes(st, i);
    for (int k = 0; k < len; k++)
        sink_printf(s, "%02x", bytes[k]);
}

/* ---- tables */

static size_t length_of(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

/* Adds a cell of text to the kept ones. A line break becomes a blank, what is not plain '?'. */
static void keep_text(struct query_print *p, int column, const char *text, size_t len)
{
    size_t start = p->kept.len;
    while (len > 0) {
        size_t odd, plain = plain_run(text, len, &odd);
        textbuf_bytes(&p->kept, text, plain);
        if (odd > 0)
            textbuf_char(&p->kept, text[plain] == '\n' ? ' ' : '?');
        text += plain + odd;
        len -= plain + odd;
    }
    textbuf_char(&p->kept, '\0');
    size_t width = p->kept.is_bad ? 0 : length_of(p->kept.bytes + start);
    if (width > p->of[column].width && !p->is_flowing)
        p->of[column].width = width < WIDTH_MAX ? width : WIDTH_MAX;
}

static void keep_cell(struct query_print *p, sqlite3_stmt *st, int column)
{
    char number[NUMBER];
    size_t len;
    int type = sqlite3_column_type(st, column);
    if ((type == SQLITE_TEXT || type == SQLITE_BLOB) && !p->is_flowing)
        p->of[column].is_number = false;
    if (type != SQLITE_BLOB) {
        const char *text = text_of(st, column, true, number, &len);
        keep_text(p, column, text, len);
        return;
    }
    const unsigned char *bytes = sqlite3_column_blob(st, column);
    char *hex = sqlite3_malloc64(2 * (sqlite3_uint64)sqlite3_column_bytes(st, column) + 1);
    for (int k = 0; hex && k < sqlite3_column_bytes(st, column); k++)
        snprintf(hex + 2 * (size_t)k, 3, "%02x", bytes[k]);
    keep_text(p, column, hex ? hex : "", 2 * (size_t)sqlite3_column_bytes(st, column));
    sqlite3_free(hex);
}

static void put_blanks(struct sink *s, size_t count)
{
    while (count-- > 0)
        sink_text(s, " ");
}

/* Writes a row of the kept cells. Returns the address behind it. */
static const char *put_line(const struct query_print *p, const char *cell)
{
    for (int i = 0; i < p->columns; i++) {
        size_t length = length_of(cell), width = p->of[i].width;
        size_t blanks = width > length ? width - length : 0;
        if (p->of[i].is_number)
            put_blanks(p->out, blanks);
        sink_text(p->out, cell);
        if (!p->of[i].is_number && i + 1 < p->columns)
            put_blanks(p->out, blanks);
        if (i + 1 < p->columns)
            put_blanks(p->out, GAP);
        cell += strlen(cell) + 1;
    }
    sink_text(p->out, "\n");
    return cell;
}

/* Writes the kept rows; from now on the widths stay. */
static void flow(struct query_print *p)
{
    const char *cell = p->kept.bytes;
    for (uint64_t i = 0; i < p->kept_rows && !p->kept.is_bad; i++)
        cell = put_line(p, cell);
    p->kept.len = 0;
    p->kept_rows = 0;
    p->is_flowing = true;
}

static void put_table_row(struct query_print *p, sqlite3_stmt *st)
{
    for (int i = 0; i < p->columns; i++)
        keep_cell(p, st, i);
    p->kept_rows++;
    if (p->is_flowing || p->kept_rows > ROWS_KEPT || p->kept.len > BYTES_KEPT)
        flow(p);
}

/* ---- the other forms */

static void put_json_row(struct query_print *p, sqlite3_stmt *st)
{
    char number[NUMBER];
    size_t len;
    for (int i = 0; i < p->columns; i++) {
        const char *name = sqlite3_column_name(p->names, i);
        int type = sqlite3_column_type(st, i);
        sink_text(p->out, i > 0 ? "," : "{");
        json_out_text(p->out, name ? name : "", name ? strlen(name) : 0);
        sink_text(p->out, ":");
        const char *text = type == SQLITE_BLOB ? "" : text_of(st, i, false, number, &len);
        if (type == SQLITE_NULL || (type == SQLITE_FLOAT && strstr(text, "Inf"))) {
            sink_text(p->out, "null");
        } else if (type == SQLITE_TEXT) {
            json_out_text(p->out, text, len);
        } else if (type == SQLITE_BLOB) {
            sink_text(p->out, "\"");
            put_blob(p->out, st, i);
            sink_text(p->out, "\"");
        } else {
            sink_bytes(p->out, text, len);
        }
    }
    sink_text(p->out, "}\n");
}

static void put_separated_row(struct query_print *p, sqlite3_stmt *st)
{
    static const struct {
        const char *begin, *between, *end;
    } of[] = {[QUERY_FORM_CSV] = {"", ",", "\r\n"},
              [QUERY_FORM_MD] = {"| ", " | ", " |\n"},
              [QUERY_FORM_HTML] = {"<tr>", "", "</tr>\n"}};
    char number[NUMBER];
    size_t len;
    sink_text(p->out, of[p->form].begin);
    for (int i = 0; i < p->columns; i++) {
        int type = sqlite3_column_type(st, i);
        bool is_number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
        sink_text(p->out, i > 0 ? of[p->form].between : "");
        if (p->form == QUERY_FORM_HTML)
            sink_text(p->out, is_number ? "<td class=\"n\">" : "<td>");
        if (type == SQLITE_BLOB) {
            put_blob(p->out, st, i);
        } else {
            const char *text = text_of(st, i, p->form != QUERY_FORM_CSV, number, &len);
            if (p->form == QUERY_FORM_CSV)
                tabular_put_csv(p->out, text, len);
            else if (p->form == QUERY_FORM_MD)
                put_md(p->out, text, len);
            else
                put_html(p->out, text, len);
        }
        if (p->form == QUERY_FORM_HTML)
            sink_text(p->out, "</td>");
    }
    sink_text(p->out, of[p->form].end);
}

static void put_page_head(struct sink *s)
{
    sink_text(s, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
                 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                 "style-src 'unsafe-inline'\">\n<title>hprof query</title>\n<style>\n"
                 ":root { color-scheme: light dark; }\n"
                 "body { font: 15px/1.45 system-ui, sans-serif; margin: 1em; }\n"
                 "table { border-collapse: collapse; margin-bottom: 1em; }\n"
                 "th, td { text-align: left; padding: .1em .8em .1em 0; vertical-align: top; }\n"
                 "th { border-bottom: 1px solid; }\n"
                 ".n { text-align: right; font-variant-numeric: tabular-nums; }\n"
                 "</style>\n");
}

static void put_heads(struct query_print *p)
{
    if (p->form == QUERY_FORM_HTML)
        put_page_head(p->out);
    for (int i = 0; i < p->columns; i++) {
        const char *name = sqlite3_column_name(p->names, i);
        size_t len = name ? strlen(name) : 0;
        if (p->form == QUERY_FORM_CSV) {
            sink_text(p->out, i > 0 ? "," : "");
            tabular_put_csv(p->out, name ? name : "", len);
        } else if (p->form == QUERY_FORM_MD) {
            sink_text(p->out, i > 0 ? " | " : "| ");
            put_md(p->out, name ? name : "", len);
        } else if (p->form == QUERY_FORM_HTML) {
            sink_text(p->out, i > 0 ? "<th>" : "<table>\n<tr><th>");
            put_html(p->out, name ? name : "", len);
            sink_text(p->out, "</th>");
        } else if (p->form == QUERY_FORM_TABLE) {
            keep_text(p, i, name ? name : "", len);
        }
    }
    if (p->form == QUERY_FORM_CSV)
        sink_text(p->out, "\r\n");
    if (p->form == QUERY_FORM_HTML)
        sink_text(p->out, "</tr>\n");
    if (p->form == QUERY_FORM_TABLE)
        p->kept_rows = 1;
    if (p->form != QUERY_FORM_MD)
        return;
    sink_text(p->out, " |\n|");
    for (int i = 0; i < p->columns; i++)
        sink_text(p->out, " --- |");
    sink_text(p->out, "\n");
}

int query_print_begin(struct query_print *p, enum query_print_form form, struct sink *out,
                      sqlite3_stmt *names)
{
    *p = (struct query_print){
        .form = form, .out = out, .columns = sqlite3_column_count(names), .names = names};
    p->of = calloc((size_t)p->columns + 1, sizeof(*p->of));
    if (!p->of)
        return -ENOMEM;
    for (int i = 0; i < p->columns; i++)
        p->of[i].is_number = true;
    put_heads(p);
    return 0;
}

void query_print_row(struct query_print *p, sqlite3_stmt *statement)
{
    p->rows++;
    if (p->form == QUERY_FORM_TABLE)
        put_table_row(p, statement);
    else if (p->form == QUERY_FORM_JSON)
        put_json_row(p, statement);
    else
        put_separated_row(p, statement);
}

void query_print_end(struct query_print *p, bool is_whole)
{
    if (p->of && p->form == QUERY_FORM_TABLE && (is_whole || p->rows > 0))
        flow(p);
    if (p->of && p->form == QUERY_FORM_HTML)
        sink_text(p->out, "</table>\n");
    textbuf_done(&p->kept);
    free(p->of);
    p->of = NULL;
}
