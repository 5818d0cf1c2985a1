/*
 * jvmpi_shape.h - what the objects of a class are, as OBJECT_ALLOC and dumps tell it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <stdbool.h>

struct jvmpi_shape {
    jobjectID class_id; /* of the class; NULL: no memory */
    jint type;          /* of its objects: JVMPI_NORMAL_OBJECT, JVMPI_CLASS, JVMPI_BYTE ... */
    jobjectID named_id; /* that OBJECT_ALLOC gives: the class of the elements if they are objects */
    bool is_filtered;   /* include= and exclude= leave the objects out of OBJECT_ALLOC */
};

/** The type of what a signature begins with: JVMPI_INT for 'I'; JVMPI_CLASS for what is none of the
 * primitive types. Context: any. */
jint jvmpi_shape_type(char letter);
/** The class of an array's elements, a global reference; NULL: it could not be asked. Context:
 * java, in jvmpi_self_hush(). */
jclass jvmpi_shape_element(JNIEnv *env, jclass array);
/** Ask it of a class, which has had its CLASS_LOAD then, and the class of its elements too.
 * Context: java. */
struct jvmpi_shape jvmpi_shape_of(JNIEnv *env, jclass klass);
/** The same of a class that was asked before; type -1: it was not. Context: gc. */
struct jvmpi_shape jvmpi_shape_known(jobjectID class_id);
