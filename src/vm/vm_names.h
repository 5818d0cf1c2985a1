/*
 * vm_names.h - the VM's names of a method and of its class.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stddef.h>

/** The names of a method. The texts are memory of the VM. */
struct vm_names_method {
    jclass klass;      /* local reference */
    char *signature;   /* signature of the class: "Lorg/Acme;" */
    char *name, *desc; /* in the form of class files */
};

/**
 * Get the names of a method. Returns false if the method does not exist any more; then nothing is
 * to be freed.
 * Owner:   the caller frees the names by vm_names_done().
 * Context: java.
 */
bool vm_names_method(jvmtiEnv *jvmti, JNIEnv *env, jmethodID id, struct vm_names_method *ret);
void vm_names_done(jvmtiEnv *jvmti, JNIEnv *env, struct vm_names_method *m);
/** The id by which a method is known. A frame that a thread entered before its class was changed
 * has another id, which stands for the old version of the method. Context: java. */
jmethodID vm_names_known_id(jvmtiEnv *jvmti, JNIEnv *env, jmethodID id);
/** The name of a class as in class files, inside the class's signature. *ret_len 0: the signature
 * is that of an array. */
const char *vm_names_class(const char *signature, size_t *ret_len);
