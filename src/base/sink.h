/*
 * sink.h - a sticky buffered writer to a file descriptor, or to a function that takes bytes.
 *
 * A sink remembers its first failure and then ignores everything, so writers need no check per
 * field: they ask sink_error() once per record or at the end. Numbers are written big-endian. A
 * sink is not thread-safe: its owner holds a lock. It knows nothing about formats.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum {
    SINK_BUFFER = 64 * 1024,
    /* bytes that one write() gets when the sink has an asker */
    SINK_PIECE = 1 << 20,
};

/** Takes all of `bytes` or none. Errors: 0, -errno. */
typedef int sink_taker(void *to, const unsigned char *bytes, size_t len);
/** Replaces what was taken at `offset`. Errors: 0, -errno. */
typedef int sink_rewriter(void *to, uint64_t offset, const void *bytes, size_t len);

/** Called before a piece is written: may more bytes go into the file now? Errors: 0; an error,
 * which becomes the sink's error. */
typedef int sink_asker(void *asker);

struct sink {
    int fd;                 /* -1: no file; the bytes are only counted */
    sink_taker *take;       /* takes the bytes in place of `fd`; NULL: `fd` gets them */
    sink_rewriter *rewrite; /* does sink_rewrite() for `take`; NULL: it cannot rewrite */
    void *to;
    sink_asker *ask; /* called before each piece that goes to `fd`; NULL: never */
    void *asker;
    int error;        /* 0, or the first failure as -errno */
    uint64_t written; /* bytes handed to the kernel */
    size_t used;      /* bytes that wait in `buffer` */
    unsigned char *buffer;
};

/** Prepare a sink for `fd`, which stays the caller's. Errors: 0, -ENOMEM. */
int sink_init(struct sink *s, int fd);
/** Like sink_init(), for bytes that go to `take`, which is called with `to`. */
int sink_init_taker(struct sink *s, sink_taker *take, void *to);
/** Flush, and free the buffer. Returns sink_error(). `fd` stays open. */
int sink_done(struct sink *s);

void sink_bytes(struct sink *s, const void *bytes, size_t len);
void sink_text(struct sink *s, const char *text);
void sink_u1(struct sink *s, uint8_t v);
void sink_u2(struct sink *s, uint16_t v);
void sink_u4(struct sink *s, uint32_t v);
void sink_u8(struct sink *s, uint64_t v);
/** Like printf(), for a text of any length; the text is never cut. */
void sink_printf(struct sink *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Bytes written so far, including those in the buffer. */
uint64_t sink_position(const struct sink *s);
/** Hand all bytes to the kernel. Returns sink_error(). */
int sink_flush(struct sink *s);
/** 0, or the first failure since sink_init(). */
int sink_error(const struct sink *s);
/**
 * Replace `len` bytes that were written earlier, in place; the position stays. A failure is not
 * sticky, because the contents of the file are whole without the change.
 *
 * Errors:  0; -ESPIPE: the destination cannot do it (a pipe, a socket, O_APPEND, or a file that did
 *          not begin with this sink's first byte); -EINVAL: the range was not written; another
 *          -errno of the write.
 */
int sink_rewrite(struct sink *s, uint64_t offset, const void *bytes, size_t len);
