/*
 * jvmpi_alloc_event.h - the event OBJECT_ALLOC: which agents have had that of an object, and which
 * get it now.
 *
 * An agent that was promised the OBJECT_ALLOC of each object gets one for each object: for objects
 * that are made now, for objects that existed before, and for objects that the agent has asked for.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include "jvmpi/jvmpi_send.h"

struct jvmpi_ids_record;
struct jvmpi_thread;

/** The event's data about the object's class. */
struct jvmpi_alloc_kind {
    jobjectID class_id; /* the class; for an array of objects, the class of the elements */
    jint type;          /* JVMPI_NORMAL_OBJECT, or the type of an array */
};

/** Send the event to those of `agents` that have not had it. The object has an id and a size.
 * `object` is NULL if there is no reference to it at hand. Context: java. */
void jvmpi_alloc_event_tell(JNIEnv *env, jobjectID id, jobject object, struct jvmpi_alloc_kind kind,
                            jvmpi_agents agents);
/** Send the event for an object that no agent knows yet. The object's record says already that
 * `agents` are being told. `t` is the record of the calling thread. */
void jvmpi_alloc_event_tell_new(struct jvmpi_thread *t, struct jvmpi_ids_record *r, jobjectID id,
                                jobject object, struct jvmpi_alloc_kind kind, jvmpi_agents agents);
/** Answer the request of an agent, which then has had the event. Context: java. */
void jvmpi_alloc_event_answer(JNIEnv *env, jobjectID id, jobject object,
                              struct jvmpi_alloc_kind kind, int agent);
/** Tell the object of a class that CLASS_LOAD is about to name: after the call every agent that was
 * promised the OBJECT_ALLOC has had it. Nothing happens until somebody has asked what
 * java.lang.Class is. `id` is that of `klass`. Context: java. */
void jvmpi_alloc_event_mirror(JNIEnv *env, jclass klass, jobjectID id);
