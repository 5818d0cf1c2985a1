/*
 * jvmpi_getenv.h - GetEnv(JVMPI_VERSION_1 ...) is answered.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

/** From now on. All else that GetEnv is asked goes to the VM. Context: any. */
void jvmpi_getenv_open(JavaVM *java);
