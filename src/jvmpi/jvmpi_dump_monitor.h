/*
 * jvmpi_dump_monitor.h - MONITOR_DUMP: the threads with their stacks, and who has and wants which
 * monitor. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>

/** Get early what the dump needs. Context: OnLoad. */
void jvmpi_dump_monitor_open(void);
/** RequestEvent(MONITOR_DUMP). Context: java. */
jint jvmpi_dump_monitor_request(JNIEnv *env, int agent);
