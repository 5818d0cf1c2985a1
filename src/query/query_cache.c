/*
 * query_cache.c - see query_cache.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_cache.h"
#include <errno.h>
#include <stdlib.h>
#include "base/err.h"
#include "query/query_limit.h"
#include "query/query_table.h"

struct query_cache {
    struct query_cache *next;
    sqlite3 *db;
    uint64_t used; /* as in struct query_table_ask */
    uint32_t key;  /* the column by which rows are found */
};

struct query_cache_search {
    const struct query_table *table;
    sqlite3_stmt *statement;
    uint64_t used;
};

static int error_of(int code)
{
    return code == SQLITE_NOMEM ? -ENOMEM : code == SQLITE_INTERRUPT ? -EINTR : -EIO;
}

/* Appends the names of the columns that the copy has, in their order. */
static void put_columns(sqlite3_str *sql, const struct query_table *t, uint64_t used)
{
    bool is_first = true;
    for (uint32_t i = 0; i < t->column_count; i++) {
        if (!query_table_is_used(&(struct query_table_ask){.used = used}, i))
            continue;
        sqlite3_str_appendf(sql, "%s\"%w\"", is_first ? "" : ",", t->columns[i].name);
        is_first = false;
    }
}

static int copy_rows(struct query_cache *c, const struct query_table *t)
{
    sqlite3_str *sql = sqlite3_str_new(c->db);
    sqlite3_str_appendall(sql, "pragma journal_mode=off;pragma synchronous=off;"
                               "create table copy as select ");
    put_columns(sql, t, c->used);
    sqlite3_str_appendf(sql, " from source;create index by_key on copy(\"%w\")",
                        t->columns[c->key].name);
    char *text = sqlite3_str_finish(sql);
    int code = text ? sqlite3_exec(c->db, text, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    return code;
}

/* Copies the rows. NULL, and *ret_error, after an error. */
static struct query_cache *make(const struct query_table *t, uint32_t key, uint64_t used,
                                query_cache_register *add, int *ret_error)
{
    struct query_cache *c = calloc(1, sizeof(*c));
    *ret_error = -ENOMEM;
    if (!c)
        return NULL;
    c->key = key;
    c->used = used | UINT64_C(1) << (key < 63 ? key : 63);
    int code = sqlite3_open_v2("", &c->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    if (code == SQLITE_OK) {
        query_limit_watch(t->query, c->db);
        code = add(c->db, t, "source") == 0 ? copy_rows(c, t) : SQLITE_NOMEM;
    }
    if (code == SQLITE_OK)
        return c;
    *ret_error = error_of(code);
    query_cache_free(c);
    return NULL;
}

static int prepare(struct query_cache *c, const struct query_table *t,
                   struct query_cache_search **search)
{
    char *sql = sqlite3_mprintf("select * from copy where \"%w\"=?1", t->columns[c->key].name);
    struct query_cache_search *s = calloc(1, sizeof(*s));
    int code = sql && s ? sqlite3_prepare_v2(c->db, sql, -1, &s->statement, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    if (code != SQLITE_OK) {
        free(s);
        return error_of(code);
    }
    s->table = t;
    s->used = c->used;
    *search = s;
    return 0;
}

int query_cache_begin(struct query_cache **caches, const struct query_table *table,
                      const struct query_table_ask *ask, query_cache_register *add,
                      struct query_cache_search **search)
{
    uint32_t key = ask->bounds[0].column;
    struct query_cache *c = *caches;
    int error = 0;
    while (c && (c->key != key || (c->used & ask->used) != ask->used))
        c = c->next;
    if (!c) {
        c = make(table, key, ask->used, add, &error);
        if (!c)
            return error;
        c->next = *caches;
        *caches = c;
    }
    if (!*search)
        error = prepare(c, table, search);
    if (error < 0)
        return error;
    sqlite3_reset((*search)->statement);
    sqlite3_bind_value((*search)->statement, 1, ask->bounds[0].value);
    return query_cache_next(*search);
}

int query_cache_next(struct query_cache_search *search)
{
    int code = sqlite3_step(search->statement);
    return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : error_of(code);
}

void query_cache_give(struct query_cache_search *search, sqlite3_context *to, uint32_t column)
{
    const struct query_table_ask ask = {.used = search->used};
    int place = 0;
    if (!query_table_is_used(&ask, column))
        return;
    for (uint32_t i = 0; i < column; i++)
        place += query_table_is_used(&ask, i);
    sqlite3_result_value(to, sqlite3_column_value(search->statement, place));
}

void query_cache_end(struct query_cache_search *search)
{
    if (search)
        sqlite3_finalize(search->statement);
    free(search);
}

void query_cache_free(struct query_cache *caches)
{
    while (caches) {
        struct query_cache *next = caches->next;
        sqlite3_close_v2(caches->db);
        free(caches);
        caches = next;
    }
}
