/*
 * otel_process.h - the process context of OpenTelemetry: the resource that an SDK in a process
 * describes (service.name and other attributes), and the names of the attributes that its threads
 * publish (safe/otel_thread.h).
 *
 * The SDK makes a mapping that /proc/PID/maps shows under a name with OTEL_CTX. The mapping begins
 * with a header: "OTEL_CTX", a version, the size of the payload, the time of the last change, which
 * is 0 during a change, and the address of the payload, a message of Protocol Buffers. A reader
 * looks at the time before and after it copies the payload.
 * Source: OpenTelemetry specification, oteps/profiles/4719-process-ctx.md and 4947-thread-ctx.md.
 *
 * The process may be wrong or hostile: at most OTEL_PROCESS_MAPPINGS headers are looked at and
 * OTEL_PROCESS_PAYLOAD bytes are copied. What is no text of UTF-8, or has control characters, is
 * left out.
 * Context of everything here: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    OTEL_PROCESS_MAPPINGS = 16,
    OTEL_PROCESS_PAYLOAD = 64 << 10,
    OTEL_PROCESS_ATTRIBUTES = 64,
    OTEL_PROCESS_KEYS = 256,  /* the index of a key is one byte */
    OTEL_PROCESS_TEXT = 1024, /* bytes of a key or a value; longer ones are left out */
};

struct otel_process_attribute {
    const char *key, *value;
};

struct otel_process {
    /* of the resource, in the order of the payload: those whose value is a text */
    struct otel_process_attribute attributes[OTEL_PROCESS_ATTRIBUTES];
    uint32_t attribute_count;
    uint32_t left_out; /* attributes of the resource that were too many, or are no text */
    /* names of threads' attributes, by their index; NULL: no name that can be used */
    const char *keys[OTEL_PROCESS_KEYS];
    uint32_t key_count;
    uint64_t header;       /* its address; 0: only a payload was read */
    uint64_t published_ns; /* changes with each change of the context */
    char *texts;           /* owner of all texts; NULL: there are none */
};

/** Where a context is read: 0; negative: the address cannot be read. */
typedef int (*otel_process_read)(void *with, uint64_t addr, void *dst, size_t len);

/**
 * Find and read the context of a process: the first one that can be read. `maps` is its
 * /proc/PID/maps.
 * Errors:  0; of the last one that was tried; E_NOT_FOUND: it has none; -EAGAIN: it changes all the
 * time; -EFAULT; E_TRUNCATED, E_FORMAT: the payload is no message; E_LIMIT: the payload is too
 * large; -ENOMEM. Owner:   otel_process_done(); not needed after an error.
 */
int otel_process_find(FILE *maps, otel_process_read read, void *with, struct otel_process *ret);
/** Read the context whose header is at `addr`. Errors and owner as otel_process_find(). */
int otel_process_at(uint64_t addr, otel_process_read read, void *with, struct otel_process *ret);
/** Read a payload. Errors: 0; E_TRUNCATED; E_FORMAT; -ENOMEM. Owner as otel_process_find(). */
int otel_process_decode(const void *payload, size_t len, struct otel_process *ret);
/** Whether a line of /proc/PID/maps is the mapping of a context; its address. */
bool otel_process_is_mapping(const char *line, uint64_t *ret_addr);
/** Whether the context that was read is still there and has not changed. */
bool otel_process_is_same(const struct otel_process *p, otel_process_read read, void *with);
void otel_process_done(struct otel_process *p);
/** The value of an attribute of the resource; NULL: it has none. */
const char *otel_process_value(const struct otel_process *p, const char *key);
