/*
 * jvmpi_self.h - what the calling thread remembers of its dealings with agents.
 *
 * Where it lies each function asks by a short call, so what comes a million times a second asks for
 * it once, and keeps what is its own in the thread's record. Context of everything here: any, not
 * signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <stdbool.h>

struct jvmpi_thread;

/** An object that an event names which the thread is telling: agents ask for it then, and the VM
 * would look at all ids that there are to find it. */
struct jvmpi_named {
    const struct jvmpi_named *outer; /* of the event in whose handler this one is told */
    jobjectID id;
    jobject object; /* any reference, good until the handler returns */
};

struct jvmpi_self {
    struct jvmpi_thread *thread; /* its record; NULL: not looked up, or none */
    int quiet;         /* above 0 the thread does the bridge's own work, of which nothing is told */
    int told;          /* events that an agent of this thread is handling at the moment */
    int gc_holds;      /* DisableGC without EnableGC */
    bool is_gc_holder; /* frees wait for this thread's EnableGC */
    const struct jvmpi_named *named; /* the innermost; NULL: none */
};

extern __thread struct jvmpi_self jvmpi_self;

static inline void jvmpi_self_hush(void)
{
    jvmpi_self.quiet++;
}

static inline void jvmpi_self_speak(void)
{
    jvmpi_self.quiet--;
}
