/*
 * jvmpi_self.h - what the calling thread remembers of its dealings with agents.
 *
 * A function finds the address of this data by a short call. So code that runs a million times a
 * second asks once and keeps its own data in the thread's record. Context of everything here: any,
 * not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <stdbool.h>

struct jvmpi_thread;

/** An object that is named by an event which the thread is sending. Agents ask for this object in
 * their handlers, and without this note the VM would look at all ids to find it. */
struct jvmpi_named {
    /* the object of the event in whose handler this event is sent */
    const struct jvmpi_named *outer;
    jobjectID id;
    jobject object; /* any reference, valid until the handler returns */
};

struct jvmpi_self {
    struct jvmpi_thread *thread; /* the thread's record; NULL: not looked up, or there is none */
    /* above 0: the thread does the bridge's own work, of which nothing is told */
    int quiet;
    int told;          /* count of events that an agent handles on this thread at the moment */
    int gc_holds;      /* count of DisableGC without EnableGC */
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
