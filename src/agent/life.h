/*
 * life.h - the agent begins and ends, as often as it is told to.
 *
 * One beginning or end at a time, whoever asks: a load, a command, the end of a duration, the VM.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>

struct agent;

/** The one agent of this library. Context: any. */
struct agent *life_agent(void);
/**
 * Begin in a running VM, by the option string `line` and, where it is not NULL, `environment`.
 *
 * Errors: 0; E_VM_STATE something runs already; another negative one. All after a message, and then
 * all is as before. Context: java.
 */
int life_begin(struct agent *a, JavaVM *vm, JNIEnv *env, const char *line, const char *environment);
/**
 * Write what there is, close the file, and give everything back. Errors: 0; E_VM_STATE after a
 * message: nothing is measured. Context: java.
 */
int life_stop(struct agent *a, JNIEnv *env);
/** The same, if it still is the recording number `number`; no message. Context: java. */
void life_stop_number(struct agent *a, JNIEnv *env, uint32_t number);
