/*
 * histo_pause.h - the histogram of a heap by JVM TI, inside the pause.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "heapwalk/heap_histo.h"

struct frozen_classes;

/**
 * Count the objects of the listed classes into rows[0 ..], all others into the row behind them.
 * `is_live`: a collection is forced before, and what it left is counted. *ret_pause_ns: how long
 * the program stood for the counting. Errors: 0, E_UNSUPPORTED. Context: java, agent's lock not
 * held.
 */
int histo_pause_count(jvmtiEnv *jvmti, const struct frozen_classes *classes, bool is_live,
                      struct heap_histo_row *rows, uint64_t *ret_pause_ns);
