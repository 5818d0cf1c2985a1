/*
 * injector_looks.h - look at what threads run, to choose among classes.
 *
 * The look gets the stacks of all threads by JVM TI, which stops the program. This stop is short
 * compared with the stop in which a VM up to JDK 11 replaces a class. Context: java.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

/** Call `seen` with the classes of the innermost frames of each thread that runs. */
void injector_looks_take(jvmtiEnv *jvmti, JNIEnv *env, void (*seen)(jvmtiEnv *jvmti, jclass klass));
