/*
 * vm_names.h - what the VM calls a method and its class.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>

/** A method's names. The texts are the VM's memory. */
struct vm_names_method {
    jclass klass;      /* local reference */
    char *signature;   /* of the class: "Lorg/Acme;" */
    char *name, *desc; /* as class files have them */
};

/**
 * Ask for a method's names. Returns false, and nothing is to be freed, where the method is gone.
 * Owner: the caller gives them back by vm_names_done(). Context: java.
 */
bool vm_names_method(jvmtiEnv *jvmti, JNIEnv *env, jmethodID id, struct vm_names_method *ret);
void vm_names_done(jvmtiEnv *jvmti, JNIEnv *env, struct vm_names_method *m);
/**
 * The id by which a method is known: a frame that a thread entered before its class was changed has
 * an id of its own for the old version. Context: java.
 */
jmethodID vm_names_known_id(jvmtiEnv *jvmti, JNIEnv *env, jmethodID id);
/** In a class's signature its name as class files have it; *ret_len 0: it is an array's. */
const char *vm_names_class(const char *signature, size_t *ret_len);
