/*
 * times_tracker.c - see times_tracker.h.
 *
 * The native methods call nothing of the VM, except in times_repair().
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/times/times_tracker.h"
#include <stdbool.h>
#include "agent/times/times_class.h"
#include "agent/times/times_repair.h"
#include "agent/times/times_select.h"
#include "agent/times/times_tree.h"
#include "agent/times/times_wait.h"
#include "agent/times/times_watch.h"
#include "base/arena.h"
#include "base/err.h"
#include "safe/release.h"
#include "vm/injector.h"
#include "vm/tracker.h"
#include "vm/vm_lookup.h"

enum { CLASS_BYTES_MAX = 1 << 20 }; /* for the tracker's class file while it is made */

static jfieldID tid_field;   /* Thread.tid */
static jclass tracker_class; /* a global reference */
static bool is_checked; /* methods without probes may catch exceptions of methods with probes */

jclass times_tracker_class(void)
{
    return tracker_class;
}

void times_tracker_set_checked(bool checked)
{
    is_checked = checked;
}

int64_t times_tracker_tid(JNIEnv *env, jthread thread)
{
    return (*env)->GetLongField(env, thread, tid_field);
}

struct times_block *times_tracker_block(JNIEnv *env)
{
    jthread self = NULL;
    struct times_block *b = NULL;
    if ((*injector_env())->GetCurrentThread(injector_env(), &self) == JVMTI_ERROR_NONE && self) {
        b = times_tree_block(times_tracker_tid(env, self));
        (*env)->DeleteLocalRef(env, self);
    }
    return b;
}

/* ---- native methods */

static jlong JNICALL native_block(JNIEnv *env, jclass klass, jlong tid)
{
    return (jlong)(intptr_t)times_tree_block(tid);
}

/* Take the time of the native methods themselves off the open call. */
static void spend(struct times_block *b, int64_t time)
{
    times_tree_spend(b, time);
    times_watch_spend(b, time);
}

static jlong JNICALL native_enter_slow(JNIEnv *env, jclass klass, jlong block, jint id)
{
    struct times_block *b = (struct times_block *)(intptr_t)block;
    struct times_node *n;
    uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
    int64_t began = times_clock_now(&b->cpu), now, place;
    bool is_new = is_checked && times_tree_is_new(b, id);
    if (is_new)
        times_repair(env, b, id, sp, began);
    n = times_tree_callee(b, id);
    now = times_clock_now(&b->cpu);
    spend(b, now - began);
    place = times_tree_enter(b, n, now);
    if (place && is_new)
        times_repair_entered(b, sp);
    if (place)
        times_watch_enter(b);
    return place;
}

/* End open calls. Returns the time at which they ended. */
static int64_t unwind(struct times_block *b, int64_t place, int leaves)
{
    int64_t now = times_clock_now(&b->cpu);
    times_tree_unwind(b, place, leaves, now);
    times_watch_unwind(b, place, leaves, now);
    return now;
}

static void JNICALL native_unwind(JNIEnv *env, jclass klass, jlong block, jlong place, jint leaves)
{
    struct times_block *b = (struct times_block *)(intptr_t)block;

    int64_t began = unwind(b, place, leaves);

    spend(b, times_clock_now(&b->cpu) - began);
}

static jlong JNICALL native_now(JNIEnv *env, jclass klass)
{
    return times_clock_now(NULL);
}

static jlong JNICALL native_now_of(JNIEnv *env, jclass klass, jlong block)
{
    return times_clock_now(&((struct times_block *)(intptr_t)block)->cpu);
}

static void JNICALL native_entered(JNIEnv *env, jclass klass, jlong block)
{
    times_watch_enter((struct times_block *)(intptr_t)block);
}

static void JNICALL native_left(JNIEnv *env, jclass klass, jlong block, jlong place, jlong now)
{
    times_watch_unwind((struct times_block *)(intptr_t)block, place, 1, now);
}

static int64_t enter_wait(JNIEnv *env, int32_t number, void **ret_block)
{
    struct times_block *b = times_tracker_block(env);
    *ret_block = b;
    return b ? native_enter_slow(env, NULL, (jlong)(intptr_t)b, number) : 0;
}

static void leave_wait(void *block, int64_t place)
{
    struct times_block *b = block;
    unwind(b, place, 1);
}

/* Put functions of ours in front of native methods that wait, or give these back to the VM. */
static void JNICALL native_bind(JNIEnv *env, jclass klass, jint starts)
{
    static const struct times_wait_calls calls = {enter_wait, leave_wait};
    if (starts)
        times_wait_start(env, &calls, times_select_add);
    else
        times_wait_stop(env);
}

static const JNINativeMethod natives[] = {
    {(char *)TIMES_CLASS_BIND, (char *)"(I)V", (void *)native_bind},
    {(char *)TIMES_CLASS_BLOCK, (char *)"(J)J", (void *)native_block},
    {(char *)TIMES_CLASS_ENTER_SLOW, (char *)"(JI)J", (void *)native_enter_slow},
    {(char *)TIMES_CLASS_UNWIND, (char *)"(JJI)V", (void *)native_unwind},
    {(char *)TIMES_CLASS_NOW, (char *)"()J", (void *)native_now},
    {(char *)TIMES_CLASS_ENTERED, (char *)"(J)V", (void *)native_entered},
    {(char *)TIMES_CLASS_LEFT, (char *)"(JJJ)V", (void *)native_left},
    {(char *)TIMES_CLASS_NOW_OF, (char *)"(J)J", (void *)native_now_of},
};

static const struct tracker tracker = {TIMES_CLASS, natives, sizeof(natives) / sizeof(natives[0]),
                                       NULL, false};

/* ---- the class */

/* The offset of Thread.tid for Unsafe; -1 unknown. */
static int64_t find_tid(JNIEnv *env, int release)
{
    struct vm_lookup l = vm_lookup_begin(env);
    jclass thread = vm_lookup_class(&l, "java/lang/Thread");
    int64_t at;
    tid_field = vm_lookup_field(&l, thread, "tid", "J");
    at = vm_lookup_offset(&l, release, thread, tid_field);
    return vm_lookup_end(&l) ? at : -1;
}

int times_tracker_define(const struct vm *vm, JNIEnv *env, const struct times_tracker_how *how)
{
    struct times_class_config config = {
        .table = times_tree_table(),
        .tick = times_clock_tick(),
        .tid_offset = find_tid(env, how->release),
        .spreads = times_node_spreads(),
        .clock = how->clock,
        .is_jdk_8 = how->release < RELEASE_INTERNAL_UNSAFE,
        .has_totals = how->has_totals,
        .is_watched = how->is_watched,
    };
    const uint8_t *bytes;
    struct arena arena;
    jclass klass = NULL;
    size_t len;
    if (config.tid_offset < 0)
        return E_FACT_MISSING;
    arena_init(&arena, CLASS_BYTES_MAX);
    if (times_class_make(&config, &arena, &bytes, &len) == 0 &&
        tracker_define(vm, env, &tracker, bytes, len) == 0)
        klass = vm_lookup_boot_class(env, TIMES_CLASS);
    arena_done(&arena);
    tracker_class = klass ? (*env)->NewGlobalRef(env, klass) : NULL;
    return tracker_class ? 0 : E_UNSUPPORTED;
}

void times_tracker_bind_waits(JNIEnv *env, bool starts)
{
    struct vm_lookup l = vm_lookup_begin(env);
    vm_lookup_call_static(&l, tracker_class,
                          vm_lookup_static_method(&l, tracker_class, TIMES_CLASS_CALL_BIND, "(I)V"),
                          (jint)starts);
    vm_lookup_end(&l);
}
