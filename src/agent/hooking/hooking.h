/*
 * hooking.h - what engines share whose hooks stand in the imports of libraries: memory, beginning
 * and end, the thread that reads the ring and follows dlopen().
 *
 * The engine has a table of hooks (imports/imports.h), a ring (safe/hookring.h), and a function for
 * a record of that ring. The agent's lock guards the fields, except those that only the thread
 * uses. Context: java, unless said otherwise.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent/agent.h"
#include "imports/imports.h"
#include "safe/bell.h"

struct hooking;
struct hookring;
struct recording;
struct thread;

/** An engine of this kind. */
struct hooking_row {
    const char *event;       /* in messages: "event=io" */
    const char *thread_name; /* of the agent's thread */
    struct hookring *hooks;
    void (*wake)(void); /* rings the bell of the engine's struct hooking. Context: signal */
    /* The struct hooking is the first member of the engine's own. Both need the lock. */
    void (*drain)(struct hooking *h); /* count what is in the ring: calls hooking_read() */
    void (*take_in)(struct hooking *h, const void *record);
    void (*exempt)(void); /* the agent's thread is no part of what is measured; NULL: it may be */
};

struct hooking {
    const struct hooking_row *row;
    struct agent *agent;
    struct imports imports;
    bool running;
    void *ring;
    size_t ring_bytes;
    struct bell wake, stopped;
    _Atomic bool stop;
    _Atomic bool follows; /* the thread looks for libraries; before, hooking_ready() does */
    bool thread_runs;
    uint64_t unwalked_before[AGENT_RECORDINGS]; /* by the places of recordings */
};

/** Have memory for the ring, whose records have `sample_bytes` for the deepest stack, and for the
 * table of threads. Errors: 0; -ENOMEM; E_LIMIT. */
int hooking_map(struct hooking *h, uint64_t ring_bytes, size_t sample_bytes);
/** Say that hooking_map(), or other memory of the engine, failed so. Returns the error. */
int hooking_say_memory(const struct hooking *h, int error);
/** An address in libjvm: one of the functions of its interface. */
const void *hooking_in_vm(const struct agent *a);
/** For engine.load. Errors: 0; E_UNSUPPORTED after saying why. */
int hooking_load(struct hooking *h, struct agent *a);
/** For engine.start: hooks do not work before hooking_ready(). `imports` has the table. Errors: 0;
 * E_UNSUPPORTED after saying why. */
int hooking_start(struct hooking *h, JNIEnv *env, struct imports imports);
/** For engine.ready. The lock must not be held: the linker's lock is taken, and a library that is
 * being loaded may wait for the agent. */
void hooking_ready(struct hooking *h);
void hooking_thread_start(const struct hooking *h, const struct thread *thread);
void hooking_thread_end(const struct hooking *h, const struct thread *thread);
/** A recording begins. */
void hooking_join(struct hooking *h, const struct recording *r);
/** Take in what is in the ring now. Needs the lock. */
void hooking_read(struct hooking *h);
/** Stacks of Java threads without their Java frames, since the recording began. */
uint64_t hooking_unwalked(const struct hooking *h, const struct recording *r);
/** Slots and libraries that have no hooks, though they should. */
uint64_t hooking_unhooked(const struct hooking *h);
/** For engine.stop and engine.release. */
void hooking_stop(struct hooking *h);
int hooking_release(struct hooking *h);
