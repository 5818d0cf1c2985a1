/*
 * java_deadlocks.h - circles of threads that wait for each other's locks.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct java_locks;

/** Fill `deadlocks` from the rows with a holder. Context: any, not signal. */
void java_deadlocks_find(struct java_locks *l);
