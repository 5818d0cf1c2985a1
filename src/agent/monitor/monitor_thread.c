/*
 * monitor_thread.c - see monitor_thread.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/monitor/monitor_thread.h"

struct vm_threads_row monitor_thread_row = {.bytes = sizeof(struct monitor_thread)};
