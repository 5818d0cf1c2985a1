/*
 * jvmpi_dump.h - the records of objects, which heap dumps and object dumps are made of.
 *
 * A walk of the VM's, which follows references, tells of each object first its class, then its
 * values, before it comes to the next one. The record of an object is begun with zeros and filled
 * in. What belongs to a class is kept until the walk has ended. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <jvmti.h>
#include <stdbool.h>
#include "jvmpi/jvmpi_alloc.h"
#include "jvmpi/jvmpi_bytes.h"
#include "jvmpi/jvmpi_layout.h"

struct jvmpi_dump;

/** What a dump of the heap has beside the records of objects: a root. Context: gc. */
typedef void jvmpi_dump_root(struct jvmpi_dump *d, jvmtiHeapReferenceKind kind,
                             const jvmtiHeapReferenceInfo *info, jobjectID id, bool is_class);

struct jvmpi_dump {
    struct jvmpi_bytes bytes;
    struct jvmpi_layouts layouts;
    struct jvmpi_alloc_found found;
    jint level;
    jvmpi_dump_root *root; /* NULL: the walk stays at the object that it begins with */
    void *arg;             /* of whoever has set `root` */
    jobjectID current;     /* whose values come now; NULL: they are not wanted */
    const struct jvmpi_layout *its;
    jint type;     /* of its elements; JVMPI_NORMAL_OBJECT: it is no array */
    size_t values; /* where in `bytes` they lie */
    bool is_stale; /* an object has no record: its class is newer than the layouts */
};

/** Begin, for a dump of this level. Context: java. Owner: the caller, by jvmpi_dump_close(). */
void jvmpi_dump_open(struct jvmpi_dump *d, JNIEnv *env, jint level);
void jvmpi_dump_close(struct jvmpi_dump *d);
/** Whether the dump has a record of this class: from now on it has, if the class is prepared.
 * Context: gc. */
bool jvmpi_dump_want_class(struct jvmpi_dump *d, jobjectID id);
/** Walk from an object on, or with NULL from the roots of the heap, and write the records. The
 * objects that they name have had what they are to have before. Returns false when there was no
 * memory. Context: java. */
bool jvmpi_dump_walk(struct jvmpi_dump *d, JNIEnv *env, jobject from);
/** Whether the walk has found classes that were made since, and another one is needed: it is ready
 * to begin anew then. Context: java. */
bool jvmpi_dump_begin_again(struct jvmpi_dump *d, JNIEnv *env);
