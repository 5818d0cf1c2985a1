/*
 * rival.h - which signal the timers raise, so that nobody else's is disturbed.
 *
 * Classic signals do not queue: of two that wait for a thread under one number one is thrown away.
 * So two profilers on SIGPROF ruin each other, and each gets a number of its own.
 * Context: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

enum { RIVAL_NAME = 16 };

/**
 * The number of the signal that option signal= names: SIGPROF, PROF, SIGRTMIN+3 or 37. "": 0, which
 * leaves the choice to rival_free_signal(). Errors: -EINVAL; *ret_why is then a text for users.
 */
int rival_signal_named(const char *name, const char **ret_why);
/** The first signal of ours that has no handler in this process, SIGPROF where that is free. 0:
 * none. */
int rival_free_signal(void);
/** "SIGPROF". */
void rival_signal_name(int signal, char ret[RIVAL_NAME]);
