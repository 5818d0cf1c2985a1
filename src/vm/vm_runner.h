/*
 * vm_runner.h - a library's own threads in the VM: daemon threads in the system thread group.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct vm;

/**
 * Start a thread that runs function(jvmti, env, argument). `priority` is that of a Java thread, 1
 * to 10.
 *
 * Errors:  0, and *ret_thread is a global reference to the thread, which the caller owns; -1 with
 *          no exception pending.
 * Context: java, in the live phase.
 */
int vm_runner_start(const struct vm *vm, JNIEnv *env, const char *name, jvmtiStartFunction function,
                    void *argument, jint priority, jobject *ret_thread);
