/*
 * vm_lookup.h - Java classes, members and calls by name, and no exception left pending.
 *
 * A lookup is a row of questions of which each needs the answers before it. After the first that
 * fails all others answer 0, and vm_lookup_end() tells, so it need be asked once. References that
 * were made in between are gone then; ids of methods and fields stay.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>

struct vm_lookup {
    JNIEnv *env;
    bool has_frame; /* of local references */
    bool failed;
};

/** Begin on the calling thread, which has no exception pending. Context: java. */
struct vm_lookup vm_lookup_begin(JNIEnv *env);
/** Whether all was found and returned; what was thrown is cleared. */
bool vm_lookup_end(struct vm_lookup *l);
/** As vm_lookup_end(), and *ret is a global reference to `kept`, NULL where anything has failed. */
bool vm_lookup_end_with(struct vm_lookup *l, jobject kept, jobject *ret);

/**
 * A class of the boot loader, as "java/lang/Object" or "[I": a local reference; NULL: not there.
 * JNI's FindClass() asks the application's loader first, by Java code that takes monitors, whose
 * owner may be in an event's handler and wait there for what the calling thread holds. This runs
 * no Java code for a loaded class, and initializes none: asking for a method or a field does.
 * What is thrown stays pending. Source: HotSpot jvm.h, JVM_FindClassFromBootLoader. Context: java.
 */
jclass vm_lookup_boot_class(JNIEnv *env, const char *name);
/** The same, in a lookup. */
jclass vm_lookup_class(struct vm_lookup *l, const char *name);
jmethodID vm_lookup_method(struct vm_lookup *l, jclass klass, const char *name, const char *desc);
jmethodID vm_lookup_static_method(struct vm_lookup *l, jclass klass, const char *name,
                                  const char *desc);
jfieldID vm_lookup_field(struct vm_lookup *l, jclass klass, const char *name, const char *type);
/** The value of a static int. */
jint vm_lookup_static_int(struct vm_lookup *l, jclass klass, const char *name);
/** Where a field of an object lies, as Unsafe counts it; `release` is the VM's (vm.h). */
jlong vm_lookup_offset(struct vm_lookup *l, int release, jclass klass, jfieldID field);
/** The value of a static field of a reference type. */
jobject vm_lookup_static_object(struct vm_lookup *l, jclass klass, const char *name,
                                const char *type);
/** What an object's or a static method returns; `method` 0: nothing is called. */
jobject vm_lookup_call_object(struct vm_lookup *l, jobject object, jmethodID method, ...);
jlong vm_lookup_call_long(struct vm_lookup *l, jobject object, jmethodID method, ...);
jobject vm_lookup_call_static_object(struct vm_lookup *l, jclass klass, jmethodID method, ...);
void vm_lookup_call_static(struct vm_lookup *l, jclass klass, jmethodID method, ...);
jobject vm_lookup_new(struct vm_lookup *l, jclass klass, jmethodID constructor, ...);
jstring vm_lookup_string(struct vm_lookup *l, const char *text);
/** Outside of a lookup: clear what a call has thrown. Returns whether there was something. */
bool vm_lookup_clear(JNIEnv *env);
