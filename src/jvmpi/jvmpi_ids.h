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
#include <stdbool.h>
#include <stdint.h>
#include "jvmpi/jvmpi_numbers.h"
#include "jvmpi/jvmpi_send.h"

enum { JVMPI_IDS_STEP = 16 }; /* real agents drop the low four bits of an id before they hash it */

enum jvmpi_ids_kind {
    JVMPI_IDS_FREE,   /* the id belongs to nobody */
    JVMPI_IDS_OBJECT, /* which may be a thread */
    JVMPI_IDS_CLASS,  /* a java.lang.Class */
};

/** What is known of a class beside its mirror. */
struct jvmpi_ids_class {
    struct jvmpi_ids_class *next; /* jvmpi_ids.c's */
    jweak ref;
    jobjectID element_id;         /* the class of its elements, if they are objects */
    bool is_filtered;             /* its objects are not to be told: include=, exclude= */
    _Atomic int8_t instance_type; /* JVMPI_NORMAL_OBJECT ...; -1: not known so far */
};

struct jvmpi_ids_record {
    struct jvmpi_ids_class *klass; /* of a class, else NULL; used again, but never given back */
    jobjectID class_id;            /* of the object's class; NULL: not known so far */
    uint32_t size;                 /* in bytes; 0: not known so far */
    uint32_t length;               /* of an array, once a dump has seen it */
    uint8_t kind;                  /* enum jvmpi_ids_kind */
    bool is_tagged_again;          /* jvmpi_ids_tag_again() */
    uint8_t gone;                  /* of its two tags then */
    _Atomic uint8_t telling_class; /* agents that have its CLASS_LOAD or are being told of it */
    _Atomic uint8_t told_class;    /* agents that had its CLASS_LOAD */
    _Atomic uint8_t telling_alloc; /* agents that have its OBJECT_ALLOC or are being told of it */
    _Atomic uint8_t told_alloc;    /* agents that had its OBJECT_ALLOC */
};

/** Open the environment of tags. Errors: 0, E_UNSUPPORTED. Context: OnLoad. */
int jvmpi_ids_open(void);
/** The environment: jvmpi_ids_from_tag() makes an id of a tag. */
jvmtiEnv *jvmpi_ids_env(void);
/**
 * Hear of each object with an id that is freed, in a pause of the VM: `freed` gets the tag, on JDK
 * 17 and later behind the pause. Errors: 0, E_UNSUPPORTED. Context: OnLoad, before the first id.
 */
int jvmpi_ids_hear_freed(void (*freed)(jlong tag));

/** The id of an object, which gets one if it has none; NULL for NULL, and when there is no memory.
 * Context: java. */
jobjectID jvmpi_ids_of(JNIEnv *env, jobject object);
/** The id that an object has; NULL: it has none. Context: java. */
jobjectID jvmpi_ids_known(jobject object);
/**
 * An id for an object that is no class, has none and that nobody else knows: `end` gives it to the
 * object, and before that the caller fills in the record. Errors: NULL, no memory; `end` returns
 * false, and the id is nobody's. Context: java; `stock` is the caller's own.
 */
struct jvmpi_ids_record *jvmpi_ids_begin(struct jvmpi_numbers_stock *stock, jobjectID *ret_id);
bool jvmpi_ids_end(jobject object, jobjectID id);
/** The record of an id is asked for soon. Context: any. */
void jvmpi_ids_prefetch(jobjectID id);
/** An id for the tag of an object that a walk of the heap has found without one; 0: no memory.
 * Context: gc. */
jlong jvmpi_ids_new_tag(void);
/** Whether a class is java.lang.Class, so that its objects are classes. Context: java. */
bool jvmpi_ids_is_class(JNIEnv *env, jclass klass);
/** java.lang.Class, which nobody gives back; NULL: not found. Context: java. */
jclass jvmpi_ids_class_of_classes(JNIEnv *env);
/** The id of java.lang.Class; NULL: no memory. Context: java. */
jobjectID jvmpi_ids_of_classes(JNIEnv *env);
/** Objects that a walk of the heap has found are classes. Context: java. */
void jvmpi_ids_make_classes(JNIEnv *env, const jobjectID *all, jint count);
/** What is known of an id; NULL: it is no id. Context: any, not signal. */
struct jvmpi_ids_record *jvmpi_ids_find(jobjectID id);
/** The object of an id, a new local reference; NULL: it is no id, or the object is gone. Context:
 * java. */
jobject jvmpi_ids_object(JNIEnv *env, jobjectID id);
/**
 * The object has lost its tag and gets another that stands for the same id. JDK 22 and later find
 * tags by the hash in an object's header, which a clone is given after it was first told of. What
 * was tagged first is told as freed, too: jvmpi_ids_is_freed() knows it. Context: java.
 */
void jvmpi_ids_tag_again(jobject object, jobjectID id);
/** Whether the object of a tag that was freed is gone. Context: any. */
bool jvmpi_ids_is_freed(jlong tag);
/** What is to be told of a tag that was freed has been told: its id may be used again. Context:
 * java. */
void jvmpi_ids_release(JNIEnv *env, jlong tag);

/** The id that a tag stands for. Context: any. */
static inline jobjectID jvmpi_ids_from_tag(jlong tag)
{
    return (jobjectID)((uintptr_t)tag & ~(uintptr_t)(JVMPI_IDS_STEP - 1));
}
