/*
 * mcp_files.c - see mcp_files.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mcp/mcp_files.h"
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/plain.h"

enum { FILES = 1000, DEPTH = 8, ENTRIES = 100000 };

struct listing {
    struct textbuf *to;
    unsigned files, entries;
    bool is_cut;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in a folder, sorted. Returns their number; the caller frees them and the array. */
static size_t names_of(struct listing *l, DIR *folder, char ***ret_names)
{
    char **names = NULL;
    size_t count = 0, room = 0;
    for (struct dirent *e; (e = readdir(folder)) != NULL;) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (l->entries++ >= ENTRIES) {
            l->is_cut = true;
            break;
        }
        if (count == room) {
            room = room ? room * 2 : 64;
            char **more = realloc(names, room * sizeof(*names));
            if (!more)
                break;
            names = more;
        }
        names[count] = strdup(e->d_name);
        count += names[count] != NULL;
    }
    if (count > 0)
        qsort(names, count, sizeof(*names), by_name);
    *ret_names = names;
    return count;
}

static void list(struct listing *l, int fd, const char *path, int depth);

static void list_one(struct listing *l, int folder, const char *path, const char *name, int depth)
{
    char whole[PATH_MAX], shown[PATH_MAX], when[32] = "";
    struct stat st;
    struct tm tm;
    int len = snprintf(whole, sizeof(whole), "%s%s%s", path, *path ? "/" : "", name);
    if (len >= (int)sizeof(whole) || fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    if (S_ISDIR(st.st_mode)) {
        int fd = depth < DEPTH
                     ? openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                     : -1;
        l->is_cut |= depth >= DEPTH;
        if (fd >= 0)
            list(l, fd, whole, depth + 1);
        return;
    }
    if (!S_ISREG(st.st_mode))
        return;
    if (l->files >= FILES) {
        l->is_cut = true;
        return;
    }
    l->files++;
    if (gmtime_r(&st.st_mtime, &tm))
        strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
    plain_copy(shown, sizeof(shown), whole);
    textbuf_printf(l->to, "%12lld  %s  %s\n", (long long)st.st_size, when, shown);
}

/* Owns `fd`. The depth bounds the recursion. */
static void list(struct listing *l, int fd, const char *path, int depth)
{
    char **names = NULL;
    DIR *folder = fdopendir(fd);
    if (!folder) {
        close(fd);
        return;
    }
    size_t count = names_of(l, folder, &names);
    for (size_t i = 0; i < count; i++) {
        if (!l->is_cut || l->files < FILES)
            list_one(l, fd, path, names[i], depth);
        free(names[i]);
    }
    free(names);
    closedir(folder);
}

void mcp_files_list(int root, struct textbuf *to)
{
    struct listing l = {.to = to};
    int fd = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    textbuf_text(to, "       bytes  written               file\n");
    if (fd >= 0)
        list(&l, fd, "", 0);
    if (l.files == 0)
        textbuf_text(to, "There are no files that can be read.\n");
    if (l.is_cut)
        textbuf_printf(to, "Not all are listed: %u files and %u levels of folders at most.\n",
                       (unsigned)FILES, (unsigned)DEPTH + 1);
}
