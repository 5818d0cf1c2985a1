/*
 * top_page.h - one page of `hprof top TARGET`: copied numbers and names.
 *
 * top_jvm.h makes the page, top_write.h writes it. Rates are those
 * since the last page.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum { TOP_PAGE_FRAMES = 16 }; /* greatest number of frames of a thread */

struct top_thread {
    pid_t tid;
    char os_state; /* from proc(5): R S D T t; '?': not known */
    bool is_java;  /* the VM lists it as a Java thread */
    uint8_t frame_count;
    double cpu_percent; /* 100 is one processor */
    double alloc_rate;  /* bytes per second; 0 for a thread that is not a Java thread */
    const char *state;  /* from java.lang.Thread: "TIMED_WAITING (sleeping)"; NULL: none */
    const char *name;
    const char *no_stack; /* why there are no Java frames; NULL: there are, or it runs no Java */
    const char *frames[TOP_PAGE_FRAMES]; /* class.method, the innermost first */
};

/* The counters of the JVM, and the current safepoint, which the counters do not have yet. */
struct top_heap {
    bool is_known; /* the counters are known */
    bool is_old;   /* `used_bytes` is the value after the last collection */
    double used_bytes, size_bytes;
    /* Collections' pauses since the last page, and percent of the time. */
    double pauses, pause_percent;
    /* Safepoints since the last page, with those of collections, and percent of the time. */
    double safepoints, safepoint_percent;
    double stop_s;        /* seconds of the stop that is not over; 0: there is none */
    bool is_stop_waiting; /* the VM still waits for threads to reach the safepoint */
};

/* The cost of the looks for the JVM. */
struct top_looks {
    uint32_t count, failed;                 /* since the command began */
    uint32_t unread;                        /* threads that the last look did not read in time */
    int error;                              /* the error of the last failed look */
    uint64_t last_ns, longest_ns, whole_ns; /* how long all threads stood still */
    double stopped_percent;                 /* percent of the time since the first look */
    bool is_unstopped;   /* this page was made without a stop, which would have been too late */
    bool is_late;        /* the page's look failed: not all threads stopped */
    double frames_age_s; /* without a stop: age of running threads' frames; negative: none */
};

struct top_page {
    pid_t pid;
    const char *name;    /* name of its main class */
    const char *version; /* version of its JDK; NULL: unknown */
    time_t made;
    double uptime_s;    /* negative: unknown */
    double seconds;     /* time since the last page */
    double cpu_percent; /* 100 is one processor; includes threads that have ended */
    long processors;    /* processors of the machine that are on */
    bool has_alloc;     /* the VM tells how much was allocated */
    bool has_frames;    /* the frames of running threads are read */
    double alloc_rate;
    uint32_t java_count, running_count; /* numbers of threads */
    struct top_thread *threads;
    uint32_t count;
    struct top_heap heap;
    struct top_looks looks;
    const struct top_methods *methods; /* sorted by rank */
    double methods_span_s;
};
