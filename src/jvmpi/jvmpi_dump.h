/*
 * jvmpi_dump.h - the record of an object, as a dump has it.
 *
 * A walk of the VM's that follows references says of which class the object is, then what values
 * it has. The record is begun with zeros and filled in; that of a class is written when the walk
 * has ended. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <jvmti.h>
#include <stdbool.h>
#include "jvmpi/jvmpi_alloc.h"
#include "jvmpi/jvmpi_bytes.h"
#include "jvmpi/jvmpi_layout.h"

struct jvmpi_dump {
    struct jvmpi_bytes bytes;
    struct jvmpi_layouts layouts;
    struct jvmpi_alloc_found found;
    jobjectID current; /* whose values come now; NULL: they are not wanted */
    const struct jvmpi_layout *its;
    jint type;     /* of its elements; JVMPI_NORMAL_OBJECT: it is no array */
    size_t values; /* where in `bytes` they lie */
};

/** Begin. Context: java. Owner: the caller, by jvmpi_dump_close(). */
void jvmpi_dump_open(struct jvmpi_dump *d, JNIEnv *env);
void jvmpi_dump_close(struct jvmpi_dump *d);
/** The dump has a record of this class. Context: gc. */
void jvmpi_dump_want_class(struct jvmpi_dump *d, jobjectID id);
/** Write the record of an object. What it names has had what it is to have before. Returns false
 * when there was no memory. Context: java. */
bool jvmpi_dump_walk(struct jvmpi_dump *d, JNIEnv *env, jobject object);
