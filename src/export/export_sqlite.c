/*
 * export_sqlite.c - a database of SQLite.
 *
 * A new database is written under a hidden name beside its own and renamed when it is whole. Rows
 * for a database that is there are one transaction, which SQLite makes visible at once.
 * Source: sqlite.org/atomiccommit.html.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/diag.h"
#include "base/err.h"
#include "base/newfile.h"
#include "export/export_options.h"
#include "export/export_table.h"

struct export_out {
    const struct export_options *options;
    sqlite3 *db;
    char path[PATH_MAX], hidden[PATH_MAX]; /* hidden "": the database was there before */
    int error;
};

/* Keeps SQLite's reason for a failure. */
static int fail(struct export_out *o, int code)
{
    o->error = code == SQLITE_NOMEM ? -ENOMEM : code == SQLITE_FULL ? -ENOSPC : -EIO;
    diag_tell(o->options->diag, o->error, o->path, "%s",
              o->db ? sqlite3_errmsg(o->db) : sqlite3_errstr(code));
    return o->error;
}

static int run(struct export_out *o, const char *sql)
{
    int code = sqlite3_exec(o->db, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? 0 : fail(o, code);
}

/* ---- opening */

static int open_new(struct export_out *o)
{
    const char *slash = strrchr(o->path, '/'), *name = slash ? slash + 1 : o->path;
    if (snprintf(o->hidden, sizeof(o->hidden), "%.*s.%s.%d.tmp", (int)(name - o->path), o->path,
                 name, (int)getpid()) >= (int)sizeof(o->hidden))
        return -ENAMETOOLONG;
    int fd = open(o->hidden, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0) {
        int error = -errno;
        o->hidden[0] = '\0';
        return error;
    }
    close(fd);
    return 0;
}

static int open_database(const struct export_options *options, struct export_out **ret_out)
{
    struct export_out *o = calloc(1, sizeof(*o));
    struct stat st;
    int error = o ? 0 : -ENOMEM;
    if (o && snprintf(o->path, sizeof(o->path), "%s", options->output) >= (int)sizeof(o->path))
        error = -ENAMETOOLONG;
    bool is_there = error == 0 && lstat(o->path, &st) == 0;
    if (is_there && !options->appends) {
        error = -EEXIST;
        diag_tell(options->diag, error, o->path, "it is there; --append adds to it");
        free(o);
        return error;
    }
    if (error == 0 && !is_there)
        error = open_new(o);
    if (error < 0) {
        diag_tell(options->diag, error, options->output, "%s", err_text(error));
        free(o);
        return error;
    }
    o->options = options;
    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD); /* before the first use; later it does nothing */
    int code = sqlite3_open_v2(is_there ? o->path : o->hidden, &o->db,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    error = code == SQLITE_OK ? 0 : fail(o, code);
    if (error == 0)
        error = run(o, is_there ? "pragma trusted_schema=off; pragma cache_size=-16000;"
                                  "begin immediate"
                                : "pragma journal_mode=off; pragma synchronous=off;"
                                  "pragma locking_mode=exclusive; pragma cache_size=-16000; begin");
    *ret_out = o;
    if (error == 0)
        return 0;
    sqlite3_close(o->db);
    if (o->hidden[0])
        unlink(o->hidden);
    free(o);
    return error;
}

static int64_t first_input(struct export_out *o)
{
    sqlite3_stmt *st = NULL;
    int64_t last = 0;
    if (sqlite3_prepare_v2(o->db, "select max(input) from inputs", -1, &st, NULL) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW)
        last = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return last + 1;
}

/* ---- tables */

static const char *name_of(const struct export_table *t)
{
    return strcmp(t->group, "events") == 0 ? t->type : t->group;
}

static const char *type_word(enum export_type type)
{
    return type == EXPORT_NUMBER ? "integer" : type == EXPORT_REAL ? "real" : "text";
}

/* Whether the table has the column already; *ret_has_any, whether it is there at all. */
static bool has_column(struct export_out *o, const char *table, const char *column,
                       bool *ret_has_any)
{
    sqlite3_stmt *st = NULL;
    bool is_found = false;
    char *sql = sqlite3_mprintf("select name from pragma_table_info(%Q)", table);
    *ret_has_any = false;
    if (sql && sqlite3_prepare_v2(o->db, sql, -1, &st, NULL) == SQLITE_OK)
        while (!is_found && sqlite3_step(st) == SQLITE_ROW) {
            *ret_has_any = true;
            is_found = sqlite3_stricmp((const char *)sqlite3_column_text(st, 0), column) == 0;
        }
    sqlite3_finalize(st);
    sqlite3_free(sql);
    return is_found;
}

static void put_key(sqlite3_str *sql, const struct export_table *t)
{
    for (uint32_t i = 0; i < t->key_count; i++)
        sqlite3_str_appendf(sql, "%s\"%w\"", i > 0 ? "," : ", primary key (", t->columns[i].name);
    if (t->key_count > 0)
        sqlite3_str_appendall(sql, ")");
}

static int run_owned(struct export_out *o, sqlite3_str *sql)
{
    char *text = sqlite3_str_finish(sql);
    int error = text ? run(o, text) : -ENOMEM;
    sqlite3_free(text);
    return error;
}

static int create(struct export_out *o, const struct export_table *t)
{
    sqlite3_str *sql = sqlite3_str_new(o->db);
    sqlite3_str_appendf(sql, "create table \"%w\"(", name_of(t));
    for (uint32_t i = 0; i < t->column_count; i++)
        sqlite3_str_appendf(sql, "%s\"%w\" %s", i > 0 ? "," : "", t->columns[i].name,
                            type_word(t->columns[i].type));
    if (t->has_service)
        sqlite3_str_appendall(sql, ",service text");
    put_key(sql, t);
    sqlite3_str_appendall(sql, t->key_count > 0 ? ") without rowid" : ")");
    return run_owned(o, sql);
}

/* Makes the table, or adds the columns that it lacks. */
static int prepare_table(struct export_out *o, const struct export_table *t)
{
    bool is_there;
    (void)has_column(o, name_of(t), "", &is_there);
    if (!is_there)
        return create(o, t);
    int error = 0;
    for (uint32_t i = 0; i < t->column_count && error == 0; i++) {
        if (has_column(o, name_of(t), t->columns[i].name, &is_there))
            continue;
        sqlite3_str *sql = sqlite3_str_new(o->db);
        sqlite3_str_appendf(sql, "alter table \"%w\" add column \"%w\" %s", name_of(t),
                            t->columns[i].name, type_word(t->columns[i].type));
        error = run_owned(o, sql);
    }
    return error;
}

static int prepare_insert(struct export_out *o, const struct export_table *t, sqlite3_stmt **ret_st)
{
    sqlite3_str *sql = sqlite3_str_new(o->db);
    sqlite3_str_appendf(sql, "insert into \"%w\"(", name_of(t));
    for (uint32_t i = 0; i < t->column_count; i++)
        sqlite3_str_appendf(sql, "%s\"%w\"", i > 0 ? "," : "", t->columns[i].name);
    sqlite3_str_appendall(sql, t->has_service ? ",service) values(" : ") values(");
    uint32_t values = t->column_count + t->has_service;
    for (uint32_t i = 0; i < values; i++)
        sqlite3_str_appendf(sql, "%s?%u", i > 0 ? "," : "", i + 1);
    sqlite3_str_appendall(sql, ")");
    char *text = sqlite3_str_finish(sql);
    int code = text ? sqlite3_prepare_v2(o->db, text, -1, ret_st, NULL) : SQLITE_NOMEM;
    sqlite3_free(text);
    return code == SQLITE_OK ? 0 : fail(o, code);
}

/* ---- rows */

static void bind(sqlite3_stmt *st, int at, const struct query_value *v)
{
    if (v->type == QUERY_VALUE_NUMBER)
        sqlite3_bind_int64(st, at, v->number);
    else if (v->type == QUERY_VALUE_REAL)
        sqlite3_bind_double(st, at, v->real);
    else if (v->type == QUERY_VALUE_TEXT)
        sqlite3_bind_text64(st, at, v->bytes, v->len, SQLITE_STATIC, SQLITE_UTF8);
    else
        sqlite3_bind_null(st, at);
}

static int put_row(struct export_out *o, struct export_table *t, const struct export_place *at,
                   const struct query_value *values)
{
    sqlite3_stmt *st = t->state;
    int error = 0;
    if (!st) {
        error = prepare_table(o, t);
        if (error == 0)
            error = prepare_insert(o, t, &st);
        t->state = st;
        if (error < 0)
            return error;
    }
    for (uint32_t i = 0; i < t->column_count; i++)
        bind(st, (int)i + 1, &values[i]);
    if (t->has_service)
        sqlite3_bind_text(st, (int)t->column_count + 1, at->service, -1, SQLITE_STATIC);
    int code = sqlite3_step(st);
    if (code != SQLITE_DONE)
        error = fail(o, code);
    sqlite3_reset(st);
    return error;
}

static void forget(struct export_out *o, struct export_table *t)
{
    (void)o;
    sqlite3_finalize(t->state);
    t->state = NULL;
}

/* ---- closing */

static int sync_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int error = fd < 0 || fsync(fd) < 0 ? -errno : 0;
    if (fd >= 0)
        close(fd);
    return error;
}

static int name_file(struct export_out *o)
{
    int error = sync_file(o->hidden);
    if (error == 0)
        error = newfile_rename(o->hidden, o->path);
    if (error < 0)
        diag_tell(o->options->diag, error, o->path, "%s", err_text(error));
    return error;
}

static int close_database(struct export_out *o, int error, uint64_t *ret_files)
{
    if (error == 0)
        error = run(o, "commit");
    else if (!o->hidden[0])
        sqlite3_exec(o->db, "rollback", NULL, NULL, NULL);
    if (sqlite3_close(o->db) != SQLITE_OK && error == 0)
        error = -EIO;
    if (error == 0 && o->hidden[0])
        error = name_file(o);
    if (error < 0 && o->hidden[0])
        unlink(o->hidden);
    *ret_files = error == 0;
    free(o);
    return error;
}

const struct export_writer export_sqlite_writer = {
    .word = "sqlite",
    .open = open_database,
    .first_input = first_input,
    .row = put_row,
    .forget = forget,
    .close = close_database,
};
