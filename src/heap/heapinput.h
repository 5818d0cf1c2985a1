/*
 * heapinput.h - a heap dump as bytes at offsets, read through small windows.
 *
 * The file is never mapped: a program that cuts it while it is read makes reads short and does no
 * other harm, and the address space of this process stays small. A packed file is first unpacked
 * into a temporary file that has no name, so that nothing is left if the process is killed.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct diag;

struct heapinput {
    int fd;
    uint64_t bytes;   /* of the unpacked dump */
    struct stat file; /* the file that the user named */
};

/**
 * Opens a regular file; `tmp` is the folder for the unpacked file, NULL: the one of `path`.
 *
 * Errors: -errno; -EINVAL: no regular file; *ret_why is then a static text or NULL.
 * Owner:  heapinput_close().
 */
int heapinput_open(struct heapinput *in, const char *path, const char *tmp, struct diag *diag,
                   const char **ret_why);
void heapinput_close(struct heapinput *in);

/** A window: a part of the input that lies in memory. All but `input`, `buffer` and `room` 0. */
struct heapwindow {
    const struct heapinput *input;
    unsigned char *buffer; /* of the caller, `room` bytes */
    size_t room;
    uint64_t at; /* offset of the first byte in `buffer` */
    size_t len;
    int error; /* 0, or the first failure: -errno */
};

/** Reads the window anew, from `at` on. Returns like heapinput_see(). */
const unsigned char *heapinput_move(struct heapwindow *w, uint64_t at, size_t want);

/** The bytes from offset `at` on, `want` or more of them, until the next call. NULL: the file has
 * fewer, or `want` is larger than the window, or reading failed. */
static inline const unsigned char *heapinput_see(struct heapwindow *w, uint64_t at, size_t want)
{
    if (at >= w->at && at - w->at <= w->len && w->len - (at - w->at) >= want)
        return w->buffer + (at - w->at);
    return heapinput_move(w, at, want);
}
