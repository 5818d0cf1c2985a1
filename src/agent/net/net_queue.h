/*
 * net_queue.h - what waits to be sent to the peer of net=: bounded, whole records only.
 *
 * One side puts the bytes of the profile in as they are written, the writer thread takes them out.
 * A record that does not fit is left out as a whole and counted, so that a peer that is slow or
 * does not read never holds up the application, and what it gets stays readable. Only while the
 * queue is patient (at the end of the VM) does a put wait, as long as the peer takes anything.
 * Files of records (heap dumps) can be put in line without being copied.
 * Knows no JVM and no sockets. Has its own lock, taken after the agent's. Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include "format/hprof_split.h"

enum { NET_QUEUE_FILES = 16 };

/** What the writer thread shall send next. */
struct net_queue_piece {
    const unsigned char *bytes; /* NULL: it is a file */
    size_t len;
    int fd;
    uint64_t offset, rest; /* of the file */
};

struct net_queue {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* anything below; waited for by both sides */
    unsigned char *ring;
    size_t size;
    /* Places in the stream: sent <= whole <= filled <= sent + size. Files take no place. */
    uint64_t sent;  /* the peer's end of the connection has it */
    uint64_t whole; /* where the last whole record ends */
    uint64_t filled;
    struct {
        uint64_t place; /* it goes before the byte of this place */
        int fd;
        uint64_t offset, rest;
    } files[NET_QUEUE_FILES]; /* in order */
    int file_count;
    struct hprof_split split;
    int is_dropping; /* the rest of the record at hand goes nowhere */
    int is_patient;
    int is_ended;   /* nothing more is put in */
    int error;      /* 0, or why nothing can be sent any more */
    uint64_t moved; /* bytes sent, those of files too: does the peer take anything? */
    uint64_t dropped_records, dropped_bytes;
};

struct net_queue_drops {
    uint64_t records, bytes;
    int is_behind; /* more than half of the buffer waits: it would happen again */
};

/** Errors: 0, -ENOMEM. */
int net_queue_init(struct net_queue *q, size_t size);
/** Give everything back. Nobody may use it any more. */
void net_queue_done(struct net_queue *q);

/** Put the next bytes of the stream in. Errors: 0, also when they were dropped; net_queue_fail()'s.
 */
int net_queue_put(struct net_queue *q, const unsigned char *bytes, size_t len);
/** What was put so far is whole, though the text may not show it yet: let it go. */
void net_queue_flush(struct net_queue *q);
/**
 * Put the first `bytes` bytes of a file in, whole records behind a net_queue_flush(). The queue
 * closes `fd`, also after an error. Errors: 0; E_LIMIT too many files wait: dropped and counted;
 * net_queue_fail()'s.
 */
int net_queue_put_file(struct net_queue *q, int fd, uint64_t bytes);
/** Wait for room from now on, in place of dropping; see net_queue_settle(). */
void net_queue_be_patient(struct net_queue *q, int is_patient);
/** Nothing more comes: net_queue_next() ends behind what is there. */
void net_queue_end(struct net_queue *q);
/**
 * Wait until all is sent. Errors: 0; -ETIMEDOUT when the peer took nothing for some seconds;
 * net_queue_fail()'s.
 */
int net_queue_settle(struct net_queue *q);

/** Wait for something to send; 0: there is nothing and nothing will come. For the one writer. */
int net_queue_next(struct net_queue *q, struct net_queue_piece *ret);
/** So much of that piece has been sent. */
void net_queue_sent(struct net_queue *q, const struct net_queue_piece *piece, size_t bytes);
/** Nothing can be sent any more: everything is dropped from now on. `error` is negative. */
void net_queue_fail(struct net_queue *q, int error);

struct net_queue_drops net_queue_drops(struct net_queue *q);
