/*
 * output_writer.h - the thread that empties an output_queue, into a file or a connection.
 *
 * It alone waits for a slow disk, a pipe that nobody reads or a slow peer; the program's threads
 * and the agent's lock never do. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <pthread.h>
#include <sys/types.h>
#include "agent/output/output_queue.h"

/** Writes some of the piece, all of one that is_rewrite. Errors: how much; -errno. */
typedef ssize_t output_writer_put(int fd, const struct output_queue_piece *piece);

struct output_writer {
    struct output_queue queue;
    int fd; /* stays the caller's */
    output_writer_put *put;
    bool is_running;
    pthread_t thread;
};

/** Start to write. Errors: 0, or negative after a message: nothing is written. Context: any. */
int output_writer_start(struct output_writer *w, const char *name);
/** A sink_taker: `to` is a struct output_writer. What does not fit is dropped by records. */
int output_writer_take(void *to, const unsigned char *bytes, size_t len);
/** A sink_rewriter. */
int output_writer_rewrite(void *to, uint64_t offset, const void *bytes, size_t len);
/** An output_writer_put for files, pipes and devices. */
ssize_t output_writer_put_file(int fd, const struct output_queue_piece *piece);
/**
 * Nothing more comes: wait until all is written, or as long as anything is taken. Errors: 0; why
 * not all was written. After -ETIMEDOUT the thread may be stuck in a write for as long as it likes.
 */
int output_writer_finish(struct output_writer *w);
/** Wait for the thread's end. */
void output_writer_join(struct output_writer *w);
