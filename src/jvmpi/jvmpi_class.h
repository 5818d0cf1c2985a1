/*
 * jvmpi_class.h - CLASS_LOAD and CLASS_UNLOAD.
 *
 * A class is told when it is prepared, for before that it has no methods; those of arrays and of
 * primitive types are told when another event names them. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <stdbool.h>
#include "jvmpi/jvmpi_send.h"

/** CLASS_LOAD is wanted now, or no longer. Errors: 0, E_UNSUPPORTED. Context: java. */
int jvmpi_class_on(JNIEnv *env);
void jvmpi_class_off(void);
/** The same of CLASS_UNLOAD: only a class that has an id is told to be gone. */
int jvmpi_class_unload_on(JNIEnv *env);
void jvmpi_class_unload_off(void);
/** Tell all classes that are loaded, arrays and primitive types with them, to who has wanted it
 * since JVM_OnLoad and has not had them. Context: java. */
void jvmpi_class_replay(JNIEnv *env);
/** Tell the classes that were prepared while a thread did the bridge's own work, if there are any:
 * who changes classes has the VM link them. Context: java; no lock is held. */
void jvmpi_class_catch_up(JNIEnv *env);
/** Call `each` for all classes whose status has one of these bits of JVM TI's; 0: for all. Context:
 * java. */
void jvmpi_class_visit(JNIEnv *env, jint status, void (*each)(JNIEnv *env, jclass klass, void *arg),
                       void *arg);
/** The same for the classes of primitive types, which are in no list of the VM's. Context: java. */
void jvmpi_class_visit_primitives(JNIEnv *env, void (*each)(JNIEnv *env, jclass klass, void *arg),
                                  void *arg);
/** JVM TI's: JVMTI_CLASS_STATUS_PREPARED ...; 0: none of them. Context: java. */
jint jvmpi_class_status(jclass klass);
/** Whether it has fields and has had its CLASS_LOAD, as a class that is not prepared has not. True
 * of arrays and primitive types. Context: java. */
bool jvmpi_class_is_prepared(jclass klass);
/** Make it so, as the VM does before a class is used first. Returns whether it is. Context: java.
 */
bool jvmpi_class_prepare(JNIEnv *env, jclass klass);
/** Whether the VM has loaded it: a walk of the heap finds mirrors of archived classes that were not
 * loaded so far, about which it is not safe to ask the VM. Costs a look at all classes, unless it
 * is prepared. Context: java. */
bool jvmpi_class_is_loaded(JNIEnv *env, jclass klass);
/** Whether it is a class of a library like this one, of which nothing is told. Context: java. */
bool jvmpi_class_is_own(jclass klass);
/** Whether a method is of such a class. Context: java. */
bool jvmpi_class_has_own(JNIEnv *env, jmethodID method);
/** The id of a class that an event is about to name: who was promised to has had its CLASS_LOAD
 * then. NULL for NULL. Context: java. */
jobjectID jvmpi_class_named(JNIEnv *env, jclass klass);
/** The thread ends: the texts that it was given last go. Context: java. */
void jvmpi_class_end_thread(void);
/** A class is gone. Context: java, the bridge's thread. */
void jvmpi_class_gone(JNIEnv *env, jobjectID id);
/** RequestEvent(CLASS_LOAD). Context: java. */
jint jvmpi_class_request(JNIEnv *env, int agent, jobjectID id);
/** GetMethodClass. Context: java. */
jobjectID jvmpi_class_of_method(jmethodID method);
