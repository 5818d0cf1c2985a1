/*
 * vm.h - the VM that this library is loaded into.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct vm {
    JavaVM *java;
    /* the main environment: it has no tags and no capability that other agents need (vm_env.h) */
    jvmtiEnv *main;
    int release; /* release of the JDK: 8, 11, ... */
};

/**
 * Open the main environment. If the VM is still starting, wait for it, 10 seconds at most.
 * Errors:  0; E_UNSUPPORTED: the VM has no JVM TI 1.2; E_LIMIT: the process has no room for
 *          thread-local variables that handlers may read.
 * Context: OnLoad, or java at attach.
 */
int vm_open(struct vm *vm, JavaVM *java);
/**
 * Close the main environment, which nobody uses any more. Close the other environments before it.
 * One environment that does nothing stays in the VM for good, because a VM that loses its last one
 * writes to freed memory later (vm.c).
 * Context: java, one thread at a time.
 */
void vm_close(struct vm *vm);
/** The JNIEnv of the calling thread; NULL if the VM does not know the thread. Context: any, not
 * signal. */
JNIEnv *vm_jni(const struct vm *vm);
