/*
 * alloc_jni.h - objects that native code makes by JNI without a constructor: arrays and strings.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

/** Put the agent's functions into the JNI table in place of the VM's. Errors: 0, -1. Context: java.
 */
int alloc_jni_start(jvmtiEnv *jvmti);
/** Put the VM's functions back. An entry that another agent has replaced since then stays as it is.
 * Context: java. */
void alloc_jni_stop(jvmtiEnv *jvmti);
