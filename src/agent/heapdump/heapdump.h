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
#include "profile/ids.h"

struct dumpwriter_known;

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

/** The file to which the dump goes: see heapdump_file.h. */
struct heapdump_file {
    struct sink sink;
    struct hprof_heap out;
    unsigned char *buffer; /* the buffer of `out`: HPROF_HEAP_SEGMENT bytes */
    /* descriptor of a file for the dump alone; -1: the agent's file is used */
    int own;
    struct heapdump_turn *turn;
};

/** The ids of the classes: see heapdump_names.h. Rows are in the order of struct frozen_classes. */
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

/** The traces of sites, if another recording counts them with deeper traces: see heapdump_sites.h.
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
