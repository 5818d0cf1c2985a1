/*
 * output_writer.c - see output_writer.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/output/output_writer.h"
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/log.h"
#include "base/os_thread.h"

enum { COPY = 32768 };

static void *write_loop(void *argument)
{
    struct output_writer *w = argument;
    struct output_queue_piece piece;
    agent_exempt_begin();
    while (output_queue_next(&w->queue, &piece)) {
        ssize_t n = w->put(w->fd, &piece);
        if (n < 0 && !piece.is_rewrite) /* if a rewrite fails, the old bytes stay */
            output_queue_fail(&w->queue, (int)n);
        else
            output_queue_sent(&w->queue, &piece, n < 0 ? 0 : (size_t)n);
    }
    agent_exempt_end();
    return NULL;
}

int output_writer_start(struct output_writer *w, const char *name)
{
    int error = os_thread_start(&w->thread, name, write_loop, w);
    if (error) {
        log_error("cannot start the thread that writes (%s): nothing is written", strerror(-error));
        output_queue_fail(&w->queue, error);
        return error;
    }
    w->is_running = true;
    return 0;
}

int output_writer_take(void *to, const unsigned char *bytes, size_t len)
{
    return output_queue_put(&((struct output_writer *)to)->queue, bytes, len);
}

int output_writer_rewrite(void *to, uint64_t offset, const void *bytes, size_t len)
{
    return output_queue_rewrite(&((struct output_writer *)to)->queue, offset, bytes, len);
}

/*
 * Copy a part of a file with read and write, because sendfile() cannot write to every kind of file.
 */
static ssize_t copy_file(int fd, const struct output_queue_piece *piece)
{
    unsigned char bytes[COPY];
    ssize_t n = pread(piece->fd, bytes, piece->rest < COPY ? (size_t)piece->rest : COPY,
                      (off_t)piece->offset);
    return n > 0 ? write(fd, bytes, (size_t)n) : n;
}

/* Errors: 0; -1 with errno, and a part may have been written. */
static int write_at(int fd, const unsigned char *bytes, size_t len, uint64_t offset)
{
    while (len > 0) {
        ssize_t n = pwrite(fd, bytes, len, (off_t)offset);
        if (n <= 0)
            return -1;
        bytes += n;
        offset += (uint64_t)n;
        len -= (size_t)n;
    }
    return 0;
}

/*
 * Between the first two calls others may see an unfinished file, so these calls follow each other
 * at once.
 */
static ssize_t put_start(int fd, const struct output_queue_piece *piece)
{
    if (write_at(fd, piece->bytes, piece->len, piece->offset) != 0 ||
        ftruncate(fd, (off_t)piece->rest) != 0 ||
        lseek(fd, (off_t)(piece->offset + piece->len), SEEK_SET) < 0)
        return -1;
    return (ssize_t)piece->len;
}

static ssize_t put_rewrite(int fd, const struct output_queue_piece *piece)
{
    if (piece->len == 0)
        return ftruncate(fd, (off_t)piece->offset) == 0 ? 1 : -1;
    return pwrite(fd, piece->bytes, piece->len, (off_t)piece->offset);
}

ssize_t output_writer_put_file(int fd, const struct output_queue_piece *piece)
{
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    ssize_t n;
    do /* a descriptor of the program may be non-blocking */
        n = piece->is_rewrite ? put_rewrite(fd, piece)
            : piece->is_start ? put_start(fd, piece)
            : piece->bytes    ? write(fd, piece->bytes, piece->len)
                              : copy_file(fd, piece);
    while (n < 0 && (errno == EINTR || (errno == EAGAIN && poll(&wait, 1, -1) >= 0)));
    return n < 0 ? -errno : n == 0 ? -EIO : n;
}

int output_writer_finish(struct output_writer *w)
{
    int error;
    output_queue_end(&w->queue);
    error = output_queue_settle(&w->queue, w->queue.stall_ms);
    if (error)
        output_queue_fail(&w->queue, error);
    return error;
}

void output_writer_join(struct output_writer *w)
{
    if (w->is_running)
        pthread_join(w->thread, NULL);
}
