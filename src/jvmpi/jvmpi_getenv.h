/*
 * jvmpi_getenv.h - the answer to GetEnv(JVMPI_VERSION_1 ...).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

/**
 * Answer GetEnv for these versions from now on. Every other question to GetEnv goes to the VM.
 * Context: any.
 */
void jvmpi_getenv_open(JavaVM *java);
