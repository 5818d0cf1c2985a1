/*
 * jvmpi_class.h - CLASS_LOAD and CLASS_UNLOAD.
 *
 * A class is told when it is prepared, because it has no methods before that. Classes of arrays and
 * of primitive types are told when another event names them.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmpi.h>
#include <stdbool.h>
#include "jvmpi/jvmpi_send.h"

/** Turn CLASS_LOAD on or off. Errors: 0, E_UNSUPPORTED. Context: java. */
int jvmpi_class_on(JNIEnv *env);
void jvmpi_class_off(void);
/** Turn CLASS_UNLOAD on or off; the event is sent only for a class that has an id. Errors and
 * context: as above. */
int jvmpi_class_unload_on(JNIEnv *env);
void jvmpi_class_unload_off(void);
/** Tell all loaded classes, also those of arrays and primitive types, to the agents that have
 * wanted the event since JVM_OnLoad and have not had it. Context: java. */
void jvmpi_class_replay(JNIEnv *env);
/** Tell the classes that were prepared while a thread did the bridge's own work, for example
 * changed classes, which makes the VM link them. Context: java; no lock is held. */
void jvmpi_class_catch_up(JNIEnv *env);
/**
 * Call `each` for all classes whose status has one of these bits of JVM TI; 0: for all classes.
 * Context: java.
 */
void jvmpi_class_visit(JNIEnv *env, jint status, void (*each)(JNIEnv *env, jclass klass, void *arg),
                       void *arg);
/** Call `each` for the classes of primitive types, which are in no list of the VM. Context:
 * java. */
void jvmpi_class_visit_primitives(JNIEnv *env, void (*each)(JNIEnv *env, jclass klass, void *arg),
                                  void *arg);
/** The status in JVM TI: JVMTI_CLASS_STATUS_PREPARED ...; 0: no bit is set. Context: java. */
jint jvmpi_class_status(jclass klass);
/** Whether the class has its fields and may have had its CLASS_LOAD. Also true for arrays and
 * primitive types. Context: java. */
bool jvmpi_class_is_prepared(jclass klass);
/**
 * Prepare the class, as the VM does before the first use of a class. Returns whether it is
 * prepared.
 * Context: java.
 */
bool jvmpi_class_prepare(JNIEnv *env, jclass klass);
/** Whether the VM has loaded the class. A walk of the heap finds mirrors of archived classes that
 * are not loaded yet, and questions to the VM about such a class are not safe. Unless the class is
 * prepared, the answer takes a look at all classes. Context: java. */
bool jvmpi_class_is_loaded(JNIEnv *env, jclass klass);
/** Whether it is a class of a library of ours, of which agents are told nothing. Context: java. */
bool jvmpi_class_is_own(jclass klass);
/** Whether the method belongs to such a class. Context: java. */
bool jvmpi_class_has_own(JNIEnv *env, jmethodID method);
/** The id of a class that an event is about to name. After the call every agent that was promised
 * the CLASS_LOAD has had it. NULL for NULL. Context: java. */
jobjectID jvmpi_class_named(JNIEnv *env, jclass klass);
/** Free the texts that were given last to the calling thread, which ends. Context: java. */
void jvmpi_class_end_thread(void);
/** Note that a class was unloaded. Context: java, the bridge's thread. */
void jvmpi_class_gone(JNIEnv *env, jobjectID id);
/** RequestEvent(CLASS_LOAD). Context: java. */
jint jvmpi_class_request(JNIEnv *env, int agent, jobjectID id);
/** GetMethodClass. Context: java. */
jobjectID jvmpi_class_of_method(jmethodID method);
