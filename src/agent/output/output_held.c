/*
 * output_held.c - see output_held.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/output/output_held.h"
#include <errno.h>
#include <sys/file.h>
#include "base/newfile.h"

bool output_held_open(struct output_held *h, const char *path, mode_t mode, struct newfile *ret)
{
    h->is_unnamed = h->is_wanted && newfile_open_unnamed(path, mode, ret) == 0;
    return h->is_unnamed;
}

/* Who asks locks by another opening of the file, so that one of ours tells. */
bool output_held_is_left(struct output_held *h, int fd)
{
    if (!h->is_unnamed || fd < 0)
        return false;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        (void)flock(fd, LOCK_UN);
        return __atomic_load_n(&h->was_seen, __ATOMIC_RELAXED);
    }
    if (errno == EWOULDBLOCK)
        __atomic_store_n(&h->was_seen, true, __ATOMIC_RELAXED);
    return false;
}
