/*
 * jvmpi_instruction.h - INSTRUCTION_START: each instruction that the interpreter begins.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

/** Get what the VM gives before it runs only. Context: OnLoad. */
void jvmpi_instruction_open(void);
/** Errors: 0; E_UNSUPPORTED. Context: java; needs the lock of jvmpi_switch. */
int jvmpi_instruction_on(JNIEnv *env);
void jvmpi_instruction_off(void);
