/*
 * rooted.c - see rooted.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/rooted.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LOOK = O_PATH | O_NOFOLLOW | O_CLOEXEC, DEPTH = 128 };

/* openat2(2). The headers of older systems lack it; its number is the same on every CPU. */
enum { OPENAT2 = 437, NO_MAGIC_LINKS = 0x02, IN_ROOT = 0x10 };
struct open_how {
    uint64_t flags, mode, resolve;
};

/* The open folders from the root down to the current one. The first folder is the caller's. */
struct way {
    int folders[DEPTH];
    unsigned depth;
    unsigned links;
    char rest[PATH_MAX]; /* the part of the path that is still to walk */
};

static int here(const struct way *w)
{
    return w->folders[w->depth - 1];
}

static void go_up(struct way *w)
{
    if (w->depth > 1)
        close(w->folders[--w->depth]);
}

static void go_to_root(struct way *w)
{
    while (w->depth > 1)
        go_up(w);
}

/* Puts the text of the link `fd` in front of the rest of the path. Takes `fd` over. */
static int follow(struct way *w, int fd)
{
    char text[PATH_MAX];
    ssize_t len = readlinkat(fd, "", text, sizeof(text));
    int error = len < 0 ? -errno : ++w->links > ROOTED_LINKS ? -ELOOP : 0;
    size_t rest = strlen(w->rest);
    close(fd);
    if (error < 0)
        return error;
    if (len == 0 || (size_t)len + rest >= sizeof(w->rest))
        return -ENAMETOOLONG;
    if (text[0] == '/')
        go_to_root(w);
    /* The rest is "" or begins with a '/'. */
    memmove(w->rest + len, w->rest, rest + 1);
    memcpy(w->rest, text, (size_t)len);
    return 0;
}

/* Takes the next part off the path. Returns false if there is none. */
static bool next_part(struct way *w, char part[NAME_MAX + 2])
{
    size_t blank = strspn(w->rest, "/"), len = strcspn(w->rest + blank, "/");
    size_t taken = len <= NAME_MAX ? len : NAME_MAX + 1; /* too long for any file system */
    memcpy(part, w->rest + blank, taken);
    part[taken] = '\0';
    memmove(w->rest, w->rest + blank + len, strlen(w->rest + blank + len) + 1);
    return len > 0;
}

/* Goes one part on. A part that is no folder ends the walk: *ret_end is its descriptor. */
static int step(struct way *w, const char *part, int *ret_end)
{
    struct stat st;
    if (strcmp(part, "..") == 0) {
        go_up(w);
        return 0;
    }
    int fd = strcmp(part, ".") == 0 ? openat(here(w), ".", LOOK) : openat(here(w), part, LOOK);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) != 0) {
        int error = -errno;
        close(fd);
        return error;
    }
    if (S_ISLNK(st.st_mode))
        return follow(w, fd);
    if (S_ISDIR(st.st_mode) && w->depth < DEPTH && strcmp(part, ".") != 0) {
        w->folders[w->depth++] = fd;
        return 0;
    }
    if (S_ISDIR(st.st_mode)) {
        close(fd);
        return strcmp(part, ".") == 0 ? 0 : -ENAMETOOLONG;
    }
    *ret_end = fd;
    return 0;
}

int rooted_walk(int root, const char *path)
{
    struct way *w = calloc(1, sizeof(*w));
    char part[NAME_MAX + 2];
    int error = 0, end = -1;
    if (!w)
        return -ENOMEM;
    w->folders[w->depth++] = root;
    if (strlen(path) >= sizeof(w->rest))
        error = -ENAMETOOLONG;
    else
        memcpy(w->rest, path, strlen(path) + 1);
    while (error == 0 && end < 0 && next_part(w, part))
        error = step(w, part, &end);
    if (error == 0 && end >= 0 && w->rest[0] != '\0') /* the path goes on behind a file */
        error = -ENOTDIR;
    if (error == 0 && end < 0)
        end = openat(here(w), ".", LOOK);
    if (error == 0 && end < 0)
        error = -errno;
    if (error < 0 && end >= 0)
        close(end);
    go_to_root(w);
    free(w);
    return error < 0 ? error : end;
}

static int find(int root, const char *path, int more)
{
    struct open_how how = {.flags = (uint64_t)(O_PATH | O_CLOEXEC | more),
                           .resolve = IN_ROOT | NO_MAGIC_LINKS};
    int fd = (int)syscall(OPENAT2, root, path, &how, sizeof(how));
    if (fd >= 0)
        return fd;
    /* The kernel has no openat2(), or a filter of system calls forbids it. */
    return errno == ENOSYS || errno == EPERM ? rooted_walk(root, path) : -errno;
}

int rooted_find(int root, const char *path)
{
    return find(root, path, 0);
}

int rooted_folder(int root, const char *path)
{
    int fd = find(root, path, O_DIRECTORY);
    struct stat st;
    if (fd >= 0 && (fstat(fd, &st) != 0 || !S_ISDIR(st.st_mode))) {
        close(fd);
        return -ENOTDIR;
    }
    return fd;
}

int rooted_open(int root, const char *path)
{
    int fd = root < 0 ? open(path, O_PATH | O_CLOEXEC) : rooted_find(root, path);
    char name[32];
    struct stat st;
    if (fd < 0)
        return root < 0 ? -errno : fd;
    int error = fstat(fd, &st) != 0 ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
    snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    int reader = error == 0 ? open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (error == 0 && reader < 0)
        error = -errno;
    close(fd);
    return error < 0 ? error : reader;
}
