/*
 * jfr_jvm.h - which JVM wrote a chunk of a JFR file, from its event jdk.JVMInformation.
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
    uint32_t pid; /* pid in the JVM's own container; 0: unknown */
    /* when the JVM began, in ms since the epoch; differs between two JVMs that had the same pid */
    int64_t start_ms;
    /* the main class, or the name of a jar; "": unknown */
    char program[JFR_JVM_PROGRAM];
};

/**
 * Whether the chunk says which JVM wrote it. The chunk must have been opened with its constants.
 */
bool jfr_jvm_read(const struct jfr_chunk *c, struct jfr_jvm *ret_jvm);
/** Reads the same from one record. Returns false if the record is no jdk.JVMInformation. */
bool jfr_jvm_take(const struct jfr_chunk *c, const struct jfr_type *type,
                  const struct jfr_record *record, struct jfr_jvm *ret_jvm);
/** Whether the two are the same JVM. The start time is compared too, because the system gives a pid
 * again. */
bool jfr_jvm_is(const struct jfr_jvm *a, const struct jfr_jvm *b);
