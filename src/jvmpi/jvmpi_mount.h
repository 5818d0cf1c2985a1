/*
 * jvmpi_mount.h - methods that run while a virtual thread is mounted or unmounted.
 *
 * The VM takes the thread for neither the carrier nor the virtual thread then. It tells of no event
 * of JVM TI, and a function of JVM TI that looks at the thread's stack waits until that is over: on
 * JDK 21 for ever, for it is called from within. So none of these methods has a probe that calls
 * the agent.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct instrument_method;

/** Whether the method is one of them, by jvmpi_mount.def. Context: any. */
bool jvmpi_mount_calls(const struct instrument_method *m);
