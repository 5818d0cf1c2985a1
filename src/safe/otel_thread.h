/*
 * otel_thread.h - the thread context of OpenTelemetry: the trace and the span that a thread works
 * for at this moment, as an SDK in the process publishes them.
 *
 * A library of the SDK exports the thread-local variable otel_thread_ctx_v1. In each thread the
 * variable is NULL, or points to a record: 16 bytes of trace id, 8 bytes of span id, a byte that is
 * 1 if the record is valid, a byte of flags, the size of the attributes as a 16-bit number, and the
 * attributes. The thread changes its record itself, so that its own signal handler finds the record
 * whole or not valid. Source: OpenTelemetry specification, oteps/profiles/4947-thread-ctx.md.
 *
 * What is read, and why the read is safe:
 * - otel_thread_variables, which this library owns. An entry is one word, written at once.
 * - A variable in the static block of thread-local storage lies at a fixed distance from the
 *   thread's own structure, whose address is pthread_self(). The block lives as long as the thread.
 *   This is one plain load.
 * - Any other variable is found in the thread's vector of blocks (DTV), as __tls_get_addr finds it,
 *   but nothing is allocated: a library whose block the thread does not have yet has no record
 *   there. The pointer to the vector lies in the thread's own structure. The vector may be freed
 *   memory for the few instructions in which the interrupted thread replaces it, so the kernel
 *   reads the vector (own_memory.h): the worst result is a record of nonsense in one sample.
 * - The pointer and the record belong to the SDK, which may be wrong or hostile. The kernel reads
 *   the record too. A bad address is no record. At most 28 bytes and OTEL_THREAD_ATTRIBUTES bytes
 *   are read of each of at most OTEL_THREAD_VARIABLES records.
 * Context of everything here: signal, unless said otherwise.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define OTEL_THREAD_SYMBOL "otel_thread_ctx_v1"

enum {
    OTEL_THREAD_VARIABLES = 4, /* libraries that may publish at one time */
    OTEL_THREAD_TRACE = 16,
    OTEL_THREAD_SPAN = 8,
    OTEL_THREAD_ATTRIBUTES = 128, /* bytes of attributes that a sample keeps */
};

/** The begin of a record, in front of its attributes. */
struct otel_thread_head {
    unsigned char trace[OTEL_THREAD_TRACE], span[OTEL_THREAD_SPAN]; /* 0: none */
    uint8_t valid, flags;
    uint16_t attribute_bytes;
};

_Static_assert(sizeof(struct otel_thread_head) == 28, "the specification's head of a record");

/** What a record says. All 0: the thread has no valid record. */
struct otel_thread {
    unsigned char trace[OTEL_THREAD_TRACE], span[OTEL_THREAD_SPAN]; /* 0: none */
    uint32_t attribute_bytes; /* whole attributes: key index, length, text */
    unsigned char attributes[OTEL_THREAD_ATTRIBUTES];
};

/** Where a variable lies: `module` 0 in the static block, else the number of its library. */
struct otel_thread_variable {
    uint32_t module;
    int64_t offset; /* from the thread's structure, or in the library's block */
};

/** How the libc keeps the vectors of blocks. */
struct otel_thread_libc {
    int32_t vector_at; /* the pointer to the vector: bytes from pthread_self() */
    int32_t count_at;  /* the number of the last entry: bytes from the vector */
    uint32_t stride;   /* bytes of an entry */
};

/**
 * Say where the variables are. A row that is the same as before stays as it was, and `count` 0 ends
 * all reads that have not begun. Context: any; one thread at a time. Returns false: a variable lies
 * too far away to be kept.
 */
bool otel_thread_set(const struct otel_thread_variable *variables, uint32_t count,
                     const struct otel_thread_libc *libc);
/** The address of the variable in the thread of this pthread_t; 0: the thread has none yet. */
uint64_t otel_thread_at(const struct otel_thread_variable *variable,
                        const struct otel_thread_libc *libc, uint64_t pthread);
/** Read what the calling thread publishes. */
void otel_thread_read(struct otel_thread *ret);
