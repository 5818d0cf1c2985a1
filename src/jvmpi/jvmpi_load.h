/*
 * jvmpi_load.h - agents that the bridge loads itself: agent=foo:opts.
 *
 * The VM loads the agents of -Xrun and calls their JVM_OnLoad after ours.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>

/**
 * Find the library of the agent `name` (a word, or a path if it has a slash) and its JVM_OnLoad.
 * The search is that of the VM for -Xrun: in the JDK's library folder, then as dlopen does.
 * `options` must live as long as the VM. Errors: 0; -1, and a line says what was tried.
 * Context: OnLoad.
 */
int jvmpi_load_find(const char *name, char *options);
/**
 * Call JVM_OnLoad of the agents that were found. If one fails, the VM ends with a line, as with
 * -Xrun.
 * Context: java, VM_START.
 */
void jvmpi_load_run(JavaVM *java);
