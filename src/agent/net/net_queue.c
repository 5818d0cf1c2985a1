/*
 * net_queue.c - see net_queue.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/net/net_queue.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/err.h"

enum {
    STALL_MS = 3000,   /* so long may a patient put wait for a peer that takes nothing */
    PIECE_MAX = 65536, /* sent at a time, so that room comes back early */
};

int net_queue_init(struct net_queue *q, size_t size)
{
    pthread_condattr_t attributes;

    memset(q, 0, sizeof(*q));
    q->ring = malloc(size);
    if (!q->ring)
        return -ENOMEM;
    q->size = size;
    pthread_mutex_init(&q->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&q->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return 0;
}

static void close_files(struct net_queue *q)
{
    for (int i = 0; i < q->file_count; i++)
        close(q->files[i].fd);
    q->file_count = 0;
}

void net_queue_done(struct net_queue *q)
{
    close_files(q);
    pthread_mutex_destroy(&q->lock);
    pthread_cond_destroy(&q->changed);
    free(q->ring);
    q->ring = NULL;
}

/* Wait for a change as long as the peer takes something. Errors: 0, -ETIMEDOUT. */
static int wait_for_peer(struct net_queue *q)
{
    uint64_t before = q->moved;
    struct timespec until;
    int error = 0;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += STALL_MS / 1000;
    while (q->moved == before && q->error == 0 && error == 0)
        error = pthread_cond_timedwait(&q->changed, &q->lock, &until);
    return q->moved == before && error ? -error : 0;
}

static void fail(struct net_queue *q, int error)
{
    if (q->error == 0)
        q->error = error;
    q->sent = q->whole = q->filled;
    pthread_cond_broadcast(&q->changed);
}

static void let_go(struct net_queue *q)
{
    q->whole = q->filled;
    pthread_cond_broadcast(&q->changed);
}

static void copy_in(struct net_queue *q, const unsigned char *bytes, size_t len)
{
    size_t at = (size_t)(q->filled % q->size), first = q->size - at;

    if (first > len)
        first = len;
    memcpy(q->ring + at, bytes, first);
    memcpy(q->ring, bytes + first, len - first);
    q->filled += len;
}

/* A part of the record at hand that must not be dropped: it goes bit by bit. */
static void put_patiently(struct net_queue *q, const unsigned char *bytes, size_t len)
{
    while (len > 0 && q->error == 0) {
        size_t room = q->size - (size_t)(q->filled - q->sent), n = len < room ? len : room;

        if (n > 0) {
            copy_in(q, bytes, n);
            let_go(q);
            bytes += n;
            len -= n;
        } else if (wait_for_peer(q) != 0) {
            fail(q, -ETIMEDOUT);
        }
    }
}

/* A part of the record at hand; if there is no room for it, all of the record goes. */
static void put_or_drop(struct net_queue *q, const unsigned char *bytes, size_t len)
{
    if (len > q->size - (size_t)(q->filled - q->sent) && !q->is_dropping) {
        q->is_dropping = 1;
        q->dropped_records++;
        q->dropped_bytes += q->filled - q->whole;
        q->filled = q->whole;
    }
    if (q->is_dropping)
        q->dropped_bytes += len;
    else
        copy_in(q, bytes, len);
}

int net_queue_put(struct net_queue *q, const unsigned char *bytes, size_t len)
{
    int error;

    pthread_mutex_lock(&q->lock);
    while (len > 0 && q->error == 0) {
        int is_end;
        size_t n = hprof_split_take(&q->split, bytes, len, &is_end);

        if (q->is_patient && !q->is_dropping)
            put_patiently(q, bytes, n);
        else
            put_or_drop(q, bytes, n);
        if (is_end && !q->is_dropping)
            let_go(q);
        if (is_end)
            q->is_dropping = 0;
        bytes += n;
        len -= n;
    }
    error = q->error;
    pthread_mutex_unlock(&q->lock);
    return error;
}

void net_queue_flush(struct net_queue *q)
{
    pthread_mutex_lock(&q->lock);
    if (!q->is_dropping)
        let_go(q);
    pthread_mutex_unlock(&q->lock);
}

int net_queue_put_file(struct net_queue *q, int fd, uint64_t bytes)
{
    int error;

    pthread_mutex_lock(&q->lock);
    while (q->is_patient && q->file_count == NET_QUEUE_FILES && q->error == 0) {
        if (wait_for_peer(q) != 0)
            fail(q, -ETIMEDOUT);
    }
    error = q->error;
    if (!error && q->file_count == NET_QUEUE_FILES) {
        q->dropped_records++;
        q->dropped_bytes += bytes;
        error = E_LIMIT;
    }
    if (error) {
        close(fd);
    } else {
        q->files[q->file_count].place = q->filled;
        q->files[q->file_count].fd = fd;
        q->files[q->file_count].offset = 0;
        q->files[q->file_count++].rest = bytes;
        let_go(q);
    }
    pthread_mutex_unlock(&q->lock);
    return error;
}

void net_queue_be_patient(struct net_queue *q, int is_patient)
{
    pthread_mutex_lock(&q->lock);
    q->is_patient = is_patient;
    pthread_mutex_unlock(&q->lock);
}

void net_queue_end(struct net_queue *q)
{
    pthread_mutex_lock(&q->lock);
    let_go(q);
    q->is_ended = 1;
    pthread_mutex_unlock(&q->lock);
}

int net_queue_settle(struct net_queue *q)
{
    int error = 0;

    pthread_mutex_lock(&q->lock);
    while (error == 0 && q->error == 0 && (q->sent < q->whole || q->file_count > 0))
        error = wait_for_peer(q);
    if (error == 0)
        error = q->error;
    pthread_mutex_unlock(&q->lock);
    return error;
}

/* What is next, or 0: nothing now. */
static int peek(const struct net_queue *q, struct net_queue_piece *ret)
{
    size_t at = (size_t)(q->sent % q->size);
    uint64_t end = q->file_count > 0 ? q->files[0].place : q->whole, len = end - q->sent;

    *ret = (struct net_queue_piece){.fd = -1};
    if (len > 0) {
        if (len > q->size - at)
            len = q->size - at;
        ret->len = len < PIECE_MAX ? (size_t)len : PIECE_MAX;
        ret->bytes = q->ring + at;
    } else if (q->file_count > 0) {
        ret->fd = q->files[0].fd;
        ret->offset = q->files[0].offset;
        ret->rest = q->files[0].rest;
    }
    return ret->bytes || ret->fd >= 0;
}

int net_queue_next(struct net_queue *q, struct net_queue_piece *ret)
{
    int there;

    pthread_mutex_lock(&q->lock);
    while (!(there = q->error == 0 && peek(q, ret)) && !q->is_ended && q->error == 0)
        pthread_cond_wait(&q->changed, &q->lock);
    if (q->error)
        close_files(q); /* here, where nobody can be reading them */
    pthread_mutex_unlock(&q->lock);
    return there;
}

void net_queue_sent(struct net_queue *q, const struct net_queue_piece *piece, size_t bytes)
{
    pthread_mutex_lock(&q->lock);
    if (q->error == 0) {
        if (piece->bytes) {
            q->sent += bytes;
        } else {
            q->files[0].offset += bytes;
            q->files[0].rest -= bytes;
            if (q->files[0].rest == 0) {
                close(q->files[0].fd);
                memmove(q->files, q->files + 1, (size_t)--q->file_count * sizeof(q->files[0]));
            }
        }
        q->moved += bytes;
    }
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

void net_queue_fail(struct net_queue *q, int error)
{
    pthread_mutex_lock(&q->lock);
    fail(q, error);
    pthread_mutex_unlock(&q->lock);
}

struct net_queue_drops net_queue_drops(struct net_queue *q)
{
    struct net_queue_drops drops;

    pthread_mutex_lock(&q->lock);
    drops =
        (struct net_queue_drops){.records = q->dropped_records,
                                 .bytes = q->dropped_bytes,
                                 .is_behind = !q->is_patient && q->filled - q->sent > q->size / 2};
    pthread_mutex_unlock(&q->lock);
    return drops;
}
