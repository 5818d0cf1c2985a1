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
    h->is_held = h->is_unnamed;
    return h->is_unnamed;
}

/*
 * NFS shares a lock only with processes that may read the file. If this lock fails, only the lease
 * ends the recording.
 */
void output_held_lock(struct output_held *h, int fd)
{
    h->is_held = h->is_wanted && flock(fd, LOCK_SH | LOCK_NB) == 0;
    if (!h->is_held)
        (void)flock(fd, LOCK_EX | LOCK_NB);
}

/*
 * The command has opened the file itself, so its lock conflicts with an exclusive lock of ours. The
 * exclusive lock replaces our shared lock, which is lost even if the exclusive lock fails.
 */
bool output_held_is_left(struct output_held *h, int fd)
{
    if (!h->is_held || fd < 0)
        return false;
    bool is_free = flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (!is_free && errno == EWOULDBLOCK)
        __atomic_store_n(&h->was_seen, true, __ATOMIC_RELAXED);
    if (is_free || !h->is_unnamed)
        (void)flock(fd, h->is_unnamed ? LOCK_UN : LOCK_SH | LOCK_NB);
    return is_free && __atomic_load_n(&h->was_seen, __ATOMIC_RELAXED);
}
