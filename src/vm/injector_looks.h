/*
 * injector_looks.h - a look at what threads run, for whoever must choose among classes.
 *
 * JVM TI's stacks of all threads: a stop of the program, short beside that in which a class is
 * replaced, so it is for VMs where the latter is long. Context: java.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

/** Calls `seen` for the class of each of the innermost frames of each thread that runs. */
void injector_looks_take(jvmtiEnv *jvmti, JNIEnv *env, void (*seen)(jvmtiEnv *jvmti, jclass klass));
