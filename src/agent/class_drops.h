/*
 * class_drops.h - classes that a binary file has and the VM has dropped: its UNLOAD CLASS records.
 *
 * JVM TI tells of no unloading, so the classes that are loaded are compared at each dump.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct agent;
struct recording;

/** Tell the file of `r` which of the classes that it names are gone since the last call. Context:
 * java, lock held. */
void class_drops_tell(struct agent *a, struct recording *r, JNIEnv *env);
