/*
 * verify_inject.c - see verify_inject.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/verify/verify_inject.h"
#include "agent/agent.h"
#include "agent/log.h"
#include "agent/verify/verify_frames.h"
#include "agent/verify/verify_numbers.h"
#include "agent/verify/verify_shadow.h"
#include "agent/verify/verify_tracker.h"
#include "base/err.h"
#include "vm/injector.h"
#include "vm/vm_event.h"

enum { SHARES = 10000 };

static uint64_t share; /* the share of methods, in parts of SHARES */

static int32_t select_method(void *context, const struct instrument_method *m)
{
    uint64_t hash = verify_frames_hash_texts(m->class_name.bytes, m->class_name.len, m->name.bytes,
                                             m->name.len, m->desc.bytes, m->desc.len);
    if (m->advice != INSTRUMENT_INJECTED || (m->handlers == 0 && (hash >> 1) % SHARES >= share))
        return -1;
    return verify_numbers_add(m, hash);
}

static const struct instrument_probe probe = {
    .tracker = VERIFY_TRACKER,
    .enter = VERIFY_TRACKER_ENTER,
    .exit = VERIFY_TRACKER_EXIT,
    .kept = 'J',
    .enter_keep = VERIFY_TRACKER_ENTER,
    .exit_keep = VERIFY_TRACKER_EXIT,
    .caught = VERIFY_TRACKER_CAUGHT,
    .keep = INSTRUMENT_KEEP_ALL,
    .huge_bytes = INSTRUMENT_HUGE_BYTES,
    .select = select_method,
};

static struct injector_user user = {.probe = &probe, .layer = INJECTOR_CHECKS};

/* On a carrier the frames of another virtual thread replace the old ones (JDK 21 and later). */
static void on_switch(void *data, JNIEnv *env, jthread thread)
{
    verify_shadow_clear();
}

static struct vm_event_subscriber on_switches[] = {
    {.event = VM_EVENT_MOUNT, .on.mount = on_switch},
    {.event = VM_EVENT_UNMOUNT, .on.unmount = on_switch},
};
enum { SWITCHES = sizeof(on_switches) / sizeof(on_switches[0]) };

int verify_inject_start(struct agent *a, JNIEnv *env, unsigned percent)
{
    share = (uint64_t)percent * SHARES / 100;
    if (injector_open(&a->vm) != 0) {
        log_error("this VM does not let its classes be changed: no shadow stacks");
        return E_UNSUPPORTED;
    }
    vm_event_add_all(on_switches, SWITCHES, NULL);
    if (verify_numbers_init() != 0 || verify_tracker_define(a, env) != 0) {
        log_error("the class " VERIFY_TRACKER " cannot be defined: no shadow stacks");
        return E_UNSUPPORTED;
    }
    return injector_add(&user);
}

void verify_inject_stop(void)
{
    vm_event_remove_all(on_switches, SWITCHES);
    injector_remove(&user);
}
