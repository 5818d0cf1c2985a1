/*
 * class_drops.h - writes UNLOAD CLASS records for classes that the VM has unloaded.
 *
 * JVM TI has no event for unloading, so each dump compares the loaded classes with those in the
 * file.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct agent;
struct recording;

/**
 * Write into the file of `r` which of its classes have been unloaded since the last call. Context:
 * java, lock held.
 */
void class_drops_tell(struct agent *a, struct recording *r, JNIEnv *env);
