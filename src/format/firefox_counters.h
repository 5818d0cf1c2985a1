/*
 * firefox_counters.h - what a Firefox Profiler file says about whole processes.
 *
 * The memory and the CPU time of a process are counters, which the profiler draws as tracks below
 * the threads. Facts about the program, the machine and the VM stand in "meta".
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct firefox_thread;
struct profile;
struct sink;

/** Writes the program's arguments and the facts about the machine as fields of "meta", each with a
 * comma in front. */
void firefox_counters_put_facts(struct sink *s, struct profile *p);
/** Writes which VM it was, as a section of "extra" with a comma in front; nothing if the VM is
 * unknown. */
void firefox_counters_put_vm(struct sink *s, struct profile *p);
/**
 * Writes "counters":[...] for the processes of these threads. `first_ns` is time 0 of the file;
 * earlier levels are left out. `first_ns` 0: the file has no times, and the list is empty. Errors:
 * 0; -ENOMEM: nothing was written.
 */
int firefox_counters_put(struct sink *s, struct profile *p, const struct firefox_thread *threads,
                         uint32_t count, uint64_t first_ns);
