/*
 * feed_folder.c - see feed.h. It stands apart because the libraries that JVMs load use feeds, and
 * musl, the C library of Alpine, has no scandirat().
 * SPDX-License-Identifier: Apache-2.0
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/feed.h"
#include "base/rooted.h"

int feed_folder_open(struct feed_folder *f, int folder, const char *suffix)
{
    size_t len = strlen(suffix);
    int kept = 0;
    *f = (struct feed_folder){.folder = folder, .fd = -1};
    f->count = scandirat(folder, ".", &f->names, NULL, alphasort);
    if (f->count < 0) {
        f->count = 0;
        return -errno;
    }
    for (int i = 0; i < f->count; i++) {
        size_t name = strlen(f->names[i]->d_name);
        if (name > len && strcmp(f->names[i]->d_name + name - len, suffix) == 0)
            f->names[kept++] = f->names[i];
        else
            free(f->names[i]);
    }
    f->count = kept;
    return kept > 0 ? 0 : -EISDIR;
}

void feed_folder_done(struct feed_folder *f)
{
    for (int i = 0; i < f->count; i++)
        free(f->names[i]);
    free(f->names);
    if (f->fd >= 0)
        close(f->fd);
    *f = (struct feed_folder){.folder = -1, .fd = -1};
}

/* Errors: 0, also when the file has been removed or is a FIFO or a device; -errno. */
static int open_next_file(struct feed_folder *f)
{
    f->fd = rooted_open(f->folder, f->names[f->next++]->d_name);
    return f->fd < 0 && f->fd != -ENOENT && f->fd != -EINVAL ? f->fd : 0;
}

ssize_t feed_folder_read(void *from, unsigned char *to, size_t room, const char **ret_why)
{
    struct feed_folder *f = from;
    ssize_t n = 0;
    (void)ret_why;
    while (n == 0 && (f->fd >= 0 || f->next < f->count)) {
        if (f->fd < 0) {
            n = open_next_file(f);
            continue;
        }
        do
            n = read(f->fd, to, room);
        while (n < 0 && errno == EINTR);
        if (n > 0)
            return n;
        n = n < 0 ? -errno : 0;
        close(f->fd);
        f->fd = -1;
    }
    return n;
}
