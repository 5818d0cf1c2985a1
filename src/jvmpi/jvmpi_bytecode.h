/*
 * jvmpi_bytecode.h - the bytecode of methods as the program's class files have it.
 *
 * The code that the VM runs may have probes of this library or of another library of ours. When a
 * method is met first, the VM is asked for its bytecode, and for each instruction the offset that
 * it would have without the probes is computed (classfile/unwoven.h). The answer is kept.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct jvmpi_bytecode {
    /* the id by which agents know the method; an old version that still runs has another id */
    jmethodID method;
    uint32_t len;
    const uint8_t *code; /* the code that runs, [len]; NULL: not to be told, or not available */
    /* indexed by place; UNWOVEN_NONE: an instruction of a probe. NULL: places are the offsets */
    const uint16_t *offsets;
};

void jvmpi_bytecode_open(void);
/**
 * The bytecode of the method that the calling thread's innermost frame runs, in the version
 * `version` (vm/vm_step.h). Valid until the thread asks again, or until jvmpi_bytecode_forget().
 * Context: java, in a handler of SingleStep.
 */
const struct jvmpi_bytecode *jvmpi_bytecode_of(JNIEnv *env, jmethodID method, uint64_t version);
/** Forget all methods. No thread uses a method or asks for one meanwhile. Context: any, not
 * signal. */
void jvmpi_bytecode_forget(void);
/** Free what is kept for the calling thread, which ends. */
void jvmpi_bytecode_end_thread(void);
