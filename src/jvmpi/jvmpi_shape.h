/*
 * jvmpi_shape.h - what OBJECT_ALLOC and dumps tell of the objects of a class.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <stdbool.h>

struct jvmpi_shape {
    jobjectID class_id; /* id of the class; NULL: no memory */
    jint type;          /* type of its objects: JVMPI_NORMAL_OBJECT, JVMPI_CLASS, JVMPI_BYTE ... */
    /* the id that OBJECT_ALLOC has; for an array of objects, the class of its elements */
    jobjectID named_id;
    bool is_filtered; /* include= and exclude= leave the objects out of OBJECT_ALLOC */
};

/** The type for the first letter of a signature: JVMPI_INT for 'I'; JVMPI_CLASS if the letter
 * stands for no primitive type. Context: any. */
jint jvmpi_shape_type(char letter);
/** The class of an array's elements, as a global reference; NULL: the VM did not say. Context:
 * java, in jvmpi_self_hush(). */
jclass jvmpi_shape_element(JNIEnv *env, jclass array);
/** The shape of a class. After the call the class and the class of its elements have had their
 * CLASS_LOAD. Context: java. */
struct jvmpi_shape jvmpi_shape_of(JNIEnv *env, jclass klass);
/**
 * The shape of a class for which jvmpi_shape_of() was called before; type -1: it was not.
 * Context: gc.
 */
struct jvmpi_shape jvmpi_shape_known(jobjectID class_id);
