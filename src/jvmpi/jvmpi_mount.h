/*
 * jvmpi_mount.h - methods that run while a virtual thread is mounted or unmounted.
 *
 * During the mount the VM takes the thread neither for the carrier nor for the virtual thread. It
 * sends no event of JVM TI. A function of JVM TI that looks at the thread's stack waits until the
 * mount is over; on JDK 21 it waits for ever, because it is called from within the mount. So none
 * of these methods gets a probe that calls the agent.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct instrument_method;

/** Whether the method is in jvmpi_mount.def. Context: any. */
bool jvmpi_mount_calls(const struct instrument_method *m);
