/*
 * push_how.h - what is asked of a push, and what came of it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "format/otlp.h"

enum { PUSH_ATTRIBUTES = 64, PUSH_HEADER_FILES = 16 };

enum push_to { PUSH_BY_URL, PUSH_OTLP, PUSH_PYROSCOPE };

/** What is asked for. Zeroed: as the environment says (push_setting.h). */
struct push_how {
    const char *command; /* that messages begin with */
    const char *url;     /* NULL: as OTEL_EXPORTER_OTLP_ENDPOINT says */
    enum push_to to;     /* PUSH_BY_URL: a path that ends in /ingest is Pyroscope's */
    const char *header_files[PUSH_HEADER_FILES]; /* files with a header in each line */
    size_t header_file_count;
    const char *compression; /* gzip or none; NULL: as the environment says */
    uint64_t max_bytes;      /* of a request before it is packed; 0: PUSH_MAX_BYTES */
    uint64_t timeout_ns;     /* of a request; 0: as the environment says */
    uint64_t retry_ns;       /* how long a request is tried again; 0: PUSH_RETRY_NS */
    struct otlp_attribute attributes[PUSH_ATTRIBUTES];
    size_t attribute_count;
    /* What the program says of itself; attributes of the environment and those above replace it. */
    struct otlp_attribute said[PUSH_ATTRIBUTES];
    size_t said_count;
    const char *host; /* where the JVMs of the files run; NULL: unknown */
    /* For a caller that sends a file again until it arrives: */
    const unsigned char *id; /* OTLP_TRACE_BYTES, of the first profile; NULL: made by chance */
    bool will_retry; /* ends with the first request that is tried for too long; no samples are no
                      * error */
    bool is_quiet;   /* does not say what may be sent later */
};

#define PUSH_MAX_BYTES (UINT64_C(4) << 20)
#define PUSH_RETRY_NS (UINT64_C(60) * 1000000000)

struct push_result {
    uint64_t requests, retries, bytes;
    uint64_t samples, dropped; /* that arrived, and that did not; of Pyroscope files */
    uint64_t rejected;         /* profiles that a receiver has refused of what arrived */
    uint64_t late;             /* of `dropped`: what a receiver may take later */
    int64_t retry_after_s;     /* how long a receiver wants to be left alone; -1: it does not say */
    bool is_damaged;           /* a file was damaged, which was said */
    bool counts_files;         /* `samples` and `dropped` are files */
};
