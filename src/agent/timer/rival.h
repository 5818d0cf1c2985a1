/*
 * rival.h - which signal the timers raise, so that nobody else's is disturbed.
 *
 * Classic signals do not queue: of two that wait for a thread under one number one is thrown away.
 * So two profilers on SIGPROF ruin each other, and each gets a number of its own. From JDK 25 on
 * the VM is a profiler too: its sampler of CPU time (JEP 509) takes SIGPROF when a recording
 * begins, and makes no events if anybody has it by then. Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

enum { RIVAL_NAME = 16 };

/** The first signal of ours that has no handler in this process: SIGPROF where that is free, but
 * the last of them where the VM (of that release of the JDK) may come to want it. 0: none. */
int rival_free_signal(int release);
/** "SIGPROF". */
void rival_signal_name(int signal, char ret[RIVAL_NAME]);
