/*
 * javalock.h - what a thread that parks waits for: a lock, or something to do.
 *
 * Knows the classes of java.util.concurrent and nothing of threads. Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/** Whether a park whose blocker is of this class, "java.util.concurrent.Semaphore$FairSync", is a
 * wait for a lock; parks for other blockers end when something happens. */
bool javalock_is_blocker(const char *class_name);
