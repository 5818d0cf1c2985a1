/*
 * rival.h - which signal the timers raise, so that nobody else's is disturbed.
 *
 * Classic signals do not queue: of two that wait for a thread under one number one is thrown away.
 * So two profilers on SIGPROF ruin each other, and each gets a number of its own.
 * Context: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once

enum { RIVAL_NAME = 16 };

/** The first signal of ours that has no handler in this process, SIGPROF where that is free. 0:
 * none. */
int rival_free_signal(void);
/** "SIGPROF". */
void rival_signal_name(int signal, char ret[RIVAL_NAME]);
