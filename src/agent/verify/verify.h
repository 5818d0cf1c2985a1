/*
 * verify.h - the parts of a verify run that change the program's methods or stop its threads.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdint.h>

struct agent;
struct hs_layout;
struct hs_memory;

/*
 * verify_inject.c: adds calls of the tracker to a share of the program's methods.
 *
 * It has a JVM TI environment of its own for its events.
 */

/**
 * Define the tracker and inject its calls into all loaded classes, and into each class that is
 * loaded later.
 *
 * `percent` of the methods are chosen by a hash of their names, so the choice is the same in every
 * run. Methods with exception handlers are always injected: their handlers tell the shadow stack
 * which calls an exception has ended.
 * Errors: 0, negative after a message. Context: java, agent's lock not needed.
 */
int verify_inject_start(struct agent *a, JNIEnv *env, unsigned percent);
void verify_inject_stop(void);

/*
 * verify_entry.c: compares the shadow stack with GetStackTrace at the entry of injected methods.
 *
 * Only some entries are compared, because one comparison takes as long as thousands of calls.
 */

/** Begin to compare, about `per_second` times a second. Context: any. */
void verify_entry_start(jvmtiEnv *jvmti, const struct hs_layout *layout, uint32_t per_second);
void verify_entry_stop(void);
/**
 * A method was entered and pushed: compare if it is time for that. Context: java, on the method's
 * thread.
 */
void verify_entry_compare(JNIEnv *env);

/*
 * verify_stops.c: the work of the verify run's own thread: GetStackTrace compared with walks.
 *
 * Context of everything here: java, on the agent's thread.
 */

/** Set the environment that suspends threads. Context: OnLoad, or java at attach. */
void verify_stops_open(jvmtiEnv *env);
/** The environment that suspends threads. */
jvmtiEnv *verify_stops_env(void);
/** Compare the own frames of a virtual thread that is suspended on its carrier. */
void verify_stops_mounted(struct agent *a, jthread thread, uint64_t carrier);
void verify_stops_prepare(struct agent *a, JNIEnv *env, const struct hs_memory *memory);
/** Suspend each thread once, and compare GetStackTrace with a walk from the anchor. */
void verify_stops_round(struct agent *a, JNIEnv *env);
/** Compare a sample of one thread with GetStackTrace right after it. */
void verify_stops_after_sample(struct agent *a, JNIEnv *env);

/*
 * verify_virtual.c: layer b for virtual threads while a carrier runs them (JDK 21 and later).
 *
 * GetAllThreads does not list virtual threads. So weak references to those that started last are
 * kept.
 */

/**
 * From now on note virtual threads that start; does nothing in a JDK without virtual threads.
 * Context: java.
 */
void verify_virtual_start(struct agent *a, JNIEnv *env);
/**
 * Suspend each kept virtual thread, and compare its frames if it is mounted. Context: java, the
 * agent's thread.
 */
void verify_virtual_round(struct agent *a, JNIEnv *env);
