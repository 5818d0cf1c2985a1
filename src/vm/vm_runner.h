/*
 * vm_runner.h - threads of a library in the VM: daemons in the system thread group.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct vm;

/**
 * Start a thread that runs function(jvmti, env, argument); `priority` is a Java thread's, 1 to 10.
 *
 * Errors: 0 and in *ret_thread a global reference to it, which is the caller's; -1 with no
 * exception pending. Context: java, in the live phase.
 */
int vm_runner_start(const struct vm *vm, JNIEnv *env, const char *name, jvmtiStartFunction function,
                    void *argument, jint priority, jobject *ret_thread);
