/*
 * export_stop.h - ends an export from a signal handler.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/** Ends export_run() soon, which then returns -EINTR. Context: signal. */
void export_stop(void);
bool export_stop_is_asked(void);
