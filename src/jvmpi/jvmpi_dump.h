/*
 * jvmpi_dump.h - HEAP_DUMP and OBJECT_DUMP, and the records of objects of which both are made.
 *
 * A walk of the VM follows references. For each object it reports first the class, then the values,
 * before it reports the next object. So the record of an object is begun with zeros and then filled
 * in. Data that belongs to a class is kept until the walk has ended.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <jvmti.h>
#include <stdbool.h>
#include "jvmpi/jvmpi_alloc.h"
#include "jvmpi/jvmpi_bytes.h"
#include "jvmpi/jvmpi_layout.h"

/** RequestEvent(HEAP_DUMP): the roots of the heap and all objects that can be reached from them.
 * All objects are in the state of one moment. If `arg` is NULL, the level is 2. Context: java. */
jint jvmpi_dump_heap_request(JNIEnv *env, int agent, const JVMPI_HeapDumpArg *arg);
/** RequestEvent(OBJECT_DUMP): the record of one object. The values are those of one moment.
 * Context: java. */
jint jvmpi_dump_object_request(JNIEnv *env, int agent, jobjectID id);

/* What follows is for jvmpi_dump_heap.c, which adds the roots. */
struct jvmpi_dump;

/** The function that is called for a root, which a dump of the heap has in addition to the records
 * of objects. Context: gc. */
typedef void jvmpi_dump_root(struct jvmpi_dump *d, jvmtiHeapReferenceKind kind,
                             const jvmtiHeapReferenceInfo *info, jobjectID id, bool is_class);

struct jvmpi_dump {
    struct jvmpi_bytes bytes;
    struct jvmpi_layouts layouts;
    struct jvmpi_alloc_found found;
    jint level;
    jvmpi_dump_root *root; /* NULL: the walk visits only the object with which it begins */
    void *arg;             /* belongs to the code that has set `root` */
    jobjectID current;     /* the object whose values come now; NULL: its values are not wanted */
    const struct jvmpi_layout *its;
    jint type;     /* type of the object's elements; JVMPI_NORMAL_OBJECT: it is not an array */
    size_t values; /* offset of the values in `bytes` */
    bool is_stale; /* an object has no record, because its class is newer than the layouts */
};

/** Begin, for a dump of this level. Owner: the caller, by jvmpi_dump_close(). Context: java. */
void jvmpi_dump_open(struct jvmpi_dump *d, JNIEnv *env, jint level);
void jvmpi_dump_close(struct jvmpi_dump *d);
/** Give the dump a record of this class. Returns false if it cannot have one, for example because
 * the class is not prepared. Context: gc. */
bool jvmpi_dump_want_class(struct jvmpi_dump *d, jobjectID id);
/** Walk from an object, or from the roots of the heap if `from` is NULL, and write the records.
 * Before the agent gets the records, it has had every OBJECT_ALLOC it was promised for the objects
 * in them. Returns false if there was no memory. Context: java. */
bool jvmpi_dump_walk(struct jvmpi_dump *d, JNIEnv *env, jobject from);
/** Whether the walk has found classes that were made since it began, so that another walk is
 * needed. If so, the dump is ready to begin again. Context: java. */
bool jvmpi_dump_begin_again(struct jvmpi_dump *d, JNIEnv *env);
