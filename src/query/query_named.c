/*
 * query_named.c - see query_named.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_named.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/newfile.h"
#include "base/plain.h"
#include "base/sink.h"

enum { SQL_MAX = 1 << 20, NAME_MAX_BYTES = 64, WIDTH = 18 };

static const struct {
    const char *name, *about, *sql;
} rows[] = {
#define NAMED(name, about, sql) {name, about, sql},
#include "query/query_named.def"
#undef NAMED
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

const char *query_named_at(size_t number)
{
    return number < ROWS ? rows[number].name : NULL;
}

const char *query_named_about(size_t number)
{
    return number < ROWS ? rows[number].about : NULL;
}

bool query_named_may_be(const char *name)
{
    size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
    return len > 0 && name[len] == '\0' && len < NAME_MAX_BYTES && name[0] != '-';
}

/* The folder of saved queries, malloc'ed; NULL: the user has no home. */
static char *folder_of_user(void)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char *folder = NULL;
    if (config && config[0] == '/') {
        if (asprintf(&folder, "%s/hprof/queries", config) < 0)
            return NULL;
    } else if (home && home[0] == '/') {
        if (asprintf(&folder, "%s/.config/hprof/queries", home) < 0)
            return NULL;
    }
    return folder;
}

static char *path_of(const char *name)
{
    char *folder = folder_of_user(), *path = NULL;
    if (folder && asprintf(&path, "%s/%s.sql", folder, name) < 0)
        path = NULL;
    free(folder);
    return path;
}

/* The text of a file of at most SQL_MAX bytes, malloc'ed; NULL: there is none. */
static char *read_file(const char *path)
{
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
    struct stat st;
    char *text = NULL;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < SQL_MAX)
        text = malloc((size_t)st.st_size + 1);
    if (text) {
        ssize_t len = read(fd, text, (size_t)st.st_size);
        text[len > 0 ? len : 0] = '\0';
    }
    if (fd >= 0)
        close(fd);
    return text;
}

char *query_named_sql(const char *name)
{
    if (!query_named_may_be(name))
        return NULL;
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].name, name) == 0)
            return strdup(rows[i].sql);
    char *path = path_of(name);
    char *text = read_file(path);
    free(path);
    return text;
}

/* Makes the folders of a path that are missing. */
static int make_folders(char *path)
{
    for (size_t at = 1; path[at] != '\0'; at++) {
        if (path[at] != '/')
            continue;
        path[at] = '\0';
        int error = mkdir(path, 0700) < 0 && errno != EEXIST ? -errno : 0;
        path[at] = '/';
        if (error < 0)
            return error;
    }
    return 0;
}

static int write_file(const char *path, const char *sql)
{
    const char *why = NULL;
    struct newfile file;
    struct sink sink;
    int error = newfile_open(path, 0600, NEWFILE_REPLACE, &file, &why);
    if (error < 0)
        return error;
    error = sink_init(&sink, file.fd);
    if (error == 0) {
        sink_text(&sink, sql);
        sink_text(&sink, "\n");
        error = sink_done(&sink);
    }
    close(file.fd);
    return error;
}

int query_named_save(const char *name, const char *sql, char **ret_path)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].name, name) == 0)
            return -EEXIST;
    char *path = path_of(name);
    if (!path)
        return -ENOENT;
    int error = make_folders(path);
    if (error == 0)
        error = write_file(path, sql);
    if (error == 0)
        *ret_path = path;
    else
        free(path);
    return error;
}

static void put_name(struct sink *out, const char *name, size_t len, const char *about)
{
    plain_put(out, name, len);
    for (size_t at = len; at < WIDTH; at++)
        sink_text(out, " ");
    plain_put(out, about, strlen(about));
    sink_text(out, "\n");
}

void query_named_list(struct sink *out)
{
    for (size_t i = 0; i < ROWS; i++)
        put_name(out, rows[i].name, strlen(rows[i].name), rows[i].about);
    char *folder = folder_of_user();
    struct dirent **names = NULL;
    int count = folder ? scandir(folder, &names, NULL, alphasort) : 0;
    for (int i = 0; i < count; i++) {
        size_t len = strlen(names[i]->d_name);
        if (len > 4 && strcmp(names[i]->d_name + len - 4, ".sql") == 0)
            put_name(out, names[i]->d_name, len - 4, "Saved by --save.");
        free(names[i]);
    }
    free(names);
    free(folder);
}
