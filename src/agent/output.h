/*
 * output.h - where the profile goes, a file or a connection: its name, its life, and what goes
 * wrong with it.
 *
 * What is written waits in memory and a thread of its own empties that (output/output_writer.h): to
 * write waits for nobody, unless it shall be patient. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <limits.h>
#include "options/options.h"
#include "agent/output/output_held.h"
#include "agent/output/output_queue.h"
#include "base/sink.h"
#include "format/hprof_out.h"

struct net;
struct tally;
struct output_writer;

struct output {
    char path[OPTIONS_VALUE + 64]; /* as it was created; of a connection host:port */
    int fd;                        /* of the file; -1 where there is a connection */
    struct output_held held;       /* by a command that waits for it */
    bool is_ours;                  /* a regular file that began empty, not a pipe or a stream */
    struct net *net;               /* the connection, or NULL */
    struct output_writer *writer;  /* into the file or the connection */
    uint64_t (*whole)(int fd); /* of a file that did not take all: what can be read; NULL: all */
    bool is_stuck;             /* the file takes nothing, and the writer never came back */
    int complained;            /* a write error has been reported */
    uint64_t dropped;          /* records left out so far, as far as hprof_out_again() knows */
    int told_dropped;          /* that records are left out has been reported */
    char aside[OPTIONS_VALUE + 96]; /* its name while it is not complete; "" it has its own */
    struct sink sink;
    struct hprof_out out;
};

/** Where the other recordings of this JVM write. */
struct output_others {
    const struct output *const *outputs;
    int count;
};

/**
 * Create the file by the rules of file=, force= and expand=, or connect to net=. A file that one of
 * `others` writes is none that may be replaced.
 *
 * Errors: 0, or negative after a message on stderr. Context: any.
 */
int output_create(struct output *o, const struct options *options,
                  const struct output_others *others);
/** Write the header; what is written is what `tally` of this profile has. Context: any. */
void output_begin(struct output *o, const struct options *options, struct profile *profile,
                  struct tally *tally, int large_heap);
/**
 * For what is written in another form than HPROF, as pieces that are whole: appends all of `bytes`
 * or none. Errors: 0; -EAGAIN no room by now; another: nothing can be written any more.
 */
int output_append(struct output *o, const void *bytes, size_t len);
/** Replaces what was appended at `offset`, where o->is_ours. Errors: as output_append(). */
int output_replace(struct output *o, uint64_t offset, const void *bytes, size_t len);
/** Where o->is_ours: gives the file `length` bytes, behind all before. Errors: as output_append().
 */
int output_resize(struct output *o, uint64_t length);
/**
 * Where o->is_ours: what is appended from now on goes behind `bytes`, which go to `offset` of the
 * file; with them it gets `length` bytes. Errors: as output_append().
 */
int output_start(struct output *o, uint64_t offset, const void *bytes, size_t len, uint64_t length);
/** How large a piece can be at most. */
size_t output_room(const struct output *o);
/**
 * Put the first `bytes` bytes of a file, whole records, in line for a connection. Closes `fd`.
 * Errors: 0, negative: it will not go, which has been counted or reported.
 */
int output_insert_file(struct output *o, int fd, uint64_t bytes);
/**
 * Whether writing may wait where there is no room (for some seconds without progress at most):
 * while the VM starts and dies, but never while the program runs.
 */
void output_be_patient(struct output *o, bool is_patient);
/**
 * Before tables: if a slow file or peer has missed records and has caught up now, write again what
 * they will refer to, and set the quality count.
 */
void output_catch_up(struct output *o);
/** Let everything go to the writer; the first failure is reported once. */
void output_flush(struct output *o);
/**
 * Wait until the file has what was flushed, or takes nothing for some seconds. Does not wait for a
 * peer. Context: the agent's lock not held.
 */
void output_settle(struct output *o);
/** Write what is left, as long as anything is taken, and close. */
void output_close(struct output *o);
/** Give back what output_create() has taken, after output_close(), or where nothing was begun. */
void output_release(struct output *o);
/**
 * Let somebody else write to the file's descriptor, behind what is there now: `turn` is called, by
 * the writer, when the file has that. What is written here waits until output_take_back().
 */
void output_lend(struct output *o, output_queue_turn *turn, void *arg);
/** Wait for that turn. Errors: 0; -ETIMEDOUT the file takes nothing; the file's error. */
int output_wait_for_turn(struct output *o);
void output_take_back(struct output *o);
/** A number that grows as long as the file takes anything. */
uint64_t output_progress(const struct output *o);
/** 0, or why nothing can be written any more: then no turn will come. */
int output_error(const struct output *o);
/**
 * While something long is appended the file is called NAME.TMP (NAME.TMP.PID where that is taken),
 * so that a file of its own name is always complete to its last record. A file that is none of ours
 * (a pipe, a device, a descriptor of the program's) keeps its name.
 */
void output_set_aside(struct output *o);
/** Give it its name again; works in a forked child. Errors: 0; -EEXIST somebody has that name. */
int output_bring_back(struct output *o);
/** The same in the parent, whatever the child has done: nothing is aside any more. */
void output_end_aside(struct output *o);
/** Forget what was appended since it had `position` bytes, where that can be. */
void output_cut(struct output *o, uint64_t position);
/** Where the profile goes: the file's path from the root, or as the options have it. */
void output_place(const struct output *o, char ret_place[PATH_MAX]);
/** Append "pid TAB text" to the manifest, if the options name one. */
void output_note(const struct options *options, const char *text);
/** The same with the file's path behind `mark`: "+" it is being written, "" it is finished. */
void output_note_manifest(const struct output *o, const struct options *options, const char *mark);
