/*
 * heapimage_dump.h - writes the objects of a heap that is read from outside into a file in the
 * binary form of HPROF, with the threads and their stacks.
 *
 * Ids have eight bytes and are addresses. Thread number n of the snapshot has the serial n + 1. A
 * trace names its thread, so that readers find the stack of a thread.
 * Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "format/hprof_heap.h"
#include "format/hprof_redact.h"

struct heapimage;
struct sink;

struct heapimage_dump {
    uint64_t objects;    /* records of objects */
    uint64_t lost_links; /* references that were written as null because they led to no object */
    struct hprof_heap_cuts cuts;
};

/** What is written. */
struct heapimage_dump_how {
    int64_t created_ms;              /* the time in the header */
    struct hprof_redact_rule redact; /* what is zeroed and renamed */
    bool leaves_long_arrays;         /* of primitives, without their elements (dumpwriter.h) */
};

/**
 * Write the file. heapimage_find() has succeeded.
 * Errors: 0; -ENOMEM; E_FACT_MISSING; E_LIMIT; the sink's error; h->why says more.
 */
int heapimage_dump_write(struct heapimage *h, struct sink *s, const struct heapimage_dump_how *how,
                         struct heapimage_dump *ret_dump);
