/*
 * javalock.h - whether a parked thread waits for a lock or for work.
 *
 * Knows the classes of java.util.concurrent and nothing about threads. Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/**
 * Whether a park with a blocker of this class is a wait for a lock. An example of such a class is
 * "java.util.concurrent.Semaphore$FairSync". A park with another blocker waits until something
 * happens, for example until a queue has an element.
 */
bool javalock_is_blocker(const char *class_name);
