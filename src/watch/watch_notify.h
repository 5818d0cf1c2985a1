/*
 * watch_notify.h - tells systemd how this process is doing.
 *
 * Without NOTIFY_SOCKET in the environment nothing is told. Source: sd_notify(3), "Standalone
 * Implementations". Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

/** Sends a text such as "READY=1". */
void watch_notify(const char *text);
/** How often systemd wants to hear WATCHDOG=1, in ns; 0: it does not. */
uint64_t watch_notify_period_ns(void);
