/*
 * firefox_counters.h - what a Firefox Profiler file says of processes as a whole: the memory and
 * the CPU time of processes as counters of a Firefox Profiler file: tracks of their own below the
 * threads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

struct firefox_thread;
struct profile;
struct sink;

/** What the program's arguments and the machine are, as fields of "meta", with a comma before. */
void firefox_counters_put_facts(struct sink *s, struct profile *p);
/** Which VM it was, as a section of "extra" behind others, if that is known. */
void firefox_counters_put_vm(struct sink *s, struct profile *p);
/**
 * Writes "counters":[...], of the processes of these threads, from `first_ns` on, which is the time
 * 0 of the file; 0: there are no times, and so no counters. Errors: 0, -ENOMEM; then nothing was
 * written.
 */
int firefox_counters_put(struct sink *s, struct profile *p, const struct firefox_thread *threads,
                         uint32_t count, uint64_t first_ns);
