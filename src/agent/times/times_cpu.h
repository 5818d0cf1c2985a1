/*
 * times_cpu.h - clock=cpu: the CPU time of threads, virtual ones among them.
 *
 * The kernel has a clock for each OS thread. A Java thread's clock is that of the OS thread that it
 * runs on plus an offset. A virtual thread that is mounted on another carrier gets a new offset, so
 * its clock goes on where it stood; a carrier's own clock stands while it carries one. Knows no
 * JVM. Costs: docs/times.md. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

/** The clock of a Java thread; all 0 at first. Its owner writes it, anybody may read it. */
struct times_cpu {
    int64_t offset;    /* to the clock of the OS thread, in ns */
    int64_t last;      /* what it showed when it was last read */
    int32_t os_thread; /* with whose clock it runs; 0: it stands */
};

/** Begin, once. Returns 0 if most readings need no system call, else a negative errno. */
int times_cpu_start(void);
/** Ns, greater than 0, never less than before. Context: the Java thread itself. */
int64_t times_cpu_now(struct times_cpu *c);
/** The same, of a thread that may run elsewhere. Context: any. */
int64_t times_cpu_now_of(const struct times_cpu *c);
/** The calling OS thread begins to carry a virtual thread; NULL: one without a clock. */
void times_cpu_mount(struct times_cpu *c);
/** The calling OS thread is about to carry that virtual thread no longer. */
void times_cpu_unmount(struct times_cpu *c);
