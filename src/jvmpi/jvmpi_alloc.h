/*
 * jvmpi_alloc.h - OBJECT_ALLOC.
 *
 * On JDK 11 and later the VM's allocation sampler tells of each object; on JDK 8 injected code
 * does. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <stdbool.h>
#include <stddef.h>
#include "jvmpi/jvmpi_send.h"

struct jvmpi_thread;

/** Objects that a walk of the heap has given ids. */
struct jvmpi_alloc_found {
    jvmpi_agents promised; /* who is to have the OBJECT_ALLOC of each */
    jobjectID class_class; /* of java.lang.Class */
    jobjectID *all;        /* those that are to be told of, or are classes */
    size_t count, room;
    bool failed; /* no memory: not all have ids */
};

/** Ready to hear of the first object: a thread decides when it is made which it tells of. Nothing
 * where the VM has no sampler, or another agent has it. Context: OnLoad. */
void jvmpi_alloc_open(void);
/** OBJECT_ALLOC is wanted now, or no longer. Errors: 0, E_UNSUPPORTED. Context: java. */
int jvmpi_alloc_on(JNIEnv *env);
void jvmpi_alloc_off(void);
/** Tell the objects that there are to who has wanted it since JVM_OnLoad. Context: java. */
void jvmpi_alloc_replay(JNIEnv *env);
/** The id of an object that an event is about to name: who was promised to has had its OBJECT_ALLOC
 * then. NULL for NULL. Context: java. */
jobjectID jvmpi_alloc_named(JNIEnv *env, jobject object);
/** Tell of what the calling thread has held back: jvmpi_held.h. Context: java. */
void jvmpi_alloc_tell_held(JNIEnv *env);
/** The calling thread ends. */
void jvmpi_alloc_end_thread(struct jvmpi_thread *t);
/** RequestEvent(OBJECT_ALLOC). Context: java. */
jint jvmpi_alloc_request(JNIEnv *env, int agent, jobjectID id);

/* A walk of the heap gives ids to the objects that it finds. */
/** Begin. Context: java. */
void jvmpi_alloc_found_begin(struct jvmpi_alloc_found *f, JNIEnv *env);
/** The walk itself begins, which gives ids. Context: java. */
void jvmpi_alloc_walk_begins(void);
/** The id of an object, by its tag; of what size it is, and of which class, is kept in its record.
 * NULL: no memory. Context: gc. */
jobjectID jvmpi_alloc_found_note(struct jvmpi_alloc_found *f, jlong *tag, jlong class_tag,
                                 jlong size);
/** The walk has ended: tell of what it has found, and forget it. Context: java. */
void jvmpi_alloc_found_tell(struct jvmpi_alloc_found *f, JNIEnv *env);
