/*
 * heapdump.h - one heap dump: what its parts share.
 *
 * A heap dump is a use of the frozen heap (agent/frozen/frozen.h): the child writes what it sees
 * (heapdump_write.c), or the walk of JVM TI does, inside the pause (heapdump_pause.c).
 * docs/heap-dump.md has the reasons. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "agent/agent.h"
#include "agent/frozen/frozen.h"
#include "agent/recording.h"
#include "base/sink.h"
#include "format/hprof_heap.h"
#include "profile/ids.h"

struct dumpwriter_known;

/** Of the last dump; shared with the child. */
struct heapdump_result {
    volatile uint64_t objects, heap_bytes, file_bytes;
    volatile uint64_t broken;                           /* references */
    volatile uint64_t unreachable, skipped, lost_links; /* live=n: objects, bytes, references */
    volatile uint64_t next_string;
    volatile uint32_t next_serial;
    struct hprof_heap_cuts cuts; /* arrays; read when the child has ended */
};

/** Whose turn it is to write to the agent's file; shared with the child. */
struct heapdump_turn {
    volatile uint64_t position; /* of the file, where the dump begins */
    _Atomic int has;            /* the file has all that comes before the dump */
    _Atomic int never;          /* it never will: the file's error, negative */
};

/** Where the dump goes: heapdump_file.h. */
struct heapdump_file {
    struct sink sink;
    struct hprof_heap out;
    unsigned char *buffer; /* of `out`: HPROF_HEAP_SEGMENT bytes */
    int own;               /* descriptor of a file of its own; -1 the agent's */
    struct heapdump_turn *turn;
};

/** What the classes are called: heapdump_names.h. Rows are in the order of the frozen_classes. */
struct heapdump_names {
    struct dumpwriter_known *known; /* one a class */
    class_id *rows;                 /* of the model; 0 none */
    unsigned char *is_named;        /* by row of the model: a stack names it */
    class_id *lent;                 /* that the child announces; 0: it does not */
    uint32_t lent_count;
    unsigned char *announced; /* shared with the child: what it has */
    size_t announced_bytes;
};

/** The traces of sites, where others count them deeper: heapdump_sites.h. All zero: as counted. */
struct heapdump_sites {
    uint32_t *serials; /* by site */
    uint32_t count;
};

/** What is only in the dumps of a file. */
struct heapdump_next {
    uint64_t string; /* ids of names */
    uint32_t serial; /* of classes */
};

struct heapdump {
    struct agent *agent;
    struct recording *recording; /* of which it is the dump */
    struct frozen frozen;
    struct heapdump_file file;
    struct heapdump_names names;
    struct heapdump_sites sites;
    struct heapdump_result *result;
    struct heapdump_next *next;                      /* of the recording: one of `all_next` */
    struct heapdump_next all_next[AGENT_RECORDINGS]; /* by place */
    uint64_t pause_ns; /* of the last dump, if it was made inside the pause */
    bool is_in_pause;  /* it was */
    char why_in_pause[FROZEN_STATUS_WHY];
    bool is_told;  /* the line about it has been printed */
    bool is_whole; /* it is in the file */
};
