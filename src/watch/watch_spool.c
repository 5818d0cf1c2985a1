/*
 * watch_spool.c - see watch_spool.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "watch/watch_spool.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "command/say.h"
#include "safe/clock.h"

#define SUFFIX ".jfr"

enum { TOKEN = 16, NUMBER = 8, FIRST_ROOM = 64, MODE = 0700 };

void watch_spool_name(uint64_t token, uint32_t number, char ret_name[WATCH_SPOOL_NAME])
{
    snprintf(ret_name, WATCH_SPOOL_NAME, "%016" PRIx64 "-%08u" SUFFIX, token, number);
}

bool watch_spool_parse(const char *name, uint64_t *ret_token, uint32_t *ret_number)
{
    char again[WATCH_SPOOL_NAME];
    if (strspn(name, "0123456789abcdef") != TOKEN || name[TOKEN] != '-' ||
        strspn(name + TOKEN + 1, "0123456789") != NUMBER)
        return false;
    uint64_t token = strtoull(name, NULL, 16);
    uint32_t number = (uint32_t)strtoul(name + TOKEN + 1, NULL, 10);
    watch_spool_name(token, number, again);
    if (strcmp(name, again) != 0)
        return false;
    *ret_token = token;
    *ret_number = number;
    return true;
}

/* ---- the folder */

static int open_folder(struct watch_spool *s)
{
    struct stat st;
    if (mkdir(s->path, MODE) != 0 && errno != EEXIST)
        return -errno;
    s->folder = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->folder < 0 || fstat(s->folder, &st) != 0)
        return -errno;
    if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
        return -EPERM;
    if (flock(s->folder, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK ? -EBUSY : -errno;
    return 0;
}

int watch_spool_open(struct watch_spool *s, const char *command, const char *path,
                     uint64_t limit_bytes)
{
    *s = (struct watch_spool){.path = strdup(path), .folder = -1, .limit_bytes = limit_bytes};
    int error = s->path ? open_folder(s) : -ENOMEM;
    if (error == 0)
        error = watch_spool_read(s);
    if (error < 0)
        say("%s: the spool %s: %s", command, path,
            error == -EBUSY   ? "another process uses it"
            : error == -EPERM ? "it must be a folder of yours that nobody else can write"
                              : err_text(error));
    return error;
}

void watch_spool_close(struct watch_spool *s)
{
    if (s->folder >= 0)
        close(s->folder);
    free(s->files);
    free(s->path);
    *s = (struct watch_spool){.folder = -1};
}

/* ---- the files */

static int add(struct watch_spool *s, const struct watch_spool_file *file)
{
    if (s->count == s->room) {
        uint32_t room = s->room == 0 ? FIRST_ROOM : s->room * 2;
        struct watch_spool_file *files = reallocarray(s->files, room, sizeof(*files));
        if (!files)
            return -ENOMEM;
        s->files = files;
        s->room = room;
    }
    s->files[s->count++] = *file;
    s->bytes += file->bytes;
    return 0;
}

static int add_named(struct watch_spool *s, const char *name)
{
    struct watch_spool_file file;
    struct stat st;
    if (!watch_spool_parse(name, &file.token, &file.number) ||
        fstatat(s->folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
        return 0;
    file.bytes = (uint64_t)st.st_size;
    file.time_ns = (int64_t)st.st_mtim.tv_sec * (int64_t)NS_PER_S + st.st_mtim.tv_nsec;
    return add(s, &file);
}

static int by_name(const void *a, const void *b)
{
    const struct watch_spool_file *x = a, *y = b;
    if (x->token != y->token)
        return x->token < y->token ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* The oldest file of the recording that has the most bytes. Files are in the order of their names,
 * so those of a recording are together. */
static const struct watch_spool_file *to_drop(const struct watch_spool *s)
{
    const struct watch_spool_file *found = NULL;
    uint64_t most = 0, sum = 0;
    for (uint32_t i = 0, first = 0; i < s->count; i++) {
        if (s->files[i].token != s->files[first].token) {
            first = i;
            sum = 0;
        }
        sum += s->files[i].bytes + 1;
        if (sum > most) {
            most = sum;
            found = &s->files[first];
        }
    }
    return found;
}

static void keep_bound(struct watch_spool *s)
{
    while (s->count > 0 && (s->bytes > s->limit_bytes || s->count > WATCH_SPOOL_FILES)) {
        const struct watch_spool_file *file = to_drop(s);
        s->dropped_files++;
        s->dropped_bytes += file->bytes;
        watch_spool_remove(s, file);
    }
}

int watch_spool_read(struct watch_spool *s)
{
    int again = openat(s->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = 0;
    DIR *all = again < 0 ? NULL : fdopendir(again);
    const struct dirent *one;
    if (!all) {
        error = -errno;
        if (again >= 0)
            close(again);
        return error;
    }
    s->count = 0;
    s->bytes = 0;
    while (error == 0 && (one = readdir(all)) != NULL)
        error = add_named(s, one->d_name);
    closedir(all);
    if (s->count > 0)
        qsort(s->files, s->count, sizeof(*s->files), by_name);
    keep_bound(s);
    return error;
}

const struct watch_spool_file *watch_spool_oldest(const struct watch_spool *s)
{
    const struct watch_spool_file *oldest = NULL;
    for (uint32_t i = 0; i < s->count; i++)
        if (!oldest || s->files[i].time_ns < oldest->time_ns)
            oldest = &s->files[i];
    return oldest;
}

bool watch_spool_has_any(const struct watch_spool *s, uint64_t token)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->files[i].token == token)
            return true;
    return false;
}

void watch_spool_remove(struct watch_spool *s, const struct watch_spool_file *file)
{
    char name[WATCH_SPOOL_NAME];
    size_t at = (size_t)(file - s->files);
    watch_spool_name(file->token, file->number, name);
    (void)unlinkat(s->folder, name, 0);
    s->bytes -= file->bytes;
    s->count--;
    memmove(&s->files[at], &s->files[at + 1], (s->count - at) * sizeof(*s->files));
}
