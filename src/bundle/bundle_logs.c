/*
 * bundle_logs.c - see bundle_logs.h.
 * Source: HotSpot logConfiguration.cpp (-Xlog), arguments.cpp (-Xloggc), vmError.cpp (ErrorFile).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bundle/bundle_logs.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "attach/jvms.h"
#include "base/rooted.h"
#include "process/process.h"
#include "process/process_ids.h"

enum { TAIL = 4 << 20, PATH = 1024, FILES = 16, CGROUP_MAX = 64 << 10 };

struct logs {
    const struct jvm *jvm;
    int root, working;
    bundle_logs_taker *take;
    void *with;
    unsigned count;
    char seen[FILES][PATH];
};

/* The last bytes of a regular file; it may be empty, as a log of JDK 8 before the first collection.
 * NULL: there is none. */
static char *read_tail(int fd, size_t *ret_len)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return NULL;
    size_t len = st.st_size < TAIL ? (size_t)st.st_size : TAIL;
    char *text = malloc(len + 1);
    ssize_t got = text ? pread(fd, text, len, st.st_size - (off_t)len) : -1;
    if (got >= 0) {
        *ret_len = (size_t)got;
        return text;
    }
    free(text);
    return NULL;
}

/* With the rights of the process. */
static int open_as_process(const struct logs *l, const char *path)
{
    struct process_ids before;
    int folder = *path == '/' ? l->root : l->working;
    if (folder < 0 || process_ids_take(&l->jvm->process, &before) != 0)
        return -1;
    int fd = rooted_open(folder, path);
    if (process_ids_back(&before) != 0)
        abort(); /* nothing may go on with the rights of another user */
    return fd;
}

static void take_log(struct logs *l, const char *path)
{
    char file[128];
    size_t len = 0;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (unsigned i = 0; i < l->count; i++)
        if (strcmp(l->seen[i], path) == 0)
            return;
    if (l->count == FILES || strlen(path) >= PATH || *name == '\0')
        return;
    snprintf(l->seen[l->count++], PATH, "%s", path);
    int fd = open_as_process(l, path);
    char *text = fd >= 0 ? read_tail(fd, &len) : NULL;
    if (fd >= 0)
        close(fd);
    if (!text)
        return;
    /* The name in the archive is ours but for letters, digits and points. */
    int at = snprintf(file, sizeof(file), "logs/%u-", l->count);
    for (const char *c = name; *c != '\0' && at < 90; c++)
        file[at++] = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *c)
                         ? *c
                         : '_';
    file[at] = '\0';
    l->take(l->with, file, text, len);
    free(text);
}

/* "%p" is the number of the process, as it knows it. */
static void take_pattern(struct logs *l, const char *at, size_t len)
{
    char path[PATH];
    size_t used = 0;
    for (size_t i = 0; i < len && used + 16 < PATH; i++) {
        if (at[i] == '%' && i + 1 < len && at[i + 1] == 'p') {
            used +=
                (size_t)snprintf(path + used, PATH - used, "%d", (int)l->jvm->process.inner_pid);
            i++;
        } else {
            path[used++] = at[i];
        }
    }
    path[used] = '\0';
    if (!strchr(path, '%'))
        take_log(l, path);
}

/* -Xlog:WHAT:[file=]PATH[:...], -Xloggc:PATH, -XX:ErrorFile=PATH */
static void take_option(struct logs *l, const char *word, size_t len)
{
    static const char *const fronts[] = {"-Xloggc:", "-XX:ErrorFile="};
    for (size_t i = 0; i < sizeof(fronts) / sizeof(fronts[0]); i++)
        if (len > strlen(fronts[i]) && memcmp(word, fronts[i], strlen(fronts[i])) == 0)
            take_pattern(l, word + strlen(fronts[i]), len - strlen(fronts[i]));
    if (len < 7 || memcmp(word, "-Xlog:", 6) != 0)
        return;
    const char *end = word + len, *at = memchr(word + 6, ':', len - 6);
    if (!at)
        return;
    at++;
    if (end - at > 5 && memcmp(at, "file=", 5) == 0)
        at += 5;
    const char *stop = memchr(at, ':', (size_t)(end - at));
    size_t path = (size_t)((stop ? stop : end) - at);
    if (path > 0 && !(path == 6 && memcmp(at, "stdout", 6) == 0) &&
        !(path == 6 && memcmp(at, "stderr", 6) == 0))
        take_pattern(l, at, path);
}

static void take_options(struct logs *l, const char *words)
{
    while (words && *words != '\0') {
        size_t len = strcspn(words, " ");
        take_option(l, words, len);
        words += len + strspn(words + len, " ");
    }
}

/* The group of version 2, as this program sees it. */
static void take_group(struct logs *l)
{
    static const char *const names[] = {"memory.stat",    "memory.events", "memory.max",
                                        "memory.current", "cpu.stat",      "cpu.max",
                                        "pids.max",       "pids.current"};
    char *groups, path[PATH], file[64];
    if (process_file(l->jvm->process.pid, "cgroup", CGROUP_MAX, &groups) < 0)
        return;
    const char *group = strncmp(groups, "0::", 3) == 0 ? groups : strstr(groups, "\n0::");
    group = group ? strchr(group, '/') : NULL;
    size_t len = group ? strcspn(group, "\n") : 0;
    for (size_t i = 0; group && len < PATH / 2 && i < sizeof(names) / sizeof(names[0]); i++) {
        char text[8192];
        snprintf(path, sizeof(path), "/sys/fs/cgroup%.*s/%s", (int)len, group, names[i]);
        snprintf(file, sizeof(file), "cgroup/%s.txt", names[i]);
        int fd = rooted_open(-1, path);
        ssize_t got = fd >= 0 ? read(fd, text, sizeof(text)) : -1;
        if (fd >= 0)
            close(fd);
        if (got > 0)
            l->take(l->with, file, text, (size_t)got);
    }
    free(groups);
}

void bundle_logs_take(const struct jvm *jvm, bundle_logs_taker *take, void *with)
{
    static const char error_log[] = "hs_err_pid%p.log";
    char fallback[PATH];
    struct logs *l = calloc(1, sizeof(*l));
    if (!l)
        return;
    *l = (struct logs){.jvm = jvm,
                       .take = take,
                       .with = with,
                       .root = process_folder_root(jvm->process.task),
                       .working = process_folder_working(jvm->process.task)};
    take_options(l, jvm->vm_args);
    take_options(l, jvm->vm_flags);
    take_pattern(l, error_log, strlen(error_log));
    snprintf(fallback, sizeof(fallback), "%s/%s", P_tmpdir, error_log);
    take_pattern(l, fallback, strlen(fallback));
    if (l->root >= 0)
        close(l->root);
    if (l->working >= 0)
        close(l->working);
    take_group(l);
    free(l);
}
