/*
 * jvmpi_bridge.h - the one bridge of this process, between JVMPI agents and the VM.
 *
 * The functions of JVMPI have no parameter for an environment, so all calls use this one object.
 * Here are also the things of which all parts of the bridge speak: sets of agents, and the lines
 * that libjvmpi.so prints for its user.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "jvmpi/jvmpi_options.h"
#include "vm/vm.h"

enum { JVMPI_AGENTS_MAX = 4 }; /* how many agents one JVM may have */

/** A set of agents, with one bit for each. */
typedef uint32_t jvmpi_agents;

/** The phases of the VM. Until LIVE the events that agents enable are only noted. */
enum jvmpi_phase {
    JVMPI_LOADING, /* no thread may call JVM TI; JVM_OnLoad of -Xrun on JDK 11 and later */
    JVMPI_STARTED, /* Java code runs, but JVM TI knows no threads */
    JVMPI_LIVE,
    JVMPI_OVER, /* JVM_SHUT_DOWN has been sent */
};

struct jvmpi_bridge {
    struct vm vm;
    struct jvmpi_options options;
    _Atomic int phase; /* enum jvmpi_phase */
};

extern struct jvmpi_bridge jvmpi_bridge;

/** Whether the VM runs Java code and answers JVM TI. Context: any. */
static inline bool jvmpi_bridge_is_live(void)
{
    return atomic_load_explicit(&jvmpi_bridge.phase, memory_order_acquire) == JVMPI_LIVE;
}

/** Print a line that begins with "libjvmpi: " on standard error. Context: any, not signal. */
void jvmpi_bridge_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
