/*
 * metric_vm_threads.h - the Java threads of a running VM by their states, and how much they have
 * allocated.
 *
 * Counted are the threads that ThreadMXBean counts: threads of the VM that are hidden from Java,
 * such as compilers, are left out.
 * Source: HotSpot thread.hpp (is_hidden_from_external_view), threadService.cpp
 * (jmm_GetTotalThreadAllocatedMemory).
 * Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct metric_set;
struct metric_vm;

/** Adds the samples. Returns false if the list of threads could not be read. */
bool metric_vm_threads_read(struct metric_vm *vm, struct metric_set *s);
/** Whether a daemon thread of this name is one of the VM that Java does not see. */
bool metric_vm_threads_is_hidden(const char *name);
