/*
 * vthread_pin.h - times that a virtual thread was pinned while it parked, and what pinned it.
 *
 * A virtual thread that parks leaves its carrier. If a frame on its stack forbids this, the JDK
 * calls VirtualThread.parkOnCarrierThread, and the carrier waits with it. The calls that are
 * injected there cost nothing while no thread is pinned.
 *
 * What pins is told by the stack at the end of the park, the innermost frame first: a native
 * method, or a static initializer, which the VM has called; up to JDK 23 also a frame that holds a
 * monitor. Each of these forbids to leave, so what is named has pinned the thread. C frames of the
 * VM alone are not seen.
 * Source: HotSpot continuationFreezeThaw.cpp; JDK VirtualThread.java of 21 to 28.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>
#include "agent/engine/ended.h"
#include "profile/ids.h"

struct agent;

enum { VTHREAD_PIN_SKIP = 1 }; /* frames on top of the stack that are the tracker's */

enum vthread_pin_why {
    VTHREAD_PIN_UNKNOWN,
    VTHREAD_PIN_NATIVE,
    VTHREAD_PIN_MONITOR,
    VTHREAD_PIN_INITIALIZER,
};

/** A pinned time in the queue. */
struct vthread_pin {
    struct ended ended; /* first */
    const void *env;    /* the JNIEnv of the carrier */
    jmethodID method;   /* of the frame that pins */
    enum vthread_pin_why why;
};

/** An environment with can_get_owned_monitor_stack_depth_info; NULL: the VM has refused. */
extern jvmtiEnv *vthread_pin_env;

/** A pinned time has ended on the calling thread. Context: java. */
typedef void vthread_pin_tell(JNIEnv *env, uint64_t start_ns, uint64_t end_ns);

/** Tell of pinned times after the next injector_apply(). A failure is said in a line. Context:
 * java, the agent's lock not held. */
void vthread_pin_begin(struct agent *a, JNIEnv *env, vthread_pin_tell *tell);
void vthread_pin_end(void);
/** Wait until no thread is told any more. Errors: 0, -EBUSY. Context: java. */
int vthread_pin_settle(void);

/** The calling thread in the model; 0: it belongs to no known thread. Context: java. */
thread_id vthread_pin_thread(struct agent *a, JNIEnv *env);
/** Find what pins the calling thread, and fill pin->why and pin->method. Called by the tracker's
 * frame. Context: java. */
void vthread_pin_find(const struct agent *a, struct vthread_pin *pin);
/** The reason in words; 0: unknown. Needs the agent's lock. Context: java. */
string_id vthread_pin_text(struct agent *a, const struct vthread_pin *pin);
