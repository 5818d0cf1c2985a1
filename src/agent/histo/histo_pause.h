/*
 * histo_pause.h - the histogram of a heap, counted by JVM TI while the program is stopped.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "heapwalk/heap_find.h"

struct frozen_classes;

/**
 * Count the objects of the listed classes into rows[0 ..], and all other objects into the row
 * behind them. With `is_live` the function first forces a collection and counts the objects that
 * are left. *ret_pause_ns is how long the counting stopped the program.
 * Errors: 0, E_UNSUPPORTED. Context: java, agent's lock not held.
 */
int histo_pause_count(jvmtiEnv *jvmti, const struct frozen_classes *classes, bool is_live,
                      struct heap_find_sum *rows, uint64_t *ret_pause_ns);
