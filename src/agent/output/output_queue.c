/*
 * output_queue.c - see output_queue.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/output/output_queue.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "base/err.h"
#include "base/lock.h"
#include "base/pages.h"
#include "safe/clock.h"

enum {
    PIECE_MAX = 65536,  /* written at a time, so that there is room again early */
    KEPT_MAX = 1 << 20, /* of the ring, kept in memory when nothing waits */
};

int output_queue_init(struct output_queue *q, size_t size, int stall_ms)
{
    pthread_condattr_t attributes;
    memset(q, 0, sizeof(*q));
    q->ring = pages_map(size);
    if (!q->ring)
        return -ENOMEM;
    q->size = size;
    q->stall_ms = stall_ms;
    lock_init(&q->lock, LOCK_OUTPUT);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&q->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    return 0;
}

static void close_files(struct output_queue *q)
{
    for (int i = 0; i < q->file_count; i++)
        close(q->files[i].fd);
    q->file_count = 0;
}

void output_queue_done(struct output_queue *q)
{
    close_files(q);
    lock_done(&q->lock);
    pthread_cond_destroy(&q->changed);
    for (int i = 0; i < OUTPUT_QUEUE_REWRITES; i++)
        free(q->rewrites[i].bytes);
    free(q->start.bytes);
    pages_unmap(q->ring, q->size);
    q->ring = NULL;
}

/* Wait for a change as long as bytes are taken. Errors: 0, -ETIMEDOUT. */
static int wait_for_progress(struct output_queue *q, int stall_ms)
{
    uint64_t before = q->moved;
    struct timespec until = clock_timespec(clock_monotonic_ns() + (uint64_t)stall_ms * NS_PER_MS);
    int error = 0;
    while (q->moved == before && q->error == 0 && error == 0)
        error = pthread_cond_timedwait(&q->changed, &q->lock.mutex, &until);
    return q->moved == before && error ? -error : 0;
}

static void fail(struct output_queue *q, int error)
{
    if (q->error == 0)
        q->error = error;
    q->at.sent = q->at.whole = q->at.filled;
    pthread_cond_broadcast(&q->changed);
}

static void let_go(struct output_queue *q)
{
    q->at.whole = q->at.filled;
    pthread_cond_broadcast(&q->changed);
}

static size_t place_in_ring(const struct output_queue *q, uint64_t place)
{
    return (size_t)((place - q->at.base) % q->size);
}

static void copy_in(struct output_queue *q, const unsigned char *bytes, size_t len)
{
    size_t at = place_in_ring(q, q->at.filled), first = q->size - at;
    if (first > len)
        first = len;
    if (at + first > q->touched)
        q->touched = at + first;
    memcpy(q->ring + at, bytes, first);
    memcpy(q->ring, bytes + first, len - first);
    q->at.filled += len;
}

/* Put a part of the current record, which must not be dropped; it is written bit by bit. */
static void put_patiently(struct output_queue *q, const unsigned char *bytes, size_t len)
{
    while (len > 0 && q->error == 0) {
        size_t room = q->size - (size_t)(q->at.filled - q->at.sent), n = len < room ? len : room;
        if (n > 0) {
            copy_in(q, bytes, n);
            let_go(q);
            bytes += n;
            len -= n;
        } else if (wait_for_progress(q, q->stall_ms) != 0) {
            fail(q, -ETIMEDOUT);
        }
    }
}

/* Put a part of the current record. If there is no room for it, drop the whole record. */
static void put_or_drop(struct output_queue *q, const unsigned char *bytes, size_t len)
{
    if (len > q->size - (size_t)(q->at.filled - q->at.sent) && !q->is_dropping) {
        q->is_dropping = true;
        q->dropped.records++;
        q->dropped.bytes += q->at.filled - q->at.whole;
        q->at.filled = q->at.whole;
    }
    if (q->is_dropping)
        q->dropped.bytes += len;
    else
        copy_in(q, bytes, len);
}

int output_queue_put(struct output_queue *q, const unsigned char *bytes, size_t len)
{
    int error;
    lock_take(&q->lock);
    while (len > 0 && q->error == 0) {
        bool is_end;
        size_t n = hprof_split_take(&q->split, bytes, len, &is_end);
        if (q->is_patient && !q->is_dropping)
            put_patiently(q, bytes, n);
        else
            put_or_drop(q, bytes, n);
        if (is_end && !q->is_dropping)
            let_go(q);
        if (is_end)
            q->is_dropping = false;
        bytes += n;
        len -= n;
    }
    error = q->error;
    lock_give(&q->lock);
    return error;
}

int output_queue_put_whole(struct output_queue *q, const unsigned char *bytes, size_t len)
{
    int error;
    lock_take(&q->lock);
    error = q->error;
    if (!error && q->is_patient)
        put_patiently(q, bytes, len);
    else if (!error && len > q->size - (size_t)(q->at.filled - q->at.sent))
        error = -EAGAIN;
    else if (!error)
        copy_in(q, bytes, len);
    if (!error) {
        let_go(q);
        error = q->error;
    }
    lock_give(&q->lock);
    return error;
}

void output_queue_flush(struct output_queue *q)
{
    lock_take(&q->lock);
    if (!q->is_dropping)
        let_go(q);
    lock_give(&q->lock);
}

int output_queue_put_file(struct output_queue *q, int fd, uint64_t bytes)
{
    int error;
    lock_take(&q->lock);
    while (q->is_patient && q->file_count == OUTPUT_QUEUE_FILES && q->error == 0) {
        if (wait_for_progress(q, q->stall_ms) != 0)
            fail(q, -ETIMEDOUT);
    }
    error = q->error;
    if (!error && q->file_count == OUTPUT_QUEUE_FILES) {
        q->dropped.records++;
        q->dropped.bytes += bytes;
        error = E_LIMIT;
    }
    if (error) {
        close(fd);
    } else {
        q->files[q->file_count].place = q->at.filled;
        q->files[q->file_count].fd = fd;
        q->files[q->file_count].offset = 0;
        q->files[q->file_count++].rest = bytes;
        let_go(q);
    }
    lock_give(&q->lock);
    return error;
}

/*
 * The place of a waiting rewrite of the same sort and offset, or a free place; -1: there is none.
 */
static int rewrite_for(const struct output_queue *q, uint64_t offset, bool is_resize)
{
    int free_one = -1;
    for (int i = OUTPUT_QUEUE_REWRITES - 1; i >= 0; i--) {
        if (!q->rewrites[i].bytes)
            free_one = i;
        else if (q->rewrites[i].offset == offset && (q->rewrites[i].len == 0) == is_resize)
            return i;
    }
    return free_one;
}

int output_queue_rewrite(struct output_queue *q, uint64_t offset, const void *bytes, size_t len)
{
    unsigned char *copy = malloc(len + 1);
    int error, at;
    if (!copy)
        return -ENOMEM;
    if (len > 0)
        memcpy(copy, bytes, len);
    lock_take(&q->lock);
    at = rewrite_for(q, offset, len == 0);
    error = q->error ? q->error : at < 0 ? -EAGAIN : 0;
    if (!error) {
        free(q->rewrites[at].bytes);
        q->rewrites[at].bytes = copy;
        q->rewrites[at].len = len;
        q->rewrites[at].offset = offset;
        q->rewrites[at].place = q->at.filled;
        q->rewrites[at].turn = q->rewriting.turns++;
        pthread_cond_broadcast(&q->changed);
    }
    lock_give(&q->lock);
    if (error)
        free(copy);
    return error;
}

int output_queue_resize(struct output_queue *q, uint64_t length)
{
    return output_queue_rewrite(q, length, NULL, 0);
}

int output_queue_start(struct output_queue *q, uint64_t offset, const void *bytes, size_t len,
                       uint64_t length)
{
    unsigned char *copy = malloc(len);
    int error;
    if (!copy)
        return -ENOMEM;
    memcpy(copy, bytes, len);
    lock_take(&q->lock);
    error = q->error ? q->error : q->start.bytes ? -EAGAIN : 0;
    if (!error) {
        let_go(q);
        q->start.bytes = copy;
        q->start.len = len;
        q->start.offset = offset;
        q->start.length = length;
        q->start.place = q->at.filled;
    }
    lock_give(&q->lock);
    if (error)
        free(copy);
    return error;
}

void output_queue_let_guest(struct output_queue *q, output_queue_turn *turn, void *arg)
{
    lock_take(&q->lock);
    let_go(q);
    q->guest.place = q->at.filled;
    q->guest.is_there = true;
    q->guest.has_turn = false;
    q->guest.turn = turn;
    q->guest.arg = arg;
    lock_give(&q->lock);
}

void output_queue_end_guest(struct output_queue *q)
{
    lock_take(&q->lock);
    q->guest.is_there = q->guest.has_turn = false;
    q->moved++;
    pthread_cond_broadcast(&q->changed);
    lock_give(&q->lock);
}

void output_queue_be_patient(struct output_queue *q, bool is_patient)
{
    lock_take(&q->lock);
    q->is_patient = is_patient;
    lock_give(&q->lock);
}

void output_queue_end(struct output_queue *q)
{
    lock_take(&q->lock);
    let_go(q);
    q->is_ended = true;
    lock_give(&q->lock);
}

uint64_t output_queue_moved(struct output_queue *q)
{
    uint64_t moved;
    lock_take(&q->lock);
    moved = q->moved;
    lock_give(&q->lock);
    return moved;
}

int output_queue_error(struct output_queue *q)
{
    int error;
    lock_take(&q->lock);
    error = q->error;
    lock_give(&q->lock);
    return error;
}

/* The waiting rewrite that came first; -1: none waits. */
static int first_rewrite(const struct output_queue *q)
{
    int first = -1;
    for (int i = 0; i < OUTPUT_QUEUE_REWRITES; i++)
        if (q->rewrites[i].bytes && (first < 0 || q->rewrites[i].turn < q->rewrites[first].turn))
            first = i;
    return first;
}

/* Whether the writer has work before a guest. */
static bool has_work(const struct output_queue *q)
{
    if (q->guest.is_there)
        return !q->guest.has_turn;
    return q->at.sent < q->at.whole || q->file_count > 0 || first_rewrite(q) >= 0 ||
           q->rewriting.is_at_hand || q->start.bytes;
}

int output_queue_settle(struct output_queue *q, int stall_ms)
{
    int error = 0;
    lock_take(&q->lock);
    while (error == 0 && q->error == 0 && has_work(q))
        error = wait_for_progress(q, stall_ms);
    if (error == 0)
        error = q->error;
    lock_give(&q->lock);
    return error;
}

/*
 * The end of the bytes that can be written now: the next file, the guest, another place of the
 * file, or the end.
 */
static uint64_t end_of_bytes(const struct output_queue *q)
{
    uint64_t end = q->file_count > 0 ? q->files[0].place : q->at.whole;
    if (q->start.bytes && q->start.place < end)
        end = q->start.place;
    return q->guest.is_there && q->guest.place < end ? q->guest.place : end;
}

static void hand_rewrite(struct output_queue *q, int at, struct output_queue_piece *ret)
{
    ret->bytes = q->rewrites[at].bytes;
    ret->len = q->rewrites[at].len;
    ret->offset = q->rewrites[at].offset;
    ret->is_rewrite = q->rewriting.is_at_hand = true;
    q->rewrites[at].bytes = NULL;
}

static void hand_start(struct output_queue *q, struct output_queue_piece *ret)
{
    ret->bytes = q->start.bytes;
    ret->len = q->start.len;
    ret->offset = q->start.offset;
    ret->rest = q->start.length;
    ret->is_start = true;
}

/* Take out what is to be written next. Returns 0 if there is nothing now. */
static int take_next(struct output_queue *q, struct output_queue_piece *ret)
{
    size_t at = place_in_ring(q, q->at.sent);
    uint64_t len = end_of_bytes(q) - q->at.sent;
    bool has_file = q->file_count > 0 && q->files[0].place == q->at.sent;
    int rewrite = first_rewrite(q);
    *ret = (struct output_queue_piece){.fd = -1};
    if (len > 0) {
        if (len > q->size - at)
            len = q->size - at;
        ret->len = len < PIECE_MAX ? (size_t)len : PIECE_MAX;
        ret->bytes = q->ring + at;
    } else if (has_file) { /* a queue with files has no guest */
        ret->fd = q->files[0].fd;
        ret->offset = q->files[0].offset;
        ret->rest = q->files[0].rest;
    } else if (q->guest.has_turn) {
        return 0;
    } else if (rewrite >= 0 && q->at.sent >= q->rewrites[rewrite].place) {
        hand_rewrite(q, rewrite, ret);
    } else if (q->start.bytes && q->at.sent == q->start.place) {
        hand_start(q, ret);
    } else if (q->guest.is_there) {
        q->guest.has_turn = true;
        q->moved++;
        q->guest.turn(q->guest.arg);
        pthread_cond_broadcast(&q->changed);
    }
    return ret->bytes || ret->fd >= 0;
}

int output_queue_next(struct output_queue *q, struct output_queue_piece *ret)
{
    int there;
    lock_take(&q->lock);
    while (!(there = q->error == 0 && take_next(q, ret)) && !q->is_ended && q->error == 0)
        pthread_cond_wait(&q->changed, &q->lock.mutex);
    if (q->error)
        close_files(q); /* here no other thread can be reading them */
    lock_give(&q->lock);
    return there;
}

/*
 * Nothing waits: the ring begins at its beginning again, and memory that was used only for a moment
 * is given back.
 */
static void rest(struct output_queue *q)
{
    q->at.base = q->at.filled;
    if (q->touched > KEPT_MAX)
        madvise(q->ring, q->touched, MADV_DONTNEED);
    q->touched = 0;
}

static void file_sent(struct output_queue *q, size_t bytes)
{
    q->files[0].offset += bytes;
    q->files[0].rest -= bytes;
    if (q->files[0].rest > 0)
        return;
    close(q->files[0].fd);
    memmove(q->files, q->files + 1, (size_t)--q->file_count * sizeof(q->files[0]));
}

void output_queue_sent(struct output_queue *q, const struct output_queue_piece *piece, size_t bytes)
{
    lock_take(&q->lock);
    if (piece->is_rewrite) {
        free((void *)(uintptr_t)piece->bytes);
        q->rewriting.is_at_hand = false;
    } else if (piece->is_start) {
        free(q->start.bytes);
        q->start.bytes = NULL;
    } else if (q->error == 0 && piece->bytes) {
        q->at.sent += bytes;
        if (q->at.sent == q->at.filled)
            rest(q);
    } else if (q->error == 0) {
        file_sent(q, bytes);
    }
    q->moved += bytes;
    pthread_cond_broadcast(&q->changed);
    lock_give(&q->lock);
}

void output_queue_fail(struct output_queue *q, int error)
{
    lock_take(&q->lock);
    fail(q, error);
    lock_give(&q->lock);
}

struct output_queue_drops output_queue_drops(struct output_queue *q)
{
    struct output_queue_drops drops;
    lock_take(&q->lock);
    drops = (struct output_queue_drops){.records = q->dropped.records,
                                        .bytes = q->dropped.bytes,
                                        .is_behind = !q->is_patient &&
                                                     q->at.filled - q->at.sent > q->size / 2};
    lock_give(&q->lock);
    return drops;
}
