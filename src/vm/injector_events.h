/*
 * injector_events.h - the classes of events of the JDK's Flight Recorder, which are left as they
 * are.
 *
 * The recorder writes the bodies of these classes itself, and again whenever such a class is
 * changed: by Java code that takes milliseconds for each class where it is compiled, and seconds
 * where it is interpreted and has probes; and it refuses some that it wrote before, which it says
 * on the program's output. Their methods do nothing else. Source: OpenJDK jdk.jfr,
 * JVMUpcalls.onRetransform. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "classfile/instrument.h"

/** The loaded classes that all events are of. */
struct injector_events {
    jvmtiEnv *jvmti; /* with VM_CAN_GET_CONSTANT_POOL, or no class is known to be woven */
    jclass recorded; /* jdk.jfr.Event, borrowed; NULL: there is no recorder that looks at classes */
    jclass of_jdk;   /* jdk.internal.event.Event, likewise */
    /* The caller's: the classes that the probes of changed users call. */
    const char *trackers[INSTRUMENT_PROBES_MAX];
    uint32_t tracker_count;
};

/** Looks for them among `count` classes. Context: java. */
struct injector_events injector_events_among(jvmtiEnv *jvmti, const jclass *classes, jint count);
/** Whether the class is of events, and calls none of the trackers. Context: java. */
bool injector_events_has(const struct injector_events *e, JNIEnv *env, jclass klass);
