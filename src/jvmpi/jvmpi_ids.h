/*
 * jvmpi_ids.h - the ids of objects: what a jobjectID is.
 *
 * An id is the object's tag in an environment of our own: a number that the object gets when it is
 * first spoken of and keeps for life, so OBJECT_MOVE never happens. Ids are multiples of 16 and
 * lie below 2^31 while fewer than 134 million objects have one, because agents hash and store them
 * as ints. Behind each id stands a record. Records are never given back to the system; an id whose
 * OBJECT_FREE has been told is used for another object. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <jvmti.h>
#include <stdatomic.h>
#include <stdint.h>
#include "jvmpi/jvmpi_send.h"

enum jvmpi_ids_kind {
    JVMPI_IDS_FREE,   /* the id belongs to nobody */
    JVMPI_IDS_OBJECT, /* which may be a thread */
    JVMPI_IDS_CLASS,  /* a java.lang.Class */
};

struct jvmpi_ids_record {
    jweak ref;                  /* of classes; NULL: none */
    jobjectID class_id;         /* NULL: not known so far */
    uint32_t size;              /* in bytes; 0: not known so far */
    uint8_t kind;               /* enum jvmpi_ids_kind */
    uint8_t type;               /* JVMPI_NORMAL_OBJECT, JVMPI_CLASS ... */
    _Atomic uint8_t told_class; /* agents that had its CLASS_LOAD */
    _Atomic uint8_t told_alloc; /* agents that had its OBJECT_ALLOC */
};

/** Open the environment of tags. Errors: 0, E_UNSUPPORTED. Context: OnLoad. */
int jvmpi_ids_open(void);
/** The environment: the tag of an object is its id as a number, 0: it has none. */
jvmtiEnv *jvmpi_ids_env(void);
/**
 * Hear of each object with an id that is freed, in a pause of the VM: `freed` gets the tag, on JDK
 * 17 and later behind the pause. Errors: 0, E_UNSUPPORTED. Context: OnLoad, before the first id.
 */
int jvmpi_ids_hear_freed(void (*freed)(jlong tag));

/** The id of an object, which gets one if it has none; NULL for NULL, and when there is no memory.
 * Context: java. */
jobjectID jvmpi_ids_of(JNIEnv *env, jobject object);
/** An id for an object that has none and that nobody else knows; NULL: no memory. The caller fills
 * in class_id, size and type. Context: java. */
jobjectID jvmpi_ids_new(jobject object);
/** An id for the tag of an object that a walk of the heap has found without one; 0: no memory.
 * Context: gc. */
jlong jvmpi_ids_new_tag(void);
/** What is known of an id; NULL: it is no id. Context: any, not signal. */
struct jvmpi_ids_record *jvmpi_ids_find(jobjectID id);
/** The object of an id, a new local reference; NULL: it is no id, or the object is gone. Context:
 * java. */
jobject jvmpi_ids_object(JNIEnv *env, jobjectID id);
/** Its OBJECT_FREE has been told: the id may be used again. Context: java. */
void jvmpi_ids_release(JNIEnv *env, jobjectID id);

static inline jobjectID jvmpi_ids_from_tag(jlong tag)
{
    return (jobjectID)(uintptr_t)tag;
}
