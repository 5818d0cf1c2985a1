/*
 * output_queue.h - what waits to be written to the profile's file, or sent to the peer of net=:
 * bounded, whole records only.
 *
 * One side puts the bytes of the profile in as they are made, the writer thread (output_writer.h)
 * takes them out. A record that does not fit is left out as a whole and counted, so that a peer
 * that does not read, or a slow disk, never holds up the application, and what gets there stays
 * readable. Only while the queue is patient (at the end of the VM) does a put wait, as long as
 * anything is taken. Files of records (heap dumps) can be put in line without being copied; a guest
 * (the child that writes a heap dump) can have the file for a while when its turn comes.
 * Knows no JVM, files or sockets. Has its own lock, taken after the agent's. Context: any, not
 * signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include "base/lock.h"
#include "format/hprof_split.h"

enum { OUTPUT_QUEUE_FILES = 16, OUTPUT_QUEUE_REWRITES = 16 };

/** What the writer thread shall write next. */
struct output_queue_piece {
    const unsigned char *bytes; /* NULL: it is a file */
    size_t len;
    bool is_rewrite; /* all of `bytes` replace what was written at `offset`; none: the file shall
                      * have `offset` bytes */
    bool is_start;   /* output_queue_start(); `rest` is the file's length */
    int fd;
    uint64_t offset, rest; /* of the file */
};

/** The guest's turn has come: all that was put in before it is written. Must not block. */
typedef void output_queue_turn(void *arg);

struct output_queue {
    struct lock lock;
    pthread_cond_t changed; /* anything below; waited for by both sides */
    unsigned char *ring;    /* memory that is only touched as far as it is used */
    size_t size, touched;
    struct {
        uint64_t base;  /* what lies where the ring begins */
        uint64_t sent;  /* the file or the connection has it */
        uint64_t whole; /* where the last whole record ends */
        uint64_t filled;
    } at; /* places in the stream: sent <= whole <= filled <= sent + size; files take no place */
    struct {
        uint64_t place; /* it goes before the byte of this place */
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
        unsigned char *bytes; /* owned; NULL none waits */
        size_t len;
        uint64_t place, offset, turn;
    } rewrites[OUTPUT_QUEUE_REWRITES];
    struct {
        uint64_t turns;  /* they go in the order in which they came */
        bool is_at_hand; /* the writer has one, which sent() frees */
    } rewriting;
    struct {
        unsigned char *bytes; /* owned; NULL none waits */
        size_t len;
        uint64_t place, offset, length;
    } start;
    struct hprof_split split;
    int stall_ms;     /* so long may a patient put wait while nothing is taken */
    bool is_dropping; /* the rest of the record at hand goes nowhere */
    bool is_patient;
    bool is_ended;  /* nothing more is put in */
    int error;      /* 0, or why nothing can be sent any more */
    uint64_t moved; /* grows with each byte written: is anything taken? */
    struct {
        uint64_t records, bytes;
    } dropped;
};

struct output_queue_drops {
    uint64_t records, bytes;
    bool is_behind; /* more than half of the buffer waits: it would happen again */
};

/** Errors: 0, -ENOMEM. */
int output_queue_init(struct output_queue *q, size_t size, int stall_ms);
/** Give everything back. Nobody may use it any more. */
void output_queue_done(struct output_queue *q);

/** Put the next bytes of the stream in. Errors: 0, also when they were dropped;
 * output_queue_fail()'s.
 */
int output_queue_put(struct output_queue *q, const unsigned char *bytes, size_t len);
/**
 * Put all of `bytes` in, which are whole, or nothing: for a stream whose records nobody tells from
 * each other here. Errors: 0; -EAGAIN there is no room by now; output_queue_fail()'s.
 */
int output_queue_put_whole(struct output_queue *q, const unsigned char *bytes, size_t len);
/** What was put so far is whole, though the text may not show it yet: let it go. */
void output_queue_flush(struct output_queue *q);
/**
 * Put the first `bytes` bytes of a file in, whole records behind a output_queue_flush(). The queue
 * closes `fd`, also after an error. Errors: 0; E_LIMIT too many files wait: dropped and counted;
 * output_queue_fail()'s.
 */
int output_queue_put_file(struct output_queue *q, int fd, uint64_t bytes);
/**
 * Replace what was put in at `offset` of the stream, once that and all before this call is written.
 * A later one takes the place of one for the same offset that waits. Errors: 0, -ENOMEM; -EAGAIN:
 * too many wait; output_queue_fail()'s.
 */
int output_queue_rewrite(struct output_queue *q, uint64_t offset, const void *bytes, size_t len);
/**
 * Give a file `length` bytes, once that and all before this call is written: more or less than it
 * has. Errors: as output_queue_rewrite().
 */
int output_queue_resize(struct output_queue *q, uint64_t length);
/**
 * What is put from now on goes to another place of a file, behind `bytes`, which go to `offset`;
 * with them the file gets `length` bytes, in as short a time as can be. Errors: 0, -ENOMEM;
 * -EAGAIN: one waits; output_queue_fail()'s.
 */
int output_queue_start(struct output_queue *q, uint64_t offset, const void *bytes, size_t len,
                       uint64_t length);
/** Let a guest in behind what is there; what is put from now on waits until it has left. */
void output_queue_let_guest(struct output_queue *q, output_queue_turn *turn, void *arg);
/** The guest has left, or shall not come any more. */
void output_queue_end_guest(struct output_queue *q);
/** Wait for room from now on, in place of dropping; see output_queue_settle(). */
void output_queue_be_patient(struct output_queue *q, bool is_patient);
/** Nothing more comes: output_queue_next() ends behind what is there. */
void output_queue_end(struct output_queue *q);
/**
 * Wait until all is written, or all before a guest. Errors: 0; -ETIMEDOUT when nothing was taken
 * for `stall_ms`; output_queue_fail()'s.
 */
int output_queue_settle(struct output_queue *q, int stall_ms);
/** A number that grows as long as anything is taken. */
uint64_t output_queue_moved(struct output_queue *q);
/** 0, or why nothing can be sent any more. */
int output_queue_error(struct output_queue *q);

/** Wait for something to send; 0: there is nothing and nothing will come. For the one writer. */
int output_queue_next(struct output_queue *q, struct output_queue_piece *ret);
/** So much of that piece has been sent. */
void output_queue_sent(struct output_queue *q, const struct output_queue_piece *piece,
                       size_t bytes);
/** Nothing can be sent any more: everything is dropped from now on. `error` is negative. */
void output_queue_fail(struct output_queue *q, int error);

struct output_queue_drops output_queue_drops(struct output_queue *q);
