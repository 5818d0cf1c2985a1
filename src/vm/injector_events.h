/*
 * injector_events.h - the event classes of the JDK's Flight Recorder, which are left as they are.
 *
 * The recorder writes the bodies of these classes itself, and writes them again whenever such a
 * class is changed. It does this by Java code that takes milliseconds for each class when it is
 * compiled, and seconds when it is interpreted and has probes. The recorder refuses some classes
 * that it wrote before, and reports them on the program's output. The methods of these classes do
 * nothing else.
 * Source: OpenJDK jdk.jfr, JVMUpcalls.onRetransform.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>
#include "classfile/instrument.h"

/** The loaded base classes of all events. */
struct injector_events {
    jvmtiEnv *jvmti; /* needs VM_CAN_GET_CONSTANT_POOL; without it every class counts as woven */
    jclass recorded; /* jdk.jfr.Event, borrowed; NULL: there is no recorder that looks at classes */
    jclass of_jdk;   /* jdk.internal.event.Event, borrowed; may be NULL */
    /* The caller fills these fields: the classes that the probes of changed users call. */
    const char *trackers[INSTRUMENT_PROBES_MAX];
    uint32_t tracker_count;
};

/** Look for the base classes among `count` classes. Context: java. */
struct injector_events injector_events_among(jvmtiEnv *jvmti, const jclass *classes, jint count);
/** Whether the class is an event class and calls none of the trackers. Context: java. */
bool injector_events_has(const struct injector_events *e, JNIEnv *env, jclass klass);
