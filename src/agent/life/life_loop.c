/*
 * life_loop.c - see life_own.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/life/life_own.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "agent/recording/recording.h"

struct file {
    struct file *next; /* the next younger file */
    dev_t dev;
    ino_t ino;
    char path[];
};

struct life_loop {
    struct file *oldest, *youngest;
    uint32_t count;
};

int life_loop_add(struct life_loop **l, const struct recording *r)
{
    struct life_loop *loop = *l ? *l : calloc(1, sizeof(*loop));
    char path[PATH_MAX];
    struct stat st;
    *l = loop;
    if (!loop || !r->output.is_ours || fstat(r->output.fd, &st) != 0)
        return loop ? 0 : -ENOMEM;
    output_place(&r->output, path);
    struct file *file = malloc(sizeof(*file) + strlen(path) + 1);
    if (!file)
        return -ENOMEM;
    *file = (struct file){.dev = st.st_dev, .ino = st.st_ino};
    memcpy(file->path, path, strlen(path) + 1);
    if (loop->youngest)
        loop->youngest->next = file;
    else
        loop->oldest = file;
    loop->youngest = file;
    loop->count++;
    return 0;
}

static void drop_oldest(struct life_loop *l)
{
    struct file *file = l->oldest;
    l->oldest = file->next;
    l->youngest = l->oldest ? l->youngest : NULL;
    l->count--;
    free(file);
}

void life_loop_keep(struct life_loop *l, uint32_t most)
{
    struct stat st;
    while (l && l->oldest && l->count > most) {
        const struct file *file = l->oldest;
        if (lstat(file->path, &st) == 0 && st.st_dev == file->dev && st.st_ino == file->ino)
            (void)unlink(file->path);
        drop_oldest(l);
    }
}

void life_loop_free(struct life_loop *l)
{
    while (l && l->oldest)
        drop_oldest(l);
    free(l);
}
