/*
 * verify_inject.c - see verify.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/agent.h"
#include "agent/log.h"
#include "agent/verify/verify.h"
#include "agent/verify/verify_frames.h"
#include "agent/verify/verify_numbers.h"
#include "agent/verify/verify_shadow.h"
#include "base/err.h"
#include "safe/own_class.h"
#include "vm/injector.h"
#include "vm/tracker.h"
#include "vm/vm_event.h"

/*
 * The class that injected methods call, java.lang.Hprof_libhprof_Verify. Its methods are native;
 * the C functions behind them keep the shadow stack.
 */
#define VERIFY_TRACKER OWN_CLASS("Verify")
#define VERIFY_TRACKER_ENTER "enter"
#define VERIFY_TRACKER_EXIT "exit"
#define VERIFY_TRACKER_CAUGHT "caught"

static jlong JNICALL enter(JNIEnv *env, jclass klass, jint number)
{
    int64_t token = verify_shadow_enter((uint32_t)number);
    verify_entry_compare(env);
    return token;
}

static void JNICALL exit_method(JNIEnv *env, jclass klass, jlong token)
{
    verify_shadow_exit(token);
}

static void JNICALL caught(JNIEnv *env, jclass klass, jlong token)
{
    verify_shadow_caught(token);
}

static const JNINativeMethod natives[] = {
    {(char *)VERIFY_TRACKER_ENTER, (char *)"(I)J", (void *)enter},
    {(char *)VERIFY_TRACKER_EXIT, (char *)"(J)V", (void *)exit_method},
    {(char *)VERIFY_TRACKER_CAUGHT, (char *)"(J)V", (void *)caught},
};

enum {
    NATIVES = sizeof(natives) / sizeof(natives[0]),
};

static struct tracker tracker = {VERIFY_TRACKER, natives, NATIVES, NULL, false};

/* ---- injection */

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
    if (verify_numbers_init() != 0 || tracker_define_natives(&a->vm, env, &tracker) != 0) {
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
