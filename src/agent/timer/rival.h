/*
 * rival.h - chooses the signal of the timers, so that no other profiler is disturbed.
 *
 * Classic signals do not queue: if two signals of one number wait for a thread, one is thrown away.
 * So two profilers that both use SIGPROF ruin each other's results, and each should use a number of
 * its own. All profilers use SIGPROF, so the agent takes SIGPROF last. A profiler that comes later
 * finds SIGPROF free, and none of its timers has died meanwhile. From JDK 25 on the VM is a
 * profiler too: its sampler of CPU time (JEP 509) takes SIGPROF when a recording begins, and makes
 * no events if SIGPROF is taken by then.
 * Context: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once

enum { RIVAL_NAME = 16 };

/** The first signal of the agent's list without a handler in this process. 0: none. */
int rival_free_signal(void);
/** The same for events that another handler answers (safe/counted.h), beside the timers and the
 * questions of event=wall. */
int rival_second_signal(void);
/** The name of a signal, for example "SIGPROF". */
void rival_signal_name(int signal, char ret[RIVAL_NAME]);
