/*
 * jvmpi_alloc.h - OBJECT_ALLOC.
 *
 * On JDK 11 and later the VM's allocation sampler reports each object; on JDK 8 injected code does.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <stdbool.h>
#include <stddef.h>
#include "jvmpi/jvmpi_send.h"

struct jvmpi_thread;

/** Objects to which a walk of the heap has given ids. */
struct jvmpi_alloc_found {
    jvmpi_agents promised; /* agents that were promised the OBJECT_ALLOC of each object */
    jobjectID class_class; /* id of java.lang.Class */
    jobjectID *all;        /* objects that are to be told, and objects that are classes */
    size_t count, room;
    bool failed; /* there was no memory: not all objects have ids */
};

/** Prepare for the first object: a thread that is made decides at this moment which of its objects
 * the sampler reports. Nothing happens if the VM has no sampler, or another agent has it. Context:
 * OnLoad. */
void jvmpi_alloc_open(void);
/** Turn OBJECT_ALLOC on or off. Errors: 0, E_UNSUPPORTED. Context: java. */
int jvmpi_alloc_on(JNIEnv *env);
void jvmpi_alloc_off(void);
/** Tell the objects that exist to the agents that have wanted the event since JVM_OnLoad. Context:
 * java. */
void jvmpi_alloc_replay(JNIEnv *env);
/** The id of an object that an event is about to name. After the call every agent that was promised
 * the object's OBJECT_ALLOC has had it. NULL for NULL. Context: java. */
jobjectID jvmpi_alloc_named(JNIEnv *env, jobject object);
/** Tell the objects that the VM has made on the calling thread inside a call of vm/vm_heap.h, and
 * forget them. Context: java, not within such a call; no lock is held, and the thread does not do
 * the bridge's own work. */
void jvmpi_alloc_tell_held(JNIEnv *env);
/** Free what is kept for the calling thread, which ends. */
void jvmpi_alloc_end_thread(struct jvmpi_thread *t);
/** RequestEvent(OBJECT_ALLOC). Context: java. */
jint jvmpi_alloc_request(JNIEnv *env, int agent, jobjectID id);

/* The functions below are for a walk of the heap that gives ids to the objects it finds. */
/** Begin, before the walk. Context: java. */
void jvmpi_alloc_found_begin(struct jvmpi_alloc_found *f, JNIEnv *env);
/** Note that a walk which gives ids begins now. Context: java. */
void jvmpi_alloc_walk_begins(void);
/**
 * The id of an object, by its tag. The object's record keeps its size and its class. NULL: no
 * memory.
 * Context: gc.
 */
jobjectID jvmpi_alloc_found_note(struct jvmpi_alloc_found *f, jlong *tag, jlong class_tag,
                                 jlong size);
/** Tell what the walk has found, and forget it, after the walk has ended. Context: java. */
void jvmpi_alloc_found_tell(struct jvmpi_alloc_found *f, JNIEnv *env);
