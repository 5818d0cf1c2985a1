/*
 * jvmpi_bytecode.h - the bytecode of methods as the program's class files have it.
 *
 * What the VM runs may have probes in it, of ours or of another library of ours. The bytecode of a
 * method is asked for when it is met first, with the offset that each instruction would have
 * without them (classfile/unwoven.h), and kept.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

struct jvmpi_bytecode {
    jmethodID method; /* by which agents know it: an old version that still runs has another one */
    uint32_t len;
    const uint8_t *code;     /* as it runs, [len]; NULL: not told, or not to be had */
    const uint16_t *offsets; /* by place; UNWOVEN_NONE: of a probe. NULL: places are offsets */
};

void jvmpi_bytecode_open(void);
/**
 * The bytecode of the method that the calling thread's innermost frame runs, in the version
 * `version` (vm/vm_step.h). Valid until the thread asks again, or jvmpi_bytecode_forget(). Context:
 * java, in a handler of SingleStep.
 */
const struct jvmpi_bytecode *jvmpi_bytecode_of(JNIEnv *env, jmethodID method, uint64_t version);
/** Forget all methods. Nobody uses one, and nobody asks meanwhile. Context: any, not signal. */
void jvmpi_bytecode_forget(void);
/** The calling thread ends. */
void jvmpi_bytecode_end_thread(void);
