/*
 * output_queue.h - a bounded queue of whole records, to be written to the profile's file or sent to
 * the peer of net=.
 *
 * One side puts in the bytes of the profile as they are made; the writer thread (output_writer.h)
 * takes them out. A record that does not fit is left out as a whole and counted. So a peer that
 * does not read, or a slow disk, never delays the application, and the output stays readable. Only
 * while the queue is patient (at the end of the VM) does a put wait, as long as bytes are taken.
 * Files of records (heap dumps) can be queued without being copied. A guest (the child that writes
 * a heap dump) can use the file for a while when its turn comes.
 * This code knows no JVM, files or sockets. It has its own lock, taken after the agent's. Context:
 * any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/lock.h"
#include "format/hprof_split.h"

enum { OUTPUT_QUEUE_FILES = 16, OUTPUT_QUEUE_REWRITES = 16 };

/** The next piece for the writer thread to write. */
struct output_queue_piece {
    const unsigned char *bytes; /* NULL: the piece is a file */
    size_t len;
    /*
     * all of `bytes` replace what was written at `offset`; with len 0 the file gets `offset` bytes
     */
    bool is_rewrite;
    bool is_start; /* from output_queue_start(); `rest` is the file's length */
    int fd;
    uint64_t offset, rest; /* of the file */
};

/** The guest's turn has come: everything that was put in before it is written. Must not block. */
typedef void output_queue_turn(void *arg);

struct output_queue {
    struct lock lock;
    pthread_cond_t changed; /* signalled after any change below; both sides wait for it */
    unsigned char *ring;    /* its pages are only touched as far as they are used */
    size_t size, touched;
    struct {
        uint64_t base;  /* the place that lies at the beginning of the ring */
        uint64_t sent;  /* the file or the connection has the bytes up to here */
        uint64_t whole; /* where the last whole record ends */
        uint64_t filled;
    } at; /* places in the stream: sent <= whole <= filled <= sent + size; files take no place */
    struct {
        uint64_t place; /* the file goes in front of the byte at this place */
        int fd;
        uint64_t offset, rest;
    } files[OUTPUT_QUEUE_FILES]; /* in order */
    int file_count;
    struct {
        uint64_t place;
        bool is_there, has_turn;
        output_queue_turn *turn;
        void *arg;
    } guest;
    struct {
        unsigned char *bytes; /* owned; NULL: this place is free */
        size_t len;
        uint64_t place, offset, turn;
    } rewrites[OUTPUT_QUEUE_REWRITES];
    struct {
        /* number of the next rewrite: they are written in the order in which they came */
        uint64_t turns;
        bool is_at_hand; /* the writer has taken one, which output_queue_sent() frees */
    } rewriting;
    struct {
        unsigned char *bytes; /* owned; NULL: none waits */
        size_t len;
        uint64_t place, offset, length;
    } start;
    struct hprof_split split;
    int stall_ms;     /* how long a patient put may wait while nothing is taken */
    bool is_dropping; /* the rest of the current record is dropped */
    bool is_patient;
    bool is_ended;  /* nothing more is put in */
    int error;      /* 0, or why nothing can be sent any more */
    uint64_t moved; /* grows with each byte that is written */
    struct {
        uint64_t records, bytes;
    } dropped;
};

struct output_queue_drops {
    uint64_t records, bytes;
    bool is_behind; /* more than half of the buffer waits, so records would be left out again */
};

/** Errors: 0, -ENOMEM. */
int output_queue_init(struct output_queue *q, size_t size, int stall_ms);
/** Free everything. No other thread may use the queue any more. */
void output_queue_done(struct output_queue *q);

/**
 * Put in the next bytes of the stream. Errors: 0, also if they were dropped; the error of
 * output_queue_fail().
 */
int output_queue_put(struct output_queue *q, const unsigned char *bytes, size_t len);
/**
 * Put in all of `bytes`, which are whole, or nothing: for a stream whose records this queue cannot
 * tell from each other. Errors: 0; -EAGAIN there is no room now; the error of output_queue_fail().
 */
int output_queue_put_whole(struct output_queue *q, const unsigned char *bytes, size_t len);
/** Everything put in so far is whole, even if the text does not show it: let the writer have it. */
void output_queue_flush(struct output_queue *q);
/**
 * Queue the first `bytes` bytes of a file: whole records; call output_queue_flush() first. The
 * queue closes `fd`, also after an error.
 * Errors: 0; E_LIMIT too many files wait: dropped and counted; the error of output_queue_fail().
 */
int output_queue_put_file(struct output_queue *q, int fd, uint64_t bytes);
/**
 * Replace what was put in at `offset` of the stream, after that and everything else before this
 * call was written. A later call replaces a waiting one for the same offset.
 * Errors: 0, -ENOMEM; -EAGAIN: too many wait; the error of output_queue_fail().
 */
int output_queue_rewrite(struct output_queue *q, uint64_t offset, const void *bytes, size_t len);
/**
 * Give a file `length` bytes, after everything before this call was written; the file may grow or
 * shrink. Errors: as output_queue_rewrite().
 */
int output_queue_resize(struct output_queue *q, uint64_t length);
/**
 * Write `bytes` to `offset` of a file, and give the file `length` bytes, within as short a time as
 * possible. What is put in from now on goes behind `bytes`.
 * Errors: 0, -ENOMEM; -EAGAIN: one waits; the error of output_queue_fail().
 */
int output_queue_start(struct output_queue *q, uint64_t offset, const void *bytes, size_t len,
                       uint64_t length);
/**
 * Queue a guest behind what is there; what is put in from now on waits until the guest has left.
 */
void output_queue_let_guest(struct output_queue *q, output_queue_turn *turn, void *arg);
/** The guest has left, or must not come any more. */
void output_queue_end_guest(struct output_queue *q);
/** Set whether a put waits for room, or drops records; see output_queue_settle(). */
void output_queue_be_patient(struct output_queue *q, bool is_patient);
/** Nothing more is put in: output_queue_next() ends after what is there. */
void output_queue_end(struct output_queue *q);
/**
 * Wait until everything is written, or everything before a guest.
 * Errors: 0; -ETIMEDOUT if nothing was taken for `stall_ms`; the error of output_queue_fail().
 */
int output_queue_settle(struct output_queue *q, int stall_ms);
/** A number that grows while bytes are taken. */
uint64_t output_queue_moved(struct output_queue *q);
/** 0, or the reason why nothing can be sent any more. */
int output_queue_error(struct output_queue *q);

/**
 * Wait for something to send; 0: there is nothing, and nothing will come. For the one writer
 * thread.
 */
int output_queue_next(struct output_queue *q, struct output_queue_piece *ret);
/** `bytes` bytes of that piece have been sent. */
void output_queue_sent(struct output_queue *q, const struct output_queue_piece *piece,
                       size_t bytes);
/** Nothing can be sent any more: from now on everything is dropped. `error` is negative. */
void output_queue_fail(struct output_queue *q, int error);

struct output_queue_drops output_queue_drops(struct output_queue *q);
