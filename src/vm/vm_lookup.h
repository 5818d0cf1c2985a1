/*
 * vm_lookup.h - Java classes, members and calls by name, without an exception left pending.
 *
 * A lookup is a sequence of questions, each of which needs the answers of the questions before it.
 * After the first question that fails all other answers are 0, and vm_lookup_end() says whether the
 * lookup failed, so the caller asks once. vm_lookup_end() frees the references that were made in
 * the lookup; ids of methods and fields stay valid.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>

struct vm_lookup {
    JNIEnv *env;
    bool has_frame; /* there is a frame of local references */
    bool failed;
};

/** Begin on the calling thread, which has no exception pending. Context: java. */
struct vm_lookup vm_lookup_begin(JNIEnv *env);
/** End the lookup. Returns whether every question was answered. An exception that was thrown is
 * cleared. */
bool vm_lookup_end(struct vm_lookup *l);
/** End the lookup as vm_lookup_end() does. *ret becomes a global reference to `kept`, or NULL if a
 * question has failed. */
bool vm_lookup_end_with(struct vm_lookup *l, jobject kept, jobject *ret);

/**
 * A class of the boot loader, for example "java/lang/Object" or "[I": a local reference; NULL:
 * there is no such class.
 *
 * JNI's FindClass() asks the application's loader first, by Java code that takes monitors. The
 * owner of such a monitor may be in an event's handler and wait there for a lock that the calling
 * thread holds. This function runs no Java code for a loaded class and initializes no class; a
 * question for a method or a field does initialize the class. An exception that is thrown stays
 * pending.
 * Source: HotSpot jvm.h, JVM_FindClassFromBootLoader.
 * Context: java.
 */
jclass vm_lookup_boot_class(JNIEnv *env, const char *name);
/** These functions ask the same in a lookup. */
jclass vm_lookup_class(struct vm_lookup *l, const char *name);
jmethodID vm_lookup_method(struct vm_lookup *l, jclass klass, const char *name, const char *desc);
jmethodID vm_lookup_static_method(struct vm_lookup *l, jclass klass, const char *name,
                                  const char *desc);
jfieldID vm_lookup_field(struct vm_lookup *l, jclass klass, const char *name, const char *type);
/** The value of a static int field. */
jint vm_lookup_static_int(struct vm_lookup *l, jclass klass, const char *name);
/** The offset of a field in an object, as Unsafe counts it; `release` is that of the VM (vm.h). */
jlong vm_lookup_offset(struct vm_lookup *l, int release, jclass klass, jfieldID field);
/** The value of a static field with a reference type. */
jobject vm_lookup_static_object(struct vm_lookup *l, jclass klass, const char *name,
                                const char *type);
/** Call a method and return its result. If `method` is 0, nothing is called. */
jobject vm_lookup_call_object(struct vm_lookup *l, jobject object, jmethodID method, ...);
jlong vm_lookup_call_long(struct vm_lookup *l, jobject object, jmethodID method, ...);
jobject vm_lookup_call_static_object(struct vm_lookup *l, jclass klass, jmethodID method, ...);
void vm_lookup_call_static(struct vm_lookup *l, jclass klass, jmethodID method, ...);
jobject vm_lookup_new(struct vm_lookup *l, jclass klass, jmethodID constructor, ...);
jstring vm_lookup_string(struct vm_lookup *l, const char *text);
/** Clear the exception that a call outside of a lookup has thrown. Returns whether there was
 * one. */
bool vm_lookup_clear(JNIEnv *env);
