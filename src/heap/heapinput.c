/*
 * heapinput.c - a dump as bytes at offsets.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/heapinput.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/diag.h"
#include "base/err.h"
#include "gzip/unpack.h"
#include "gzip/unpackread.h"
#include "heap/heapspool.h"

/* ---- opening */

/* Copies what is packed to the spool. A packed file that is cut gives what is in front of the cut.
 */
static int unpack_to(struct heapinput *in, int spool, struct unpackread *from, const char *path,
                     struct diag *diag, const char **ret_why)
{
    int damage, error = heapspool_fill(spool, from, &in->bytes, &damage);
    const char *why = unpackread_why(from);
    if (damage == E_UNSUPPORTED) {
        *ret_why = why;
        return damage;
    }
    if (damage < 0 && diag)
        diag_tell(diag, damage, path, "%s",
                  why ? why : "the packed file is damaged; its front is used");
    if (error == -ENOSPC)
        *ret_why = "there is no room for the unpacked dump; name another folder by --tmp";
    return error;
}

static int unpack(struct heapinput *in, const char *path, const char *tmp, struct diag *diag,
                  const char **ret_why)
{
    struct unpackread *from = NULL;
    char folder[HEAPSPOOL_FOLDER];
    heapspool_folder_of(tmp, path, folder);
    int spool = heapspool_open(folder);
    if (spool < 0) {
        *ret_why = "a packed dump is unpacked into a temporary file, which could not be made; "
                   "name a folder by --tmp";
        return spool;
    }
    int error = unpackread_open(in->fd, &from);
    if (error == 0)
        error = unpack_to(in, spool, from, path, diag, ret_why);
    unpackread_close(from);
    if (error < 0) {
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
    unsigned char magic[UNPACK_HEAD];
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
    if (error == 0 && pread(in->fd, magic, sizeof(magic), 0) == sizeof(magic) &&
        unpack_kind_of(magic, sizeof(magic)))
        error = unpack(in, path, tmp, diag, ret_why);
    if (error < 0)
        heapinput_close(in);
    else
        posix_fadvise(in->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    return error;
}

int heapinput_take(struct heapinput *in, int fd)
{
    *in = (struct heapinput){.fd = fd};
    if (fstat(fd, &in->file) != 0) {
        int error = -errno;
        heapinput_close(in);
        return error;
    }
    in->bytes = (uint64_t)in->file.st_size;
    return 0;
}

int heapinput_open_stream(struct heapinput *in, int fd)
{
    *in = (struct heapinput){.fd = -1, .stream = calloc(1, sizeof(*in->stream))};
    if (!in->stream)
        return -ENOMEM;
    in->stream->end = UINT64_MAX;
    int error = unpackread_open(fd, &in->stream->from);
    if (error < 0)
        heapinput_close(in);
    return error;
}

void heapinput_close(struct heapinput *in)
{
    if (in->fd >= 0)
        close(in->fd);
    in->fd = -1;
    if (in->stream)
        unpackread_close(in->stream->from);
    free(in->stream);
    in->stream = NULL;
}

/* ---- windows over a file */

static const unsigned char *read_anew(struct heapwindow *w, uint64_t at, size_t want)
{
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

/* ---- the window of a stream */

/* Reads once, behind what the window has. Returns whether more bytes came. */
static bool read_more(struct heapwindow *w)
{
    struct heapinput_stream *s = w->input->stream;
    if (s->end != UINT64_MAX)
        return false;
    ssize_t n = unpackread_read(s->from, w->buffer + w->len, w->room - w->len);
    if (n > 0) {
        w->len += (size_t)n;
        return true;
    }
    s->error = (int)n;
    s->why = n < 0 ? unpackread_why(s->from) : NULL;
    s->end = w->at + w->len;
    return false;
}

/* Gives up the bytes in front of `to`, which may lie behind the window. */
static void move_forward(struct heapwindow *w, uint64_t to)
{
    while (to - w->at > w->len) {
        w->at += w->len;
        w->len = 0;
        if (!read_more(w))
            return;
    }
    size_t gone = (size_t)(to - w->at);
    memmove(w->buffer, w->buffer + gone, w->len - gone);
    w->len -= gone;
    w->at = to;
}

static const unsigned char *read_on(struct heapwindow *w, uint64_t at, size_t want)
{
    if (at < w->at)
        return NULL;
    if (at - w->at > w->room - want) {
        uint64_t keep = w->keep >= w->at && w->keep < at ? w->keep : at;
        move_forward(w, at - keep > w->room - want ? at : keep);
    }
    while (at - w->at > w->len || w->len - (at - w->at) < want)
        if (!read_more(w))
            return NULL;
    return w->buffer + (at - w->at);
}

const unsigned char *heapinput_move(struct heapwindow *w, uint64_t at, size_t want)
{
    uint64_t bytes = heapinput_bytes(w->input);
    if (want > w->room || at > bytes || bytes - at < want)
        return NULL;
    return w->input->stream ? read_on(w, at, want) : read_anew(w, at, want);
}
