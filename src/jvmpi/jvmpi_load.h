/*
 * jvmpi_load.h - agents that the bridge loads itself: agent=foo:opts.
 *
 * Those of -Xrun are loaded by the VM, which calls their JVM_OnLoad after ours.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

/**
 * Find the library of agent `name` (a word, or a path if it has a slash) and its JVM_OnLoad, as the
 * VM does for -Xrun: in the JDK's library folder, then as dlopen does. `options` must live as long
 * as the VM. Errors: 0; -1 and a line says what was tried. Context: OnLoad.
 */
int jvmpi_load_find(const char *name, char *options);
/** Call JVM_OnLoad of those that were found. One that fails ends the VM with a line, as -Xrun does.
 * Context: java, VM_START. */
void jvmpi_load_run(JavaVM *java);
