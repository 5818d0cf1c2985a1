/*
 * query_limit.c - see query_limit.h.
 *
 * Source: sqlite.org/security.html, sqlite.org/c3ref/set_authorizer.html.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_limit.h"
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include "heap/heapspool.h"
#include "query/query_state.h"
#include "safe/clock.h"

enum {
    STEPS = 20000,           /* of SQLite's machine between two looks at the clock */
    LENGTH_MAX = 64 << 20,   /* bytes of a text, and of a row */
    STATEMENT_MAX = 1 << 20, /* bytes of a statement */
    DEPTH_MAX = 200,         /* of an expression */
    COMPOUND_MAX = 100,      /* terms of a compound select */
    PATTERN_MAX = 1000,      /* bytes of a pattern of LIKE and GLOB */
};

static volatile sig_atomic_t is_interrupted;

/* The actions that statements may not do, by the words of a message. */
static const char *word_of(int action)
{
    switch (action) {
    case SQLITE_ATTACH:
        return "ATTACH";
    case SQLITE_DETACH:
        return "DETACH";
    case SQLITE_PRAGMA:
        return "this PRAGMA";
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
    case SQLITE_ALTER_TABLE:
    case SQLITE_REINDEX:
    case SQLITE_ANALYZE:
        return "a change of a table";
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
        return "a transaction";
    case SQLITE_FUNCTION:
        return "this function";
    default:
        return "a statement that makes or drops something";
    }
}

/* PRAGMAs that only tell something about tables. */
static bool is_harmless_pragma(const char *name)
{
    static const char *const harmless[] = {"table_info",  "table_xinfo",    "table_list",
                                           "module_list", "function_list",  "collation_list",
                                           "pragma_list", "compile_options"};
    for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
        if (name && sqlite3_stricmp(name, harmless[i]) == 0)
            return true;
    return false;
}

/* Functions of SQLite, or of its shell, that reach outside. */
static bool is_harmful_function(const char *name)
{
    static const char *const harmful[] = {"load_extension", "readfile",       "writefile",
                                          "edit",           "fts3_tokenizer", "zipfile",
                                          "lsdir",          "fsdir",          "fileio_read"};
    for (size_t i = 0; i < sizeof(harmful) / sizeof(harmful[0]); i++)
        if (name && sqlite3_stricmp(name, harmful[i]) == 0)
            return true;
    return false;
}

/* SQLite writes the declaration of a virtual table as if into its schema. A statement that does so
 * is refused by SQLite itself (SQLITE_DBCONFIG_DEFENSIVE). */
static bool is_declaration(int action, const char *table)
{
    return action == SQLITE_UPDATE && table && strcmp(table, "sqlite_master") == 0;
}

static int authorize(void *with, int action, const char *first, const char *second,
                     const char *database, const char *trigger)
{
    struct query *q = with;
    (void)database;
    (void)trigger;
    if (action == SQLITE_SELECT || is_declaration(action, first) || action == SQLITE_READ ||
        action == SQLITE_RECURSIVE || (action == SQLITE_FUNCTION && !is_harmful_function(second)) ||
        (action == SQLITE_PRAGMA && is_harmless_pragma(first)))
        return SQLITE_OK;
    q->refused = word_of(action);
    return SQLITE_DENY;
}

static int progress(void *with)
{
    return query_limit_is_over(with);
}

void query_limit_memory(const struct query *q)
{
    sqlite3_hard_heap_limit64((sqlite3_int64)q->options.memory_bytes);
    sqlite3_free(sqlite3_temp_directory);
    sqlite3_temp_directory = sqlite3_mprintf("%s", heapspool_folder(q->options.tmp));
}

void query_limit_watch(struct query *q, sqlite3 *db)
{
    sqlite3_progress_handler(db, STEPS, progress, q);
}

void query_limit_guard(struct query *q, sqlite3 *db)
{
    int on = 0;
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, LENGTH_MAX);
    sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, STATEMENT_MAX);
    sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, DEPTH_MAX);
    sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, COMPOUND_MAX);
    sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, PATTERN_MAX);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, &on);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, &on);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, &on);
    /* A mistyped "name" is an error, not a text. */
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, &on);
    sqlite3_set_authorizer(db, authorize, q);
}

void query_limit_begin(struct query *q)
{
    q->refused = NULL;
    is_interrupted = 0;
    q->ends_ns = q->options.timeout_ns > 0 ? clock_monotonic_ns() + q->options.timeout_ns : 0;
}

bool query_limit_is_over(const struct query *q)
{
    return is_interrupted || (q->ends_ns > 0 && clock_monotonic_ns() > q->ends_ns);
}

void query_limit_interrupt(void)
{
    is_interrupted = 1;
}
