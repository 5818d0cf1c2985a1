/*
 * heapinput.c - a dump as bytes at offsets.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heapinput.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/diag.h"
#include "gzip/gzfeed.h"

enum { UNPACK_STEP = 1 << 20 };

static int write_all(int fd, const unsigned char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t done = write(fd, bytes, len);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 ? -errno : -EIO;
        bytes += done;
        len -= (size_t)done;
    }
    return 0;
}

/* Copies the unpacked bytes to `to`. A packed file that is cut gives what is in front of the cut.
 */
static int copy_unpacked(struct gzfeed *gz, int to, const char *path, struct diag *diag,
                         uint64_t *ret_bytes)
{
    uint64_t at = 0;
    int error = 0;
    while (error == 0 && feed_has(&gz->feed, at, 1)) {
        size_t len = gz->feed.len - at;
        len = len > UNPACK_STEP ? UNPACK_STEP : len;
        error = write_all(to, gz->feed.bytes + at, len);
        at += len;
        feed_release(&gz->feed, at);
    }
    if (gz->feed.error != 0 && diag)
        diag_tell(diag, gz->feed.error, path, "%s",
                  gz->feed.why ? gz->feed.why : "the packed file is damaged; its front is used");
    *ret_bytes = at;
    return error;
}

/* A file without a name in a folder; `tmp` NULL: in that of `path`. Returns a descriptor, or
 * -errno. */
static int open_spool(const char *path, const char *tmp)
{
    const char *slash = strrchr(path, '/');
    char *folder = tmp      ? strdup(tmp)
                   : !slash ? strdup(".")
                            : strndup(path, slash == path ? 1 : (size_t)(slash - path));
    if (!folder)
        return -ENOMEM;
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    int error = fd < 0 ? -errno : fd;
    free(folder);
    return error;
}

static int unpack(struct heapinput *in, const char *path, const char *tmp, struct diag *diag,
                  const char **ret_why)
{
    struct gzfeed gz;
    int spool = open_spool(path, tmp);
    int error = spool < 0 ? spool : 0;
    if (error < 0) {
        *ret_why = "a packed dump is unpacked into a temporary file, which could not be made; "
                   "name a folder by --tmp";
        return error;
    }
    error = gzfeed_open(&gz, in->fd);
    if (error == 0)
        error = copy_unpacked(&gz, spool, path, diag, &in->bytes);
    gzfeed_close(&gz);
    if (error < 0) {
        *ret_why = error == -ENOSPC
                       ? "there is no room for the unpacked dump; name another folder by --tmp"
                       : NULL;
        close(spool);
        return error;
    }
    close(in->fd);
    in->fd = spool;
    return 0;
}

int heapinput_open(struct heapinput *in, const char *path, const char *tmp, struct diag *diag,
                   const char **ret_why)
{
    unsigned char magic[2] = {0};
    *ret_why = NULL;
    *in = (struct heapinput){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    if (in->fd < 0)
        return -errno;
    int error = fstat(in->fd, &in->file) != 0 ? -errno : 0;
    if (error == 0 && !S_ISREG(in->file.st_mode)) {
        error = S_ISDIR(in->file.st_mode) ? -EISDIR : -EINVAL;
        *ret_why = "a heap dump is read from a regular file";
    }
    in->bytes = error == 0 ? (uint64_t)in->file.st_size : 0;
    if (error == 0 && pread(in->fd, magic, sizeof(magic), 0) == sizeof(magic) && magic[0] == 0x1f &&
        magic[1] == 0x8b)
        error = unpack(in, path, tmp, diag, ret_why);
    if (error < 0)
        heapinput_close(in);
    else
        posix_fadvise(in->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    return error;
}

void heapinput_close(struct heapinput *in)
{
    if (in->fd >= 0)
        close(in->fd);
    in->fd = -1;
}

const unsigned char *heapinput_move(struct heapwindow *w, uint64_t at, size_t want)
{
    if (want > w->room || at > w->input->bytes || w->input->bytes - at < want)
        return NULL;
    size_t most = w->room, done = 0;
    if (w->input->bytes - at < most)
        most = (size_t)(w->input->bytes - at);
    w->len = 0;
    w->at = at;
    while (done < most) {
        ssize_t n = pread(w->input->fd, w->buffer + done, most - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            /* The file became shorter, or the device failed. */
            if (w->error == 0)
                w->error = n < 0 ? -errno : -EIO;
            break;
        }
        done += (size_t)n;
    }
    w->len = done;
    return done >= want ? w->buffer : NULL;
}
