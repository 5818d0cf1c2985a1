/*
 * output_writer.h - the thread that empties an output_queue into a file or a connection.
 *
 * Only this thread waits for a slow disk, a pipe that nobody reads or a slow peer. The program's
 * threads, and threads with the agent's lock, never do.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>
#include "agent/output/output_queue.h"

/** Write a part of the piece; of a rewrite, all of it. Returns how many bytes. Errors: -errno. */
typedef ssize_t output_writer_put(int fd, const struct output_queue_piece *piece);

struct output_writer {
    struct output_queue queue;
    int fd; /* the caller closes it */
    output_writer_put *put;
    bool is_running;
    pthread_t thread;
};

/** Start the thread. Errors: 0, or negative after a message: nothing is written. Context: any. */
int output_writer_start(struct output_writer *w, const char *name);
/** A sink_taker: `to` is a struct output_writer. Records that do not fit are dropped. */
int output_writer_take(void *to, const unsigned char *bytes, size_t len);
/** A sink_rewriter. */
int output_writer_rewrite(void *to, uint64_t offset, const void *bytes, size_t len);
/** An output_writer_put for files, pipes and devices. */
ssize_t output_writer_put_file(int fd, const struct output_queue_piece *piece);
/**
 * Nothing more comes: wait until everything is written, or until nothing is taken any more.
 * Errors: 0; the reason why not everything was written. After -ETIMEDOUT the thread may be stuck in
 * a write without a limit.
 */
int output_writer_finish(struct output_writer *w);
/** Wait for the thread's end. */
void output_writer_join(struct output_writer *w);
