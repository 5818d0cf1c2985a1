/*
 * alloc_jni.h - objects that native code makes by JNI without a constructor: arrays and strings.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

/** Put our functions in front of the VM's. Errors: 0, -1. Context: java. */
int alloc_jni_start(jvmtiEnv *jvmti);
/** The VM's again, but where somebody else has put theirs before ours. Context: java. */
void alloc_jni_stop(jvmtiEnv *jvmti);
