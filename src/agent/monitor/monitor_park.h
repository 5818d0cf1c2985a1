/*
 * monitor_park.h - monitor=all: the time in LockSupport.park and its like, by blocker.
 *
 * The VM has no event for it; six methods of java.util.concurrent.locks.LockSupport are given
 * calls of a class of our own. What else was tried: docs/monitor.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct agent;

/** Parks are counted after the next injector_apply(); a failure is said. Context: java, agent's
 * lock not held. */
void monitor_park_start(struct agent *a, JNIEnv *env);
/** Parks are counted no more. */
void monitor_park_stop(void);
/** After monitor_park_stop(), or without a start: nobody is in a park of ours any more. Errors: 0,
 * -EBUSY. Context: java. */
int monitor_park_close(void);
