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
#include "agent/heapdump/heapdump_file.h"
#include "agent/heapdump/heapdump_names.h"
#include "agent/recording.h"

/** Of the last dump; shared with the child. */
struct heapdump_result {
    volatile uint64_t objects, heap_bytes, file_bytes;
    volatile uint64_t broken, cut;                      /* references; arrays */
    volatile uint64_t unreachable, skipped, lost_links; /* live=n: objects, bytes, references */
    volatile uint64_t next_string;
    volatile uint32_t next_serial;
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
    struct heapdump_result *result;
    struct heapdump_next *next;                      /* of the recording: one of `all_next` */
    struct heapdump_next all_next[AGENT_RECORDINGS]; /* by place */
    uint64_t pause_ns; /* of the last dump, if it was made inside the pause */
    bool is_in_pause;  /* it was */
    bool is_told;      /* the line about it has been printed */
    bool is_whole;     /* it is in the file */
};
