/*
 * cmd_query.c - `hprof query INPUT... SQL`: questions in SQL about recordings, profiles and heaps.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/sink.h"
#include "command/diag_say.h"
#include "command/help.h"
#include "command/opts.h"
#include "command/plainout.h"
#include "command/say.h"
#include "command/textbuf.h"
#include "command/values.h"
#include "query/query.h"
#include "query/query_input.h"
#include "query/query_named.h"
#include "query/query_shell.h"

enum {
    OPT_FORMAT = 1,
    OPT_SCHEMA,
    OPT_LIST,
    OPT_SAVE,
    OPT_ROWS,
    OPT_TIMEOUT,
    OPT_MEMORY,
    OPT_TMP,
    OPT_EXE,
    OPT_SYSROOT,
    ROWS_MAX = 1000000000,
    SQL_MAX = 1 << 20, /* bytes of SQL from standard input */
};

static const struct opt options[] = {
    {OPT_FORMAT, 0, "format", "table|csv|json|md|html",
     "how answers are written; json: a line for each row (table)"},
    {OPT_SCHEMA, 0, "schema", "[=TABLE]",
     "tell which tables and functions there are, or the columns of a table"},
    {OPT_LIST, 0, "list", "[=NAME]", "tell which queries have a name, or the SQL of one"},
    {OPT_SAVE, 0, "save", "NAME", "keep this query under a name, after it has run"},
    {OPT_ROWS, 0, "rows", "N", "rows of each answer at most (all)"},
    {OPT_TIMEOUT, 0, "timeout", "TIME", "end a query that takes longer (no limit)"},
    {OPT_MEMORY, 0, "memory", "SIZE", "memory to use at most (a quarter of what is left)"},
    {OPT_EXE, 0, "exe", "FILE", "the core's java program here, its JDK beside it"},
    {OPT_SYSROOT, 0, "sysroot", "DIR", "the files of the core's machine are below this folder"},
    {OPT_TMP, 0, "tmp", "FOLDER", "folder for temporary files (TMPDIR, or /var/tmp)"},
    {0},
};

struct request {
    const struct cmd *cmd;
    struct query_options options;
    const char **words; /* the inputs, and perhaps the SQL */
    size_t count;
    const char *table, *name, *save;
    char *sql; /* malloc'ed */
    enum query_print_form form;
    bool wants_schema, wants_list, is_shell;
};

/* ---- the command line */

static int take_form(struct request *r, const char *value)
{
    int form = query_print_form_named(value);
    if (form < 0) {
        say("query: --format '%s': wanted is table, csv, json, md or html", value);
        return E_SYNTAX;
    }
    r->form = (enum query_print_form)form;
    return 0;
}

static int take_name(const char *option, const char *value)
{
    if (query_named_may_be(value))
        return 0;
    say("query: --%s '%s': a name has letters, digits, - and _", option, value);
    return E_SYNTAX;
}

/* Errors: 0; negative after saying why. */
static int take_option(struct request *r, int id, const char *value)
{
    uint32_t rows = 0;
    switch (id) {
    case OPT_FORMAT:
        return take_form(r, value);
    case OPT_SCHEMA:
        r->wants_schema = true;
        r->table = value;
        return 0;
    case OPT_LIST:
        r->wants_list = true;
        r->name = value;
        return value ? take_name("list", value) : 0;
    case OPT_SAVE:
        r->save = value;
        return take_name("save", value);
    case OPT_ROWS:
        if (values_count(r->cmd, "rows", value, ROWS_MAX, &rows) < 0)
            return E_SYNTAX;
        r->options.rows_max = rows;
        return 0;
    case OPT_TIMEOUT:
        return values_seconds(r->cmd, "timeout", value, &r->options.timeout_ns);
    case OPT_MEMORY:
        return values_size(r->cmd, "memory", value, &r->options.memory_bytes);
    case OPT_EXE:
        r->options.exe = value;
        return 0;
    case OPT_SYSROOT:
        r->options.sysroot = value;
        return 0;
    case OPT_TMP:
        r->options.tmp = value;
        return 0;
    case OPTS_WORD:
        r->words[r->count++] = value;
        return 0;
    default:
        return E_SYNTAX;
    }
}

/* Takes the last word, if it is no input: SQL, or the name of a query. Errors: 0; negative after
 * saying why. */
static int take_sql(struct request *r)
{
    const char *last = r->count > 0 ? r->words[r->count - 1] : NULL;
    if (!last || access(last, F_OK) == 0 || query_input_pid(last))
        return 0;
    bool is_word = *last != '\0' && !strpbrk(last, " \t\n;(");
    r->sql = is_word ? query_named_sql(last) : strdup(last);
    if (r->sql) {
        r->count--;
        return 0;
    }
    if (is_word)
        say("query: '%s': there is no such file, and no query has this name; --list tells which "
            "have one",
            last);
    return is_word ? E_NOT_FOUND : -ENOMEM;
}

/* Reads the SQL from standard input. */
static int read_sql(struct request *r)
{
    struct textbuf text = {0};
    char piece[4096];
    ssize_t len;
    if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {
        r->is_shell = true;
        return 0;
    }
    while ((len = read(STDIN_FILENO, piece, sizeof(piece))) > 0 && text.len < SQL_MAX)
        textbuf_bytes(&text, piece, (size_t)len);
    textbuf_char(&text, '\0');
    if (!text.is_bad && text.len <= SQL_MAX) {
        r->sql = text.bytes;
        return 0;
    }
    say("query: the SQL on standard input is too long");
    textbuf_done(&text);
    return E_LIMIT;
}

/* ---- the work */

static int list_queries(const struct request *r, struct sink *out)
{
    if (!r->name) {
        query_named_list(out);
        return CMD_OK;
    }
    char *sql = query_named_sql(r->name);
    if (!sql) {
        say("query: no query has the name '%s'; --list tells which have one", r->name);
        return CMD_FAILED;
    }
    sink_text(out, sql);
    sink_text(out, "\n");
    free(sql);
    return CMD_OK;
}

static int save_sql(const struct request *r)
{
    char *path = NULL;
    int error = query_named_save(r->save, r->sql, &path);
    if (error == -EEXIST)
        say("query: --save %s: a built-in query has this name", r->save);
    else if (error < 0)
        say("query: --save %s: %s", r->save,
            error == -ENOENT ? "neither XDG_CONFIG_HOME nor HOME names a folder" : err_text(error));
    else
        say("query: saved as %s: %s", r->save, path);
    free(path);
    return error < 0 ? CMD_FAILED : CMD_OK;
}

static int ask(struct request *r, struct query *q, struct sink *out)
{
    int error = r->wants_schema ? query_schema(q, r->table, out)
                : r->is_shell   ? query_shell_run(q, r->form)
                                : query_run(q, r->sql, r->form, out);
    if (error == -EPIPE)
        return CMD_OK;
    if (error < 0)
        return CMD_FAILED;
    int status = r->save && r->sql ? save_sql(r) : CMD_OK;
    return query_is_damaged(q) ? CMD_FAILED : status;
}

static int answer(struct request *r, struct sink *out)
{
    struct query *q;
    int error = query_open(&r->options, &q), status = CMD_FAILED;
    for (size_t i = 0; i < r->count && error == 0; i++)
        error = query_add(q, r->words[i]);
    if (error == 0)
        error = query_begin(q);
    if (error == 0)
        status = ask(r, q, out);
    else if (error == -ENOMEM)
        say("query: %s", err_text(error));
    query_close(q);
    return status;
}

static int write_answer(struct request *r)
{
    struct plainout out;
    int error = plainout_open(&out, r->form != QUERY_FORM_TABLE);
    if (error < 0) {
        say("query: %s", err_text(error));
        return CMD_FAILED;
    }
    int status = r->wants_list ? list_queries(r, &out.sink) : answer(r, &out.sink);
    error = plainout_done(&out);
    if (error < 0 && error != -EPIPE)
        say("query: cannot write: %s", err_text(error));
    return error < 0 && error != -EPIPE ? CMD_FAILED : status;
}

static int parse(struct request *r, int argc, char **argv)
{
    struct opts opts;
    opts_init(&opts, r->cmd, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPTS_HELP) {
            help_cmd(stdout, r->cmd);
            return OPTS_HELP;
        }
        if (id == OPTS_ERROR || take_option(r, id, opts.value) < 0)
            return E_SYNTAX;
    }
    if (r->wants_list)
        return 0;
    if (r->count == 0) {
        say("query: no input named; usage: hprof query [OPTION...] %s", r->cmd->operands);
        return E_SYNTAX;
    }
    int error = r->wants_schema ? 0 : take_sql(r);
    if (error == 0 && !r->sql && !r->wants_schema)
        error = read_sql(r);
    return error;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct request r = {.cmd = self, .options = {.diag = diag_say()}};
    r.words = calloc((size_t)argc + 1, sizeof(*r.words));
    if (!r.words) {
        say("query: %s", err_text(-ENOMEM));
        return CMD_FAILED;
    }
    int error = parse(&r, argc, argv);
    int status = error == OPTS_HELP ? CMD_OK : error < 0 ? CMD_USAGE : write_answer(&r);
    free(r.sql);
    free(r.words);
    return status;
}

const struct cmd cmd_query = {
    .name = "query",
    .group = CMD_READS,
    .help = "Answer questions in SQL about recordings, profiles, heap dumps and cores",
    .operands = "INPUT... [SQL|NAME]",
    .needs = "a file",
    .others = "jfr-query sqlite3",
    .options = options,
    .run = run,
};
