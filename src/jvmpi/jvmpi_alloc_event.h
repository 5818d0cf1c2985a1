/*
 * jvmpi_alloc_event.h - the event OBJECT_ALLOC: who has had that of an object, and who gets it now.
 *
 * An agent that was promised the OBJECT_ALLOC of each object gets one for each, whether the
 * object is made now, was there before, or was asked for by the agent itself.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include "jvmpi/jvmpi_send.h"

struct jvmpi_ids_record;
struct jvmpi_thread;

/** What the event says of an object's class. */
struct jvmpi_alloc_kind {
    jobjectID class_id; /* the class, or that of the elements of an array of objects */
    jint type;          /* JVMPI_NORMAL_OBJECT, or the type of an array */
};

/** To those of `agents` who have not had it. The object has an id and a size; `object` is NULL
 * where there is no reference to it at hand. Context: java. */
void jvmpi_alloc_event_tell(JNIEnv *env, jobjectID id, jobject object, struct jvmpi_alloc_kind kind,
                            jvmpi_agents agents);
/** The same for an object of which nobody knows so far, whose record says that these are being
 * told. `t` is the calling thread's record. */
void jvmpi_alloc_event_tell_new(struct jvmpi_thread *t, struct jvmpi_ids_record *r, jobjectID id,
                                jobject object, struct jvmpi_alloc_kind kind, jvmpi_agents agents);
/** The answer to the request of an agent, which then has had it. Context: java. */
void jvmpi_alloc_event_answer(JNIEnv *env, jobjectID id, jobject object,
                              struct jvmpi_alloc_kind kind, int agent);
/** The object of a class that CLASS_LOAD is about to name: who was promised to has had its
 * OBJECT_ALLOC then. Nothing as long as nobody has asked what java.lang.Class is. `id` is that of
 * `klass`. Context: java. */
void jvmpi_alloc_event_mirror(JNIEnv *env, jclass klass, jobjectID id);
