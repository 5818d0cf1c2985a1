/*
 * top_page.h - what `hprof top TARGET` shows at one moment: numbers and names, copied.
 *
 * Made by top_jvm.h, turned into text by top_text.h and into JSON by top_json.h. Rates are those
 * since the page before. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum { TOP_PAGE_FRAMES = 16 }; /* of a thread at most */

struct top_thread {
    pid_t tid;
    char os_state; /* of proc(5): R S D T t; '?' not known */
    bool is_java;  /* it is in the VM's list of threads */
    uint8_t frame_count;
    double cpu_percent; /* of one processor */
    double alloc_rate;  /* bytes in a second; 0 of a thread that is not Java's */
    const char *state;  /* of java.lang.Thread: "TIMED_WAITING (sleeping)"; NULL none */
    const char *name;
    const char *no_stack; /* why it has no Java frames, NULL: it has, or there are none */
    const char *frames[TOP_PAGE_FRAMES]; /* class.method, the innermost first */
};

/* The counters of the JVM, and the safepoint that lasts, which they do not have. */
struct top_heap {
    bool is_known; /* the counters */
    bool is_old;   /* `used_bytes` is as of the last collection */
    double used_bytes, size_bytes;
    double pauses, pause_percent;         /* of collections since the page before, of the time */
    double safepoints, safepoint_percent; /* the same, with those of collections */
    double stop_s;        /* how long a stop has lasted that goes on; 0: there is none */
    bool is_stop_waiting; /* the VM waits until all threads have come to it */
};

/* What it costs the JVM to be looked at. */
struct top_looks {
    uint32_t count, failed; /* since the command began */
    uint32_t unread;        /* threads that the last one did not read before its bound was over */
    int error;              /* why the last one of those failed did */
    uint64_t last_ns, longest_ns, whole_ns; /* that all threads stood still */
    double stopped_percent;                 /* of the time since the first look */
    bool is_unstopped;                      /* not for this page, which would have come late, or */
    bool is_late;                           /* whose threads did not all stop */
    double frames_age_s; /* then: how old those of running threads are; negative: there are none */
};

struct top_page {
    pid_t pid;
    const char *name;    /* of its main class */
    const char *version; /* of its JDK, NULL unknown */
    time_t made;
    double uptime_s;    /* negative: unknown */
    double seconds;     /* since the page before */
    double cpu_percent; /* of one processor; with threads that have ended */
    long processors;    /* of the machine, that are on */
    bool has_alloc;     /* the VM tells what was allocated */
    bool has_frames;    /* frames of running threads are read */
    double alloc_rate;
    uint32_t java_count, running_count; /* threads */
    struct top_thread *threads;
    uint32_t count;
    struct top_heap heap;
    struct top_looks looks;
    const struct top_methods *methods; /* by rank */
    double methods_span_s;
};
