/*
 * times_cpu.h - clock=cpu: the CPU time of threads, including virtual ones.
 *
 * The kernel has a clock for each OS thread. The clock of a Java thread is the clock of its OS
 * thread plus an offset. When a virtual thread is mounted on another carrier, it gets a new offset,
 * so that its clock goes on where it stood. While a carrier carries a virtual thread, the carrier's
 * own clock stands still. This code knows no JVM. Costs: docs/times.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

/** The clock of a Java thread; all 0 at first. Its thread writes it, any thread may read it. */
struct times_cpu {
    int64_t offset;    /* is added to the clock of the OS thread, in ns */
    int64_t last;      /* its value at the last reading */
    int32_t os_thread; /* the OS thread whose clock it follows; 0: the clock stands still */
};

/** Start, once. Returns 0 if most readings need no system call, otherwise a negative errno. */
int times_cpu_start(void);
/** The time in ns, greater than 0 and never less than before. Context: the Java thread itself. */
int64_t times_cpu_now(struct times_cpu *c);
/** The time in ns of a thread that may run elsewhere. Context: any. */
int64_t times_cpu_now_of(const struct times_cpu *c);
/**
 * The calling OS thread begins to carry a virtual thread; NULL: the virtual thread has no clock.
 */
void times_cpu_mount(struct times_cpu *c);
/** The calling OS thread is about to stop carrying that virtual thread. */
void times_cpu_unmount(struct times_cpu *c);
