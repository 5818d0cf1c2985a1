/*
 * asgst_jni.h - the little that is asked of the VM through JNI.
 * Context of everything here: on any thread, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "asgst/asgst_vm.h"
#include <jni.h>

/** The JNIEnv of the calling thread, NULL if not attached. Learns vm->env_offset on the way. */
JNIEnv *asgst_jni_env(struct asgst_vm *vm);
