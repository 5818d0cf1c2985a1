/*
 * sink.h - a sticky buffered writer to a file descriptor, or to whatever takes bytes.
 *
 * Remembers its first failure and then swallows everything, so writers need no check per field:
 * ask sink_error() once per record or at the end. Numbers are written big-endian.
 * Not thread-safe: the owner holds a lock. Knows nothing about formats.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum {
    SINK_BUFFER = 64 * 1024,
    SINK_PIECE = 1 << 20, /* bytes that go to a file in one call, where somebody is asked before */
};

/** Takes all of `bytes` or none. Errors: 0, -errno. */
typedef int sink_taker(void *to, const unsigned char *bytes, size_t len);
/** Replaces what was taken at `offset`. Errors: 0, -errno. */
typedef int sink_rewriter(void *to, uint64_t offset, const void *bytes, size_t len);

/** Whether more bytes may go into the file now. Errors: 0, or what becomes the sink's error. */
typedef int sink_asker(void *asker);

struct sink {
    int fd;                 /* -1: nothing is written, bytes are only counted */
    sink_taker *take;       /* where the bytes go in place of fd; NULL: to fd */
    sink_rewriter *rewrite; /* the same for sink_rewrite(); NULL: it cannot be */
    void *to;
    sink_asker *ask; /* before each piece that goes to fd; NULL: nobody */
    void *asker;
    int error;        /* 0, or the first failure as -errno */
    uint64_t written; /* bytes handed to the kernel */
    size_t used;      /* bytes waiting in buffer */
    unsigned char *buffer;
};

/** Prepare for `fd`, which stays the caller's. Errors: 0, -ENOMEM. */
int sink_init(struct sink *s, int fd);
/** As sink_init(), where `take` is called with `to` and gets the bytes. */
int sink_init_taker(struct sink *s, sink_taker *take, void *to);
/** Flush and give the buffer back; returns sink_error(). `fd` stays open. */
int sink_done(struct sink *s);

void sink_bytes(struct sink *s, const void *bytes, size_t len);
void sink_text(struct sink *s, const char *text);
void sink_u1(struct sink *s, uint8_t v);
void sink_u2(struct sink *s, uint16_t v);
void sink_u4(struct sink *s, uint32_t v);
void sink_u8(struct sink *s, uint64_t v);
/** printf of any length: nothing is ever cut. */
void sink_printf(struct sink *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Bytes written so far, those in the buffer included. */
uint64_t sink_position(const struct sink *s);
/** Hand everything to the kernel; returns sink_error(). */
int sink_flush(struct sink *s);
/** 0, or the first failure since sink_init(). */
int sink_error(const struct sink *s);
/**
 * Replace `len` bytes that were written before, in place; the position stays. Not sticky: what the
 * file holds is whole without it.
 * Errors:  0; -ESPIPE when the destination cannot do it (a pipe, a socket, O_APPEND, or a file
 *          that did not begin with this sink's first byte); -EINVAL outside of what was written;
 *          another -errno of the write.
 */
int sink_rewrite(struct sink *s, uint64_t offset, const void *bytes, size_t len);
