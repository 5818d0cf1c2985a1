/*
 * query.c - see query.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/diag.h"
#include "base/err.h"
#include "base/headroom.h"
#include "base/nearest.h"
#include "base/sink.h"
#include "profile/profile.h"
#include "query/query_event.h"
#include "query/query_function.h"
#include "query/query_heap.h"
#include "query/query_input_table.h"
#include "query/query_jfr.h"
#include "query/query_limit.h"
#include "query/query_live.h"
#include "query/query_load.h"
#include "query/query_names.h"
#include "query/query_print.h"
#include "query/query_sample.h"
#include "query/query_stack.h"
#include "query/query_state.h"
#include "query/query_sums.h"
#include "query/query_threads.h"
#include "query/query_vtab.h"

enum {
    NAMES_BYTES = 256 << 20, /* of names and columns: hostile files may declare many */
    MEMORY_LEAST = 64 << 20,
    SHARE = 4,  /* a query gets this part of the memory that is left */
    NEAR = 3,   /* letters that a mistyped name may have wrong */
    PLACE = 40, /* bytes of a statement that a message shows */
};

/* Names of SQLite's own tables, which no type of an input may take. */
static const char *const taken[] = {"sqlite_schema",
                                    "sqlite_master",
                                    "sqlite_temp_schema",
                                    "sqlite_temp_master",
                                    "json_each",
                                    "json_tree",
                                    "dbstat",
                                    "rtree",
                                    "rtree_i32",
                                    "geopoly",
                                    "fts3",
                                    "fts3tokenize",
                                    "fts4",
                                    "fts4aux",
                                    "fts5",
                                    "fts5vocab",
                                    "bytecode",
                                    "tables_used"};

/* ---- opening */

static uint64_t memory_of(const struct query_options *options)
{
    struct headroom room;
    if (options->memory_bytes > 0)
        return options->memory_bytes;
    headroom_open(&room, "/proc");
    uint64_t left = headroom_left(&room);
    headroom_close(&room);
    return left / SHARE > MEMORY_LEAST ? left / SHARE : MEMORY_LEAST;
}

int query_open(const struct query_options *options, struct query **ret_query)
{
    struct query *q = calloc(1, sizeof(*q));
    *ret_query = q;
    if (!q)
        return -ENOMEM;
    q->options = *options;
    q->load = query_load_all;
    q->options.memory_bytes = memory_of(options);
    arena_init(&q->arena, NAMES_BYTES);
    q->names = query_names_new(&q->arena);
    q->model = profile_new((size_t)q->options.memory_bytes);
    for (size_t i = 0; q->names && i < sizeof(taken) / sizeof(taken[0]); i++)
        if (!query_names_add(q->names, taken[i]))
            return -ENOMEM;
    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD); /* before the first use; later it does nothing */
    query_limit_memory(q);
    if (!q->names || !q->model ||
        sqlite3_open_v2(":memory:", &q->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
            SQLITE_OK)
        return -ENOMEM;
    query_limit_watch(q, q->db);
    return 0;
}

void query_close(struct query *q)
{
    if (!q)
        return;
    sqlite3_close(q->db);
    query_function_close(q->functions);
    query_sample_close(q->samples);
    query_heap_close(q->heap);
    query_live_close(q->live);
    query_jfr_close(q->jfr);
    for (size_t i = 0; i < q->input_count; i++)
        query_input_close(&q->inputs[i]);
    free(q->inputs);
    free(q->tables.of);
    free(q->frame_names.of);
    profile_free(q->model);
    arena_done(&q->arena);
    free(q);
}

int query_add(struct query *q, const char *word)
{
    struct query_input *inputs = realloc(q->inputs, (q->input_count + 1) * sizeof(*inputs));
    if (!inputs)
        return -ENOMEM;
    q->inputs = inputs;
    struct query_input *in = &inputs[q->input_count++];
    int error = query_input_open(in, word, q->options.tmp, q->options.diag);
    in->number = (uint32_t)q->input_count;
    return error;
}

bool query_is_damaged(struct query *q)
{
    query_heap_check(q);
    return q->is_damaged;
}

int query_add_table(struct query *q, const struct query_table *table, const char *alias)
{
    struct query_tables *t = &q->tables;
    if (t->count == t->room) {
        size_t room = t->room * 2 + 64;
        /* NOLINTNEXTLINE(bugprone-sizeof-expression): the rows are pointers */
        const struct query_table **more = realloc(t->of, room * sizeof(*more));
        if (!more)
            return -ENOMEM;
        t->of = more;
        t->room = room;
    }
    t->of[t->count++] = table;
    if (!query_names_has(q->names, table->name) && !query_names_add(q->names, table->name))
        return -ENOMEM;
    int error = query_vtab_register(q->db, table, table->name);
    return error < 0 || !alias ? error : query_vtab_register(q->db, table, alias);
}

int query_add_copy(struct query *q, const struct query_table *table)
{
    struct query_table *t = arena_alloc(&q->arena, sizeof(*t));
    if (!t)
        return -ENOMEM;
    *t = *table;
    t->query = q;
    return query_add_table(q, t, NULL);
}

int query_begin(struct query *q)
{
    static int (*const parts[])(struct query *) = {
        query_input_table_open, query_function_open, query_threads_open,
        query_stack_open,       query_sample_open,   query_heap_open,
        query_live_open,        query_event_open,    query_sums_open,
    };
    int error = 0;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && error == 0; i++)
        error = parts[i](q);
    query_limit_guard(q, q->db);
    return error;
}

/* ---- messages */

/* The table whose name a mistyped one is nearest to; NULL: none is near. */
static const char *nearest_table(const struct query *q, const char *typed)
{
    const char *found = NULL;
    unsigned best = NEAR + 1;
    for (size_t i = 0; i < q->tables.count; i++) {
        const char *name = q->tables.of[i]->name, *dot = strrchr(name, '.');
        unsigned far = nearest_distance(typed, name);
        unsigned short_far = dot ? nearest_distance(typed, dot + 1) : far;
        far = short_far < far ? short_far : far;
        if (far < best) {
            best = far;
            found = name;
        }
    }
    return found;
}

/* What to do about an error of SQLite; "" if there is nothing to say. */
static void advise(const struct query *q, const char *message, char *to, size_t room)
{
    static const char no_table[] = "no such table: ";
    *to = '\0';
    if (strncmp(message, no_table, sizeof(no_table) - 1) == 0) {
        const char *near = nearest_table(q, message + sizeof(no_table) - 1);
        if (near)
            snprintf(to, room, "; did you mean \"%s\"?", near);
        else
            snprintf(to, room, "; --schema lists the tables of these inputs");
    } else if (strncmp(message, "no such column: ", 16) == 0) {
        snprintf(to, room, "; --schema=TABLE lists the columns of a table");
    } else if (strncmp(message, "no such function: ", 18) == 0) {
        snprintf(to, room, "; --schema lists the functions");
    }
}

/* Tells where a statement is wrong: its line, column and the text there. */
static void tell_place(const struct query *q, const char *sql, const char *at, const char *message,
                       const char *advice)
{
    unsigned line = 1;
    const char *begin = sql, *end;
    for (const char *c = sql; c < at && *c != '\0'; c++)
        if (*c == '\n') {
            line++;
            begin = c + 1;
        }
    for (end = at; *end != '\0' && *end != '\n' && end - at < PLACE; end++)
        ;
    diag_tell(q->options.diag, E_SYNTAX, "query", "line %u, column %td, at '%.*s': %s%s", line,
              at - begin + 1, (int)(end - at), at, message, advice);
}

/* Tells why a statement failed; `sql` is all, `statement` where the failed one begins. */
static int tell_error(struct query *q, const char *sql, const char *statement, int code)
{
    char advice[512];
    const char *message = sqlite3_errmsg(q->db);
    int offset = sqlite3_error_offset(q->db);
    if (code == SQLITE_INTERRUPT) {
        diag_tell(q->options.diag, -EINTR, "query", "%s",
                  q->ends_ns > 0 ? "not done within --timeout" : "interrupted");
        return -EINTR;
    }
    if (code == SQLITE_NOMEM) {
        diag_tell(q->options.diag, -ENOMEM, "query",
                  "needs more memory than it may have; --memory gives it more");
        return -ENOMEM;
    }
    if (code == SQLITE_AUTH) {
        diag_tell(q->options.diag, E_SYNTAX, "query", "a query only reads: %s is not allowed",
                  q->refused ? q->refused : "this");
        return E_SYNTAX;
    }
    advise(q, message, advice, sizeof(advice));
    if (offset >= 0)
        tell_place(q, sql, statement + offset, message, advice);
    else
        diag_tell(q->options.diag, E_SYNTAX, "query", "%s%s", message, advice);
    return E_SYNTAX;
}

/* ---- running */

/* Writes the rows of a statement, whose columns are named as those of `names`. Returns SQLite's
 * code. */
static int put_rows(struct query *q, sqlite3_stmt *statement, sqlite3_stmt *names,
                    enum query_print_form form, struct sink *out)
{
    struct query_print print;
    if (query_print_begin(&print, form, out, names) < 0)
        return SQLITE_NOMEM;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW && sink_error(out) == 0) {
        if (q->options.rows_max > 0 && print.rows == q->options.rows_max) {
            diag_tell(q->options.diag, 0, "query", "--rows %llu: there are more rows",
                      (unsigned long long)q->options.rows_max);
            code = SQLITE_DONE;
            break;
        }
        query_print_row(&print, statement);
    }
    query_print_end(&print, code == SQLITE_DONE);
    return code == SQLITE_ROW ? SQLITE_DONE : code;
}

/* Runs a statement; `len` is the length of its text. Returns SQLite's code. */
static int answer(struct query *q, sqlite3_stmt *statement, const char *sql, int len,
                  enum query_print_form form, struct sink *out)
{
    sqlite3_stmt *sums = NULL;
    char *other = query_sums_rewrite(sql, len);
    if (other && sqlite3_prepare_v2(q->db, other, -1, &sums, NULL) != SQLITE_OK)
        sums = NULL;
    int code = put_rows(q, sums ? sums : statement, statement, form, out);
    sqlite3_finalize(sums);
    sqlite3_free(other);
    return code;
}

int query_run(struct query *q, const char *sql, enum query_print_form form, struct sink *out)
{
    int answers = 0;
    for (const char *at = sql, *next; *at != '\0'; at = next) {
        sqlite3_stmt *statement = NULL;
        query_limit_begin(q);
        int code = sqlite3_prepare_v2(q->db, at, -1, &statement, &next);
        /* VACUUM asks the authorizer only when it runs; REINDEX may find nothing to do. */
        if (code == SQLITE_OK && statement &&
            (!sqlite3_stmt_readonly(statement) || sqlite3_column_count(statement) == 0))
            code = SQLITE_AUTH;
        if (code == SQLITE_OK && statement) {
            if (answers++ > 0 && form != QUERY_FORM_JSON)
                sink_text(out, "\n");
            code = answer(q, statement, at, (int)(next - at), form, out);
        }
        bool is_done = code == SQLITE_OK || code == SQLITE_DONE;
        int error = is_done ? 0 : tell_error(q, sql, at, code);
        sqlite3_finalize(statement);
        if (error < 0)
            return error;
        if (sink_error(out) < 0)
            return sink_error(out);
    }
    if (answers > 0)
        return 0;
    diag_tell(q->options.diag, E_SYNTAX, "query", "no statement in the SQL");
    return E_SYNTAX;
}

const char *query_table_name(const struct query *q, size_t number)
{
    return number < q->tables.count ? q->tables.of[number]->name : NULL;
}

const char *query_column_name(const struct query *q, size_t table, size_t number)
{
    return table < q->tables.count && number < q->tables.of[table]->column_count
               ? q->tables.of[table]->columns[number].name
               : NULL;
}
