/*
 * jvmpi_instruction.h - INSTRUCTION_START: each instruction that the interpreter begins.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

/** Get the capabilities that the VM gives only before it runs. Context: OnLoad. */
void jvmpi_instruction_open(void);
/** Turn the event on or off. Errors: 0; E_UNSUPPORTED. Context: java; needs the lock of
 * jvmpi_switch. */
int jvmpi_instruction_on(JNIEnv *env);
void jvmpi_instruction_off(void);
