/*
 * jvmpi_dump_monitor.h - MONITOR_DUMP: the threads with their stacks, and for each monitor the
 * threads that own it, want it and wait for it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>

/** Get the capabilities for the dump while the VM still gives them. Context: OnLoad. */
void jvmpi_dump_monitor_open(void);
/** RequestEvent(MONITOR_DUMP). Context: java. */
jint jvmpi_dump_monitor_request(JNIEnv *env, int agent);
