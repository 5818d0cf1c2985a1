/*
 * heapinput.h - a heap dump as bytes at offsets, read through small windows.
 *
 * A file is never mapped: a program that cuts it while it is read makes reads short and does no
 * other harm, and the address space of this process stays small. A packed file is first unpacked
 * into a temporary file without a name (heapspool.h). A stream, which a pipe or a packed file may
 * be, is read once from front to back and lies nowhere; its window moves forward alone.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct diag;
struct unpackread;

/** A stream, which has one window. */
struct heapinput_stream {
    struct unpackread *from;
    uint64_t end;    /* how many bytes there are; UINT64_MAX: it has not ended yet */
    int error;       /* 0, or why it ended early: -errno, or as in base/err.h */
    const char *why; /* static text about the error; NULL: none */
};

struct heapinput {
    int fd;                          /* -1: a stream */
    uint64_t bytes;                  /* of the unpacked dump; 0: a stream */
    struct stat file;                /* the file that the user named */
    struct heapinput_stream *stream; /* NULL: the bytes can be read in any order */
};

/**
 * Opens a regular file; `tmp` is the folder for the unpacked file, NULL: the one of `path`.
 *
 * Errors: -errno; -EINVAL: no regular file; E_UNSUPPORTED: packed in a way that this program does
 *         not know. *ret_why is then a static text or NULL.
 * Owner:  heapinput_close().
 */
int heapinput_open(struct heapinput *in, const char *path, const char *tmp, struct diag *diag,
                   const char **ret_why);
/** Takes a file that is open and not packed; heapinput_close() closes it. Errors: 0; -errno. */
int heapinput_take(struct heapinput *in, int fd);
/** Reads `fd` as a stream, packed or not. `fd` stays the caller's, and open until
 * heapinput_close(). Errors: 0; -errno. */
int heapinput_open_stream(struct heapinput *in, int fd);
void heapinput_close(struct heapinput *in);

/** How many bytes there are; UINT64_MAX: a stream that has not ended yet. */
static inline uint64_t heapinput_bytes(const struct heapinput *in)
{
    return in->stream ? in->stream->end : in->bytes;
}

/** A window: a part of the input that lies in memory. All but `input`, `buffer` and `room` 0. */
struct heapwindow {
    const struct heapinput *input;
    unsigned char *buffer; /* of the caller, `room` bytes */
    size_t room;
    uint64_t at; /* offset of the first byte in `buffer` */
    size_t len;
    uint64_t keep; /* of a stream: bytes from here on stay, as long as there is room for them */
    int error;     /* 0, or the first failure: -errno */
};

/** Reads the window anew, from `at` on. Returns like heapinput_see(). */
const unsigned char *heapinput_move(struct heapwindow *w, uint64_t at, size_t want);

/** The bytes from offset `at` on, `want` or more of them, until the next call. NULL: the file has
 * fewer, or `want` is larger than the window, or reading failed, or `at` of a stream has passed. */
static inline const unsigned char *heapinput_see(struct heapwindow *w, uint64_t at, size_t want)
{
    if (at >= w->at && at - w->at <= w->len && w->len - (at - w->at) >= want)
        return w->buffer + (at - w->at);
    return heapinput_move(w, at, want);
}
