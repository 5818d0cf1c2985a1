/*
 * output.h - the place where the profile goes, a file or a connection: its name, its life, and its
 * errors.
 *
 * Writers put bytes into a queue in memory, and a separate thread writes the queue out
 * (output/output_writer.h). So writing never waits, unless output_be_patient() allows waiting.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <limits.h>
#include <stdbool.h>
#include "agent/output/output_held.h"
#include "agent/output/output_queue.h"
#include "base/sink.h"
#include "options/options.h"

struct net;
struct tally;
struct output_writer;

struct output {
    char path[OPTIONS_VALUE + 64]; /* as it was created; host:port of a connection */
    int fd;                        /* of the file; -1 for a connection */
    struct output_held held;       /* whether a command that waits holds the file */
    /* a regular file that was empty at the beginning; not a pipe or a stream */
    bool is_ours;
    struct net *net;              /* the connection, or NULL */
    struct output_writer *writer; /* writes the queue to the file or the connection */
    /* after a failed write: how many bytes of the file can be read; NULL: all */
    uint64_t (*whole)(int fd);
    bool is_stuck;  /* the file takes nothing, and the writer thread never came back */
    int complained; /* a write error has been reported */
    /* records that are left out so far, as of the last output_catch_up() that returned true */
    uint64_t dropped;
    int told_dropped; /* a message has said that records are left out */
    /* name of the file while it is not complete; "": it has its own name */
    char aside[OPTIONS_VALUE + 96];
    struct sink sink;
};

/** The files of the other recordings of this JVM. */
struct output_others {
    const struct output *const *outputs;
    int count;
};

/**
 * Create the file by the rules of file=, force= and expand=, or connect to net=. A file that one of
 * `others` writes is never replaced.
 *
 * Errors: 0, or negative after a message on stderr. Context: any.
 */
int output_create(struct output *o, const struct options *options,
                  const struct output_others *others);
/** Start the thread that writes. Context: any. */
void output_begin(struct output *o);
/**
 * Append all of `bytes` or nothing, for forms other than HPROF that consist of whole pieces.
 * Errors: 0; -EAGAIN no room now; another value: nothing can be written any more.
 */
int output_append(struct output *o, const void *bytes, size_t len);
/** Replace what was appended at `offset`; only if o->is_ours. Errors: as output_append(). */
int output_replace(struct output *o, uint64_t offset, const void *bytes, size_t len);
/**
 * Give the file `length` bytes, after all earlier writes; only if o->is_ours. Errors: as
 * output_append().
 */
int output_resize(struct output *o, uint64_t length);
/**
 * Write `bytes` to `offset` of the file and give the file `length` bytes; what is appended from now
 * on goes behind `bytes`. Only if o->is_ours. Errors: as output_append().
 */
int output_start(struct output *o, uint64_t offset, const void *bytes, size_t len, uint64_t length);
/** The largest size of a piece. */
size_t output_room(const struct output *o);
/**
 * Send the first `bytes` bytes of a file, whole records, over the connection after what is queued.
 * Closes `fd`.
 * Errors: 0; negative: the file is not sent, which has been counted or reported.
 */
int output_insert_file(struct output *o, int fd, uint64_t bytes);
/**
 * Set whether writing may wait when there is no room (until there is no progress for some seconds).
 * It may while the VM starts and ends, but never while the program runs.
 */
void output_be_patient(struct output *o, bool is_patient);
/**
 * Call this before tables are written. If a slow file or peer has missed records, set the quality
 * count in `tally`. Returns whether it has caught up now, so that the records that the tables refer
 * to must be written again.
 */
bool output_catch_up(struct output *o, struct tally *tally);
/** Give everything to the writer thread; the first failure is reported once. */
void output_flush(struct output *o);
/**
 * Wait until the file has everything that was flushed, or takes nothing for some seconds. Does not
 * wait for a peer. Context: the agent's lock not held.
 */
void output_settle(struct output *o);
/** Write the rest as long as the file or peer takes anything, and close. */
void output_close(struct output *o);
/** Free what output_create() has made; after output_close(), or if nothing was begun. */
void output_release(struct output *o);
/**
 * Let another writer use the file's descriptor, behind the bytes that are queued now. The writer
 * thread calls `turn` when the file has those bytes. Later output waits until output_take_back().
 */
void output_lend(struct output *o, output_queue_turn *turn, void *arg);
/** Wait until `turn` was called. Errors: 0; -ETIMEDOUT the file takes nothing; the file's error. */
int output_wait_for_turn(struct output *o);
void output_take_back(struct output *o);
/** A number that grows while the file takes bytes. */
uint64_t output_progress(const struct output *o);
/** 0, or the reason why nothing can be written any more; then `turn` is never called. */
int output_error(const struct output *o);
/**
 * Rename the file to NAME.TMP (NAME.TMP.PID if that exists) while something long is appended. So a
 * file with its own name is always complete to its last record. A file that is not ours (a pipe, a
 * device, a descriptor of the program) keeps its name.
 */
void output_set_aside(struct output *o);
/**
 * Give the file its own name again; works in a forked child. Errors: 0; -EEXIST another file has
 * that name.
 */
int output_bring_back(struct output *o);
/** Give the file its own name again in the parent, whether or not the child has done so. */
void output_end_aside(struct output *o);
/** Cut the file back to `position` bytes, if it is a regular file of ours. */
void output_cut(struct output *o, uint64_t position);
/** The place of the profile: the absolute path of the file, or the name from the options. */
void output_place(const struct output *o, char ret_place[PATH_MAX]);
/** Append "pid TAB text" to the manifest, if the options name one. */
void output_note(const struct options *options, const char *text);
/**
 * Append "pid TAB mark path" to the manifest, if the options name one: mark "+" for a file that is
 * being written, "" for a finished file.
 */
void output_note_manifest(const struct output *o, const struct options *options, const char *mark);
