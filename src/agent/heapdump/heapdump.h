/*
 * heapdump.h - struct heapdump: the data of one heap dump, which all files of this folder share.
 *
 * A heap dump uses the frozen heap (agent/frozen/frozen.h). The forked child writes the objects
 * that it finds (heapdump_write.c). If there is no child, a walk of JVM TI writes the dump inside
 * the pause (heapdump_pause.c). docs/heap-dump.md has the reasons.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "agent/agent.h"
#include "agent/frozen/frozen.h"
#include "agent/recording/recording.h"
#include "base/sink.h"
#include "format/hprof_heap.h"
#include "format/hprof_redact.h"
#include "profile/ids.h"

struct dumpwriter;
struct dumpwriter_known;
struct frozen;

/** Counts of the last dump; shared with the child. */
struct heapdump_result {
    volatile uint64_t objects, heap_bytes, file_bytes;
    volatile uint64_t broken; /* references that led nowhere */
    /* with live=n: objects that cannot be reached, bytes that are no objects, their references that
     * led nowhere */
    volatile uint64_t unreachable, skipped, lost_links;
    volatile uint64_t next_string;
    volatile uint32_t next_serial;
    struct hprof_heap_cuts cuts; /* arrays that were cut; read when the child has ended */
};

/** Tells the writer of the dump when it may write to the agent's file; shared with the child. */
struct heapdump_turn {
    volatile uint64_t position; /* place in the file at which the dump begins */
    _Atomic int has;            /* the file has everything that stands in front of the dump */
    _Atomic int never;          /* the file failed: its negative error; the turn never comes */
};

/** The file to which the dump goes: heapdump_file.c. */
struct heapdump_file {
    struct sink sink;
    struct hprof_heap out;
    unsigned char *buffer; /* the buffer of `out`: HPROF_HEAP_SEGMENT bytes */
    /* descriptor of a file for the dump alone; -1: the agent's file is used */
    int own;
    uint64_t on_disk; /* in the child: bytes of the file that do not wait for the disk any more */
    struct heapdump_turn *turn;
};

/** The ids of the classes: heapdump_names.c. Rows are in the order of struct frozen_classes. */
struct heapdump_names {
    struct dumpwriter_known *known; /* one for each class */
    class_id *rows;                 /* ids of the model; 0: none */
    unsigned char *is_named;        /* indexed by id of the model: a stack names the class */
    /* classes that the child announces; 0: the child does not announce this class */
    class_id *lent;
    uint32_t lent_count;
    unsigned char *announced; /* shared with the child: which classes it has announced */
    size_t announced_bytes;
};

/** The traces of sites, if another recording counts them with deeper traces: heapdump_sites.c.
 * All zero: the traces are as counted. */
struct heapdump_sites {
    uint32_t *serials; /* indexed by site */
    uint32_t count;
};

/** The next free numbers for names and classes that are only in the dumps of a file. */
struct heapdump_next {
    uint64_t string; /* next id of a name */
    uint32_t serial; /* next serial of a class */
};

struct heapdump {
    struct agent *agent;
    struct recording *recording; /* the recording to which the dump belongs */
    struct frozen frozen;
    struct heapdump_file file;
    struct heapdump_names names;
    struct heapdump_sites sites;
    struct heapdump_result *result;
    /* the one of `all_next` that belongs to the recording */
    struct heapdump_next *next;
    struct heapdump_next all_next[AGENT_RECORDINGS]; /* indexed by the recording's place */
    uint64_t pause_ns; /* length of the pause, if the last dump was made inside it */
    bool is_in_pause;  /* the last dump was made inside the pause */
    char why_in_pause[FROZEN_STATUS_WHY];
    bool is_told;  /* the line about the last dump has been printed */
    bool is_whole; /* the last dump is complete in the file */
};

/*
 * heapdump_file.c: the file to which a heap dump goes.
 *
 * A dump goes either to the agent's file, which is lent to the child or to the walk inside the
 * pause, or to a temporary file without a name. When a dump in a temporary file is complete, its
 * bytes are copied into the agent's output.
 */

/**
 * Open the sink of the next dump: the agent's file, from its present end on, or a temporary file. A
 * temporary file is needed if the length of the dump must be known before it is sent (net=, a
 * pipe). Errors: 0 or negative.
 */
int heapdump_file_open(struct heapdump *d);
/** Use a temporary file without a name for this dump. Errors: 0; negative, and the status page's
 * `why` is set. */
int heapdump_file_own(struct heapdump *d);
/** The same, in the folder of the agent's file if that is possible. */
int heapdump_file_beside(struct heapdump *d);
/** Whether the agent's file is a pipe, a terminal or a device. Such a file cannot be positioned,
 * and a write may wait for a reader. */
bool heapdump_file_is_pipe(const struct heapdump *d);
/** Called before a fork: the agent's file gets another name until the dump is complete. */
void heapdump_file_set_aside(struct heapdump *d);
/** Lend the file to the writer of the dump. The turn comes when everything in front of the dump has
 * been written; with a temporary file it comes at once. */
void heapdump_file_lend(struct heapdump *d);
/** In the child: wait for the turn. Errors: 0; -ECANCELED: the parent has ended; the error of the
 * file. */
int heapdump_file_wait(struct heapdump *d);
/** Stop using the sink in this process: the child has it, or the dump has ended. */
void heapdump_file_leave(struct heapdump *d);
/** The dump has ended. If it is not complete, what was written is removed again. The lock is held.
 */
void heapdump_file_settle(struct heapdump *d, bool is_whole);

/*
 * heapdump_names.c: the ids under which the file has the classes of a dump.
 */

/** Take the names of the listed classes (struct frozen_classes). Errors: 0, -ENOMEM. Context: java,
 * lock held. */
int heapdump_names_take(struct heapdump *d);
/** Give back the memory that is kept from one dump to the next. No further dump may follow.
 * Context: any. */
void heapdump_names_done(struct heapdump *d);
/** Note which classes the stacks name. Call this after the last stack to which the dump refers.
 * Errors: 0, -ENOMEM. */
int heapdump_names_note_stacks(struct heapdump *d);
/** If there is no child: the id of class number `i` of the list, whose object has the tag `tag`. */
uint64_t heapdump_names_id(const struct heapdump *d, uint32_t i, uint64_t tag);
/** In the pause: set the ids of the classes from the addresses of their objects. Context: gc. */
void heapdump_names_locate(struct heapdump *d);
/** Write the classes that stacks name, and all stacks, into the file. Called after the fork, or if
 * there is no fork. Lock held. */
void heapdump_names_announce(struct heapdump *d, bool has_child);
/** Note that a dump inside the pause has announced all classes. Lock held. */
void heapdump_names_note_written(struct heapdump *d);
/** In the child, at its end: note which classes the child has announced. */
void heapdump_names_note_child(struct heapdump *d, const struct dumpwriter *w);
/** The child has ended: take back the ids of classes that it has not announced. Lock held. */
void heapdump_names_settle(struct heapdump *d, bool is_whole);

/*
 * heapdump_sites.c: the traces of sites in a heap dump.
 *
 * Sites are counted with the deepest traces that any recording wants. A dump shows them with the
 * depth of its own recording.
 */

/** Make the traces that the dump will refer to. Errors: 0, -ENOMEM. Needs the agent's lock. */
int heapdump_sites_take(struct heapdump *d);
/** Give the memory of the traces back. */
void heapdump_sites_done(struct heapdump *d);
/** The serial of the trace of a site, which may be 0. `arg` is the struct heapdump. Context: any,
 * also a forked child. */
uint32_t heapdump_sites_trace(const void *arg, uint32_t site);

/*
 * heapdump_write.c: writes the frozen heap as the records of a dump, in the child.
 */

/** Write the dump. Errors: 0; those of frozen_find() and dumpwriter_run(), with *ret_why, which is
 * static text or NULL. */
int heapdump_write_run(struct heapdump *d, const char **ret_why);
/** What is zeroed and renamed in the dump. Valid as long as the recording. */
struct hprof_redact_rule heapdump_write_rule(const struct heapdump *d);

/*
 * heapdump_pause.c: a heap dump inside the pause, by JVM TI alone.
 */

/** Write the dump. Errors: 0 or negative. Context: java; the agent's lock is not held, because the
 * function waits for the file. */
int heapdump_pause_write(struct heapdump *d, JNIEnv *env);

/*
 * heapdump_selftest.c: selftest=y: compares the agent's own walk of the heap with the walk of JVM
 * TI.
 */

/** Compare the walks and report the result in a message. Call this before a dump, when its classes
 * are listed. Context: java, lock held. */
void heapdump_selftest_run(struct frozen *f);
