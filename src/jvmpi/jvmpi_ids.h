/*
 * jvmpi_ids.h - the ids of objects: what a jobjectID is.
 *
 * An id is the object's tag in an environment of our own. It is a number that the object gets when
 * it is first named and keeps for its life, so OBJECT_MOVE never happens. Ids are multiples of 16.
 * They are below 2^31 while fewer than 134 million objects have one, because agents hash and store
 * ids as ints. Each id has a record. Records are never given back to the system; after its
 * OBJECT_FREE has been sent, an id is used for another object.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <jvmti.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "jvmpi/jvmpi_numbers.h"
#include "jvmpi/jvmpi_send.h"

enum { JVMPI_IDS_STEP = 16 }; /* real agents drop the low four bits of an id before they hash it */

enum jvmpi_ids_kind {
    JVMPI_IDS_FREE,   /* no object has the id */
    JVMPI_IDS_OBJECT, /* an object, which may be a thread */
    JVMPI_IDS_CLASS,  /* a java.lang.Class */
};

/** The data of a class that its mirror does not have. */
struct jvmpi_ids_class {
    struct jvmpi_ids_class *next; /* used by jvmpi_ids.c */
    jweak ref;
    jobjectID element_id;         /* the class of its elements, if these are objects */
    bool is_filtered;             /* its objects are not told: include=, exclude= */
    _Atomic int8_t instance_type; /* JVMPI_NORMAL_OBJECT ...; -1: not known yet */
};

struct jvmpi_ids_record {
    struct jvmpi_ids_class *klass; /* for a class, otherwise NULL; reused, but never given back */
    jobjectID class_id;            /* the object's class; NULL: not known yet */
    uint32_t size;                 /* in bytes; 0: not known yet */
    uint32_t length;               /* length of an array, after a dump has seen it */
    uint8_t kind;                  /* enum jvmpi_ids_kind */
    bool is_tagged_again;          /* the object has got a second tag: jvmpi_ids_tag_again() */
    uint8_t gone;                  /* how many of its two tags were freed */
    _Atomic uint8_t telling_class; /* agents that had its CLASS_LOAD or are getting it */
    _Atomic uint8_t told_class;    /* agents that had its CLASS_LOAD */
    _Atomic uint8_t telling_alloc; /* agents that had its OBJECT_ALLOC or are getting it */
    _Atomic uint8_t told_alloc;    /* agents that had its OBJECT_ALLOC */
};

/** Open the environment of tags. Errors: 0, E_UNSUPPORTED. Context: OnLoad. */
int jvmpi_ids_open(void);
/** The environment; jvmpi_ids_from_tag() makes an id of a tag. Context: any. */
jvmtiEnv *jvmpi_ids_env(void);
/**
 * Call `freed` with the tag of each object with an id that is freed. The call is in a pause of the
 * VM; on JDK 17 and later it is after the pause. Errors: 0, E_UNSUPPORTED.
 * Context: OnLoad, before the first id.
 */
int jvmpi_ids_hear_freed(void (*freed)(jlong tag));

/**
 * The id of an object, which gets one if it has none. NULL for NULL, and if there is no memory.
 * Context: java.
 */
jobjectID jvmpi_ids_of(JNIEnv *env, jobject object);
/** The id that an object has; NULL: it has none. Context: java. */
jobjectID jvmpi_ids_known(jobject object);
/**
 * Give an id to an object that is not a class, has no id and is known to no other thread. The
 * caller fills in the record between the two calls; jvmpi_ids_end() gives the id to the object.
 * Errors:  NULL: no memory; false: the object has not got the id, which is free again.
 * Context: java; `stock` is the caller's own.
 */
struct jvmpi_ids_record *jvmpi_ids_begin(struct jvmpi_numbers_stock *stock, jobjectID *ret_id);
bool jvmpi_ids_end(jobject object, jobjectID id);
/** Load the record of an id into the cache, because it is needed soon. Context: any. */
void jvmpi_ids_prefetch(jobjectID id);
/**
 * A tag with a new id, for an object without a tag that a walk of the heap has found; 0: no memory.
 * Context: gc.
 */
jlong jvmpi_ids_new_tag(void);
/** Whether a class is java.lang.Class, so that its objects are classes. Context: java. */
bool jvmpi_ids_is_class(JNIEnv *env, jclass klass);
/** java.lang.Class, a reference that is never deleted; NULL: not found. Context: java. */
jclass jvmpi_ids_class_of_classes(JNIEnv *env);
/** The id of java.lang.Class; NULL: no memory. Context: java. */
jobjectID jvmpi_ids_of_classes(JNIEnv *env);
/** Note that objects which a walk of the heap has found are classes. Context: java. */
void jvmpi_ids_make_classes(JNIEnv *env, const jobjectID *all, jint count);
/** The record of an id; NULL: this is not an id. Context: any, not signal. */
struct jvmpi_ids_record *jvmpi_ids_find(jobjectID id);
/** The object of an id, as a new local reference; NULL: this is not an id, or the object does not
 * exist any more. Context: java. */
jobject jvmpi_ids_object(JNIEnv *env, jobjectID id);
/**
 * Give an object that has lost its tag another tag for the same id. JDK 22 and later find tags by
 * the hash in an object's header, and a clone gets its header after it was first told. The VM will
 * also report the first tag as freed: jvmpi_ids_is_freed() knows this.
 * Context: java.
 */
void jvmpi_ids_tag_again(jobject object, jobjectID id);
/** Whether the object of a freed tag does not exist any more. Context: any. */
bool jvmpi_ids_is_freed(jlong tag);
/**
 * Release the id of a freed tag, after everything was told of it: the id may be used again.
 * Context: java.
 */
void jvmpi_ids_release(JNIEnv *env, jlong tag);

/** The id for which a tag stands. Context: any. */
static inline jobjectID jvmpi_ids_from_tag(jlong tag)
{
    return (jobjectID)((uintptr_t)tag & ~(uintptr_t)(JVMPI_IDS_STEP - 1));
}
