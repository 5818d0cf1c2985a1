/*
 * query_shell.c - see query_shell.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_shell.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "command/plainout.h"
#include "command/say.h"
#include "command/textbuf.h"
#include "query/query_edit.h"
#include "query/query_function.h"
#include "query/query_limit.h"
#include "query/query_named.h"
#include "query/query_state.h"

enum { WORD = 256 };

struct shell {
    struct query *query;
    enum query_print_form form;
    struct query_edit edit;
    struct textbuf statement; /* the lines so far */
    char word[WORD];          /* a function's name, for the editor */
};

static void interrupt(int number)
{
    (void)number;
    query_limit_interrupt();
}

/* ---- completion */

/* Whether the statement so far names the table: by its name or the last part of that. */
static bool is_named(const struct shell *s, const char *table)
{
    const char *dot = strrchr(table, '.');
    const char *last = dot && dot[1] != '\0' ? dot + 1 : table; /* as in last_part(), never empty */
    return (s->statement.len > 0 && s->statement.bytes &&
            memmem(s->statement.bytes, s->statement.len, last, strlen(last))) ||
           strstr(s->edit.line, last);
}

/* Column `number` of all tables that are named, counted through. */
static const char *column_at(const struct shell *s, size_t number)
{
    const char *table;
    for (size_t t = 0; (table = query_table_name(s->query, t)) != NULL; t++) {
        uint32_t count = s->query->tables.of[t]->column_count;
        if (!is_named(s, table))
            continue;
        if (number < count)
            return query_column_name(s->query, t, number);
        number -= count;
    }
    return NULL;
}

/* The last part of a table's name, by which queries may call it. */
static const char *last_part(const char *table)
{
    const char *dot = strrchr(table, '.');
    return dot ? dot + 1 : table;
}

static const char *name_at(void *with, size_t number)
{
    static const char *const words[] = {"select", "from",  "where",  "group by", "order by",
                                        "limit",  "count", "having", "desc",     "distinct"};
    enum { WORDS = sizeof(words) / sizeof(words[0]) };
    struct shell *s = with;
    size_t tables = s->query->tables.count, functions = 0;
    if (number < tables)
        return query_table_name(s->query, number);
    number -= tables;
    if (number < tables)
        return last_part(query_table_name(s->query, number));
    number -= tables;
    while (query_function_rows[functions].usage)
        functions++;
    if (number < functions) {
        const char *usage = query_function_rows[number].usage;
        snprintf(s->word, sizeof(s->word), "%.*s(", (int)strcspn(usage, "("), usage);
        return s->word;
    }
    number -= functions;
    return number < WORDS ? words[number] : column_at(s, number - WORDS);
}

/* ---- the words with a dot */

static int put_list(struct shell *s, struct sink *out, const char *rest)
{
    (void)s;
    (void)rest;
    query_named_list(out);
    return 0;
}

static int put_schema(struct shell *s, struct sink *out, const char *rest)
{
    query_schema(s->query, *rest != '\0' ? rest : NULL, out);
    return 0;
}

static int set_form(struct shell *s, struct sink *out, const char *rest)
{
    int form = query_print_form_named(rest);
    (void)out;
    if (form < 0)
        say("query: .format: wanted is table, csv, json, md or html");
    else
        s->form = (enum query_print_form)form;
    return 0;
}

static int run_named(struct shell *s, struct sink *out, const char *rest)
{
    char *sql = query_named_sql(rest);
    if (!sql)
        say("query: no query has this name; .list tells which have one");
    else
        query_run(s->query, sql, s->form, out);
    free(sql);
    return 0;
}

static int quit(struct shell *s, struct sink *out, const char *rest)
{
    (void)s;
    (void)out;
    (void)rest;
    return 1;
}

static int help(struct shell *s, struct sink *out, const char *rest);

static const struct {
    const char *word, *about;
    int (*run)(struct shell *s, struct sink *out, const char *rest); /* 1: the shell ends */
} dots[] = {
    {".help", "these words", help},
    {".schema", "tables and functions; .schema TABLE: its columns", put_schema},
    {".list", "queries with a name", put_list},
    {".run", ".run NAME: such a query", run_named},
    {".format", ".format table|csv|json|md|html", set_form},
    {".quit", "the end; also Ctrl-D", quit},
};
enum { DOTS = sizeof(dots) / sizeof(dots[0]) };

static int help(struct shell *s, struct sink *out, const char *rest)
{
    (void)s;
    (void)rest;
    for (size_t i = 0; i < DOTS; i++)
        sink_printf(out, "%-9s %s\n", dots[i].word, dots[i].about);
    sink_text(out, "SQL ends with a semicolon; Tab completes names\n");
    return 0;
}

static int run_dot(struct shell *s, struct sink *out, const char *line)
{
    size_t len = strcspn(line, " ");
    const char *rest = line + len + strspn(line + len, " ");
    for (size_t i = 0; i < DOTS; i++)
        if (strlen(dots[i].word) == len && strncmp(dots[i].word, line, len) == 0)
            return dots[i].run(s, out, rest);
    say("query: no such word; .help tells which there are");
    return 0;
}

/* ---- lines */

/* Returns 1: the shell ends; 0; negative: an error of writing. */
static int run_line(struct shell *s, const char *line)
{
    struct plainout out;
    int got = 0;
    if (plainout_open(&out, s->form != QUERY_FORM_TABLE) < 0)
        return -ENOMEM;
    if (s->statement.len == 0 && line[0] == '.') {
        got = run_dot(s, &out.sink, line);
    } else {
        textbuf_text(&s->statement, line);
        textbuf_text(&s->statement, "\n");
        textbuf_char(&s->statement, '\0');
        s->statement.len--;
        if (!s->statement.is_bad && sqlite3_complete(s->statement.bytes)) {
            query_run(s->query, s->statement.bytes, s->form, &out.sink);
            s->statement.len = 0;
        }
    }
    int error = plainout_done(&out);
    return error < 0 ? error : got;
}

int query_shell_run(struct query *q, enum query_print_form form)
{
    struct shell s = {.query = q, .form = form};
    struct sigaction before, now = {.sa_handler = interrupt};
    int error = query_edit_init(&s.edit, STDIN_FILENO, STDOUT_FILENO, name_at, &s);
    const char *line;
    bool is_cancelled;
    if (error < 0)
        return error;
    sigaction(SIGINT, &now, &before);
    say("query: SQL, which ends with a semicolon, or .help");
    while (error == 0 && (line = query_edit_read(&s.edit, s.statement.len > 0 ? "...> " : "sql> ",
                                                 &is_cancelled)) != NULL) {
        if (is_cancelled)
            s.statement.len = 0;
        query_edit_remember(&s.edit, line);
        if (*line != '\0')
            error = run_line(&s, line);
    }
    sigaction(SIGINT, &before, NULL);
    query_edit_done(&s.edit);
    textbuf_done(&s.statement);
    return error < 0 ? error : 0;
}
