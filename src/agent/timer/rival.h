/*
 * rival.h - which signal the timers raise, so that nobody else's is disturbed.
 *
 * Classic signals do not queue: of two that wait for a thread under one number one is thrown away.
 * So two profilers on SIGPROF ruin each other, and each gets a number of its own. SIGPROF, which
 * all take, is the last of ours: a profiler that comes later finds it free, and none of its timers
 * has died meanwhile. From JDK 25 on the VM is a profiler too: its sampler of CPU time (JEP 509)
 * takes SIGPROF when a recording begins, and makes no events if anybody has it by then. Context:
 * any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once

enum { RIVAL_NAME = 16 };

/** The first signal of ours that has no handler in this process. 0: none. */
int rival_free_signal(void);
/** "SIGPROF". */
void rival_signal_name(int signal, char ret[RIVAL_NAME]);
