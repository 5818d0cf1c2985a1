/*
 * query_vtab.c - see query_vtab.h.
 *
 * The plan that SQLite chose travels from best_index() to filter() as a text: which columns are
 * wanted, and for each argument its column and operator.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_vtab.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "query/query_cache.h"
#include "query/query_table.h"

enum {
    BOUNDS_MAX = 16,   /* conditions of one plan; others are left to SQLite */
    EQUAL_SHARE = 100, /* of so many rows one is expected to equal a value */
    RANGE_SHARE = 3,   /* likewise, to be in a range */
    CACHED_COST = 30,  /* of one search in rows that were copied once, in rows of a scan */
    PLAN_PLAIN = 0,
    PLAN_CACHED = 1, /* the first condition is looked up in a copy of the rows */
};

struct table {
    sqlite3_vtab base; /* first, for SQLite */
    const struct query_table *of;
    struct query_cache *caches;
};

struct cursor {
    sqlite3_vtab_cursor base; /* first, for SQLite */
    struct query_table_cursor *rows;
    struct query_cache_search *search; /* the copy is read in place of `rows` */
    sqlite3_int64 number;
    bool is_at_row;
};

/* ---- the declaration */

static int declare(sqlite3 *db, const struct query_table *t)
{
    sqlite3_str *sql = sqlite3_str_new(db);
    sqlite3_str_appendall(sql, "create table x(");
    for (uint32_t i = 0; i < t->column_count; i++)
        sqlite3_str_appendf(sql, "%s\"%w\" %s%s", i > 0 ? "," : "", t->columns[i].name,
                            t->columns[i].type, t->columns[i].is_hidden ? " hidden" : "");
    sqlite3_str_appendall(sql, ")");
    char *text = sqlite3_str_finish(sql);
    int code = text ? sqlite3_declare_vtab(db, text) : SQLITE_NOMEM;
    sqlite3_free(text);
    return code;
}

static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv,
                   sqlite3_vtab **ret_table, char **ret_error)
{
    (void)argc;
    (void)argv;
    int code = declare(db, aux);
    if (code != SQLITE_OK) {
        *ret_error = sqlite3_mprintf("%s", sqlite3_errmsg(db));
        return code;
    }
    struct table *t = sqlite3_malloc(sizeof(*t));
    if (!t)
        return SQLITE_NOMEM;
    *t = (struct table){.of = aux};
    *ret_table = &t->base;
    return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *base)
{
    struct table *t = (struct table *)base;
    query_cache_free(t->caches);
    sqlite3_free(t);
    return SQLITE_OK;
}

/* ---- plans */

static int op_of(unsigned char op)
{
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
        return QUERY_TABLE_EQ;
    case SQLITE_INDEX_CONSTRAINT_GT:
        return QUERY_TABLE_GT;
    case SQLITE_INDEX_CONSTRAINT_GE:
        return QUERY_TABLE_GE;
    case SQLITE_INDEX_CONSTRAINT_LT:
        return QUERY_TABLE_LT;
    case SQLITE_INDEX_CONSTRAINT_LE:
        return QUERY_TABLE_LE;
    default:
        return -1;
    }
}

/* A plan while it is made. */
struct plan {
    sqlite3_index_info *info;
    sqlite3_str *text;
    int count;
    double rows, cost;
};

static void take_bound(struct plan *p, int i, int op)
{
    p->info->aConstraintUsage[i].argvIndex = ++p->count;
    sqlite3_str_appendf(p->text, ";%d %d", p->info->aConstraint[i].iColumn, op);
}

/* The condition's column can do `ability`, and the condition is of that sort. */
static bool can(const struct plan *p, const struct query_table *t, int i, unsigned ability)
{
    const struct sqlite3_index_constraint *c = &p->info->aConstraint[i];
    int op = op_of(c->op);
    return c->usable && op >= 0 && c->iColumn >= 0 && p->count < BOUNDS_MAX &&
           (op == QUERY_TABLE_EQ) == (ability != QUERY_TABLE_RANGE) &&
           t->columns[c->iColumn].abilities & ability;
}

/* Takes a condition by which the table finds its rows. */
static void find_keys(struct plan *p, const struct query_table *t)
{
    for (int i = 0; i < p->info->nConstraint; i++)
        if (can(p, t, i, QUERY_TABLE_KEY)) {
            take_bound(p, i, QUERY_TABLE_EQ);
            p->rows = 1;
            p->cost = 1;
        }
}

/* Takes the conditions that the table understands while it looks at all rows. */
static void find_filters(struct plan *p, const struct query_table *t)
{
    for (int i = 0; i < p->info->nConstraint; i++) {
        if (can(p, t, i, QUERY_TABLE_EQUAL)) {
            bool is_list = sqlite3_vtab_in(p->info, i, -1) && sqlite3_vtab_in(p->info, i, 1);
            take_bound(p, i, is_list ? QUERY_TABLE_IN : QUERY_TABLE_EQ);
            p->rows /= EQUAL_SHARE;
        } else if (can(p, t, i, QUERY_TABLE_RANGE)) {
            take_bound(p, i, op_of(p->info->aConstraint[i].op));
            p->rows /= RANGE_SHARE;
        }
    }
}

/* A value that other rows of the query give, not the text of the query: the rows are copied once,
 * and found in the copy for each of the values. */
static bool is_join(const struct plan *p, int i)
{
    const struct sqlite3_index_constraint *c = &p->info->aConstraint[i];
    sqlite3_value *value = NULL;
    return c->usable && c->op == SQLITE_INDEX_CONSTRAINT_EQ && c->iColumn >= 0 &&
           sqlite3_vtab_rhs_value(p->info, i, &value) != SQLITE_OK &&
           !sqlite3_vtab_in(p->info, i, -1);
}

static bool find_join(struct plan *p)
{
    for (int i = 0; i < p->info->nConstraint; i++)
        if (is_join(p, i)) {
            take_bound(p, i, QUERY_TABLE_EQ);
            p->rows = p->rows / EQUAL_SHARE + 1;
            p->cost = CACHED_COST;
            return true;
        }
    return false;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct query_table *t = ((struct table *)base)->of;
    double rows = t->rows > 0 ? (double)t->rows : 1;
    struct plan p = {.info = info, .text = sqlite3_str_new(NULL), .rows = rows, .cost = rows};
    sqlite3_str_appendf(p.text, "%llx", info->colUsed);
    find_keys(&p, t);
    info->idxNum = p.count == 0 && find_join(&p) ? PLAN_CACHED : PLAN_PLAIN;
    if (info->idxNum == PLAN_PLAIN)
        find_filters(&p, t);
    info->idxStr = sqlite3_str_finish(p.text);
    info->needToFreeIdxStr = 1;
    info->estimatedRows = (sqlite3_int64)p.rows + 1;
    info->estimatedCost = p.cost == rows ? rows * (p.count > 0 ? 0.5 : 1) : p.cost;
    return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

/* ---- cursors */

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **ret_cursor)
{
    const struct query_table *of = ((struct table *)base)->of;
    struct cursor *c = sqlite3_malloc(sizeof(*c));
    struct query_table_cursor *rows = calloc(1, of->kind->cursor_bytes);
    if (!c || !rows) {
        sqlite3_free(c);
        free(rows);
        return SQLITE_NOMEM;
    }
    rows->table = of;
    *c = (struct cursor){.rows = rows};
    *ret_cursor = &c->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    struct cursor *c = (struct cursor *)base;
    if (c->rows->table->kind->end)
        c->rows->table->kind->end(c->rows);
    query_cache_end(c->search);
    free(c->rows);
    sqlite3_free(c);
    return SQLITE_OK;
}

/* Turns an error into SQLite's. */
static int fail(sqlite3_vtab *table, int error)
{
    if (error == -ENOMEM)
        return SQLITE_NOMEM;
    if (error == -EINTR)
        return SQLITE_INTERRUPT;
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s: %s", ((struct table *)table)->of->name, err_text(error));
    return SQLITE_ERROR;
}

/* `got` is what begin() or next() returned. */
static int arrive(struct cursor *c, int got)
{
    c->is_at_row = got > 0;
    return got < 0 ? fail(c->base.pVtab, got) : SQLITE_OK;
}

/* Reads the text of a plan. */
static struct query_table_ask read_plan(const char *text, int argc, sqlite3_value **argv,
                                        struct query_table_bound bounds[BOUNDS_MAX])
{
    char *at;
    struct query_table_ask ask = {.bounds = bounds, .used = strtoull(text, &at, 16)};
    while (*at == ';' && ask.bound_count < (uint32_t)argc && ask.bound_count < BOUNDS_MAX) {
        struct query_table_bound *b = &bounds[ask.bound_count];
        b->column = (uint32_t)strtoul(at + 1, &at, 10);
        b->op = (enum query_table_op)strtoul(at, &at, 10);
        b->value = argv[ask.bound_count++];
    }
    return ask;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *text, int argc,
                  sqlite3_value **argv)
{
    struct cursor *c = (struct cursor *)base;
    struct table *t = (struct table *)base->pVtab;
    struct query_table_bound bounds[BOUNDS_MAX];
    struct query_table_ask ask = read_plan(text, argc, argv, bounds);
    c->number = 0;
    if (number == PLAN_CACHED && ask.bound_count == 1)
        return arrive(c,
                      query_cache_begin(&t->caches, t->of, &ask, query_vtab_register, &c->search));
    return arrive(c, t->of->kind->begin(c->rows, &ask));
}

static int next(sqlite3_vtab_cursor *base)
{
    struct cursor *c = (struct cursor *)base;
    c->number++;
    return arrive(c, c->search ? query_cache_next(c->search) : c->rows->table->kind->next(c->rows));
}

static int at_end(sqlite3_vtab_cursor *base)
{
    return !((struct cursor *)base)->is_at_row;
}

static void give(sqlite3_context *to, const struct query_value *v)
{
    void (*drop)(void *) = v->drop ? v->drop : v->is_kept ? SQLITE_STATIC : SQLITE_TRANSIENT;
    if (v->is_lacking)
        sqlite3_result_error_nomem(to);
    else if (v->type == QUERY_VALUE_NUMBER)
        sqlite3_result_int64(to, v->number);
    else if (v->type == QUERY_VALUE_REAL)
        sqlite3_result_double(to, v->real);
    else if (v->type == QUERY_VALUE_TEXT)
        sqlite3_result_text64(to, v->bytes, v->len, drop, SQLITE_UTF8);
    else if (v->type == QUERY_VALUE_BYTES)
        sqlite3_result_blob64(to, v->bytes, v->len, drop);
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *to, int number)
{
    struct cursor *c = (struct cursor *)base;
    if (c->search) {
        query_cache_give(c->search, to, (uint32_t)number);
        return SQLITE_OK;
    }
    struct query_value value = {0};
    int error = c->rows->table->kind->column(c->rows, &value, (uint32_t)number);
    if (error == 0)
        give(to, &value);
    return error < 0 ? fail(base->pVtab, error) : SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *ret_id)
{
    *ret_id = ((struct cursor *)base)->number;
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .iVersion = 1,
    .xConnect = connect,
    .xBestIndex = best_index,
    .xDisconnect = disconnect,
    .xOpen = open_cursor,
    .xClose = close_cursor,
    .xFilter = filter,
    .xNext = next,
    .xEof = at_end,
    .xColumn = column,
    .xRowid = row_id,
};

int query_vtab_register(sqlite3 *db, const struct query_table *table, const char *name)
{
    return sqlite3_create_module_v2(db, name, &module, (void *)table, NULL) == SQLITE_OK ? 0
                                                                                         : -ENOMEM;
}
