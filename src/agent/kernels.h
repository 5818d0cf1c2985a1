/*
 * kernels.h - kernel=y: finds out whether the kernel shows its frames to this process, and if not,
 * why.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct timer_source;

/**
 * Whether threads timed by `source` can have kernel frames. If not, one line says why and what the
 * user can do. Context: any, not signal.
 */
bool kernels_can(const struct timer_source *source);

/** The number in /proc/sys/kernel/`name`; -1 if it cannot be read. Context: any, not signal. */
long kernels_setting(const char *name);
