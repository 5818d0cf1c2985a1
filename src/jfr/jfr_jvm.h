/*
 * jfr_jvm.h - which JVM a chunk of a JFR file is of, by what its jdk.JVMInformation says.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct jfr_chunk;
struct jfr_record;
struct jfr_type;

enum { JFR_JVM_PROGRAM = 256 };

struct jfr_jvm {
    uint32_t pid;     /* in its own container; 0: unknown */
    int64_t start_ms; /* when the JVM began, since the epoch: two of one pid differ in it */
    char program[JFR_JVM_PROGRAM]; /* the main class, or the name of a jar; "": unknown */
};

/** Whether the chunk says which JVM it is of. It must have been opened with its constants. */
bool jfr_jvm_read(const struct jfr_chunk *c, struct jfr_jvm *ret_jvm);
/** The same of a record of the chunk, which is that event; else false. */
bool jfr_jvm_take(const struct jfr_chunk *c, const struct jfr_type *type,
                  const struct jfr_record *record, struct jfr_jvm *ret_jvm);
/** Whether the two are one: a pid alone is given to many. */
bool jfr_jvm_is(const struct jfr_jvm *a, const struct jfr_jvm *b);
