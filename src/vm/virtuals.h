/*
 * virtuals.h - virtual threads, which the JVM TI headers of older JDKs do not name.
 *
 * Source: the JVM TI specification of JDK 21; its extension events (HotSpot, jvmtiExtensions.cpp)
 * for mounts. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

/** Ask for can_support_virtual_threads. Returns whether there are such threads. */
int virtuals_want(jvmtiEnv *jvmti);
/** Hear of the start of each virtual thread, on it; `jvmti` hears of nothing else. */
void virtuals_hear_starts(jvmtiEnv *jvmti, jvmtiEventThreadStart started);
/**
 * Hear when a virtual thread has been mounted and when it is about to be unmounted, on it; NULL,
 * NULL: no longer. Nothing is heard where the VM does not tell. `jvmti` has what virtuals_want()
 * asks for.
 */
void virtuals_hear_mounts(jvmtiEnv *jvmti, jvmtiEventThreadStart mounted,
                          jvmtiEventThreadEnd unmounted);
/** Hear of the end of each virtual thread; `callbacks` are all that `jvmti` hears of. */
void virtuals_hear_ends(jvmtiEnv *jvmti, const jvmtiEventCallbacks *callbacks,
                        jvmtiEventThreadEnd ended);
