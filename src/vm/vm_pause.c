/*
 * vm_pause.c - see vm_pause.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_pause.h"
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include "base/gate.h"
#include "safe/clock.h"
#include "safe/release.h"
#include "vm/vm.h"
#include "vm/vm_event.h"
#include "vm/vmself.h"

enum {
    /* The thread that ends the VM waits so long for threads that may be about to ask for a pause.
     * A pause that was asked for holds the thread up anyway. */
    BEGUN_MS = 5000,
    /* A Java thread of the name "DestroyJavaVM" can end without the VM. After so long without the
     * VM's death there are pauses again. */
    GUESS_MS = 10000,
};

static const struct vm *vm_here;
static struct gate gate; /* threads that ask for a pause are inside */
static _Atomic uint64_t closed_ns;

/* How often the calling thread is inside, and its place at the gate. */
static __thread struct {
    uint32_t depth;
    _Atomic uint32_t *inside;
} self;

bool vm_pause_ends_vm(jvmtiEnv *jvmti, JNIEnv *env, jthread thread)
{
    jvmtiThreadInfo info = {.name = NULL};
    jint frames = 0;
    bool is_last;
    if ((*jvmti)->GetFrameCount(jvmti, NULL, &frames) == JVMTI_ERROR_NONE && frames > 0)
        return true;
    if ((*jvmti)->GetThreadInfo(jvmti, thread, &info) != JVMTI_ERROR_NONE)
        return false;
    is_last = info.name && strcmp(info.name, "DestroyJavaVM") == 0;
    (*jvmti)->Deallocate(jvmti, (unsigned char *)info.name);
    (*env)->DeleteLocalRef(env, info.thread_group);
    (*env)->DeleteLocalRef(env, info.context_class_loader);
    return is_last;
}

static void on_thread_end(void *data, JNIEnv *env, jthread thread)
{
    if (!vm_pause_ends_vm(vm_here->main, env, thread))
        return;
    atomic_store(&closed_ns, clock_monotonic_ns());
    gate_close(&gate, BEGUN_MS);
}

static void on_vm_death(void *data, JNIEnv *env)
{
    gate_open(&gate);
}

void vm_pause_open(const struct vm *vm)
{
    static struct vm_event_subscriber heard[] = {
        {.event = VM_EVENT_THREAD_END, .on.thread_end = on_thread_end},
        {.event = VM_EVENT_VM_DEATH, .on.vm_death = on_vm_death},
    };
    vm_here = vm;
    gate_open(&gate);
    if (vm->release >= RELEASE_FREED_LATER && vm->release < RELEASE_FREED_MENDED)
        vm_event_add_all(heard, 2, NULL);
}

bool vm_pause_begin(void)
{
    if (self.depth == 0) {
        self.inside = gate_enter(&gate);
        if (!self.inside &&
            clock_monotonic_ns() - atomic_load(&closed_ns) > (uint64_t)GUESS_MS * NS_PER_MS) {
            gate_open(&gate);
            self.inside = gate_enter(&gate);
        }
        if (!self.inside)
            return false;
    }
    self.depth++;
    return true;
}

void vm_pause_end(void)
{
    if (--self.depth == 0)
        gate_leave(self.inside);
}

/* When the VM ends, the threads of ZGC and Shenandoah stop before the thread that ends it comes to
 * the gate. A collection that was asked for may never come then, so that thread must not wait for
 * it. */
jvmtiError vm_pause_collect(jvmtiEnv *jvmti)
{
    bool may_never_come = vmself_is_on("UseZGC") || vmself_is_on("UseShenandoahGC");
    jvmtiError error;
    if (!vm_pause_begin())
        return JVMTI_ERROR_WRONG_PHASE;
    if (may_never_come)
        vm_pause_end();
    error = (*jvmti)->ForceGarbageCollection(jvmti);

    if (!may_never_come)
        vm_pause_end();
    return error;
}

jvmtiError vm_pause_all_stacks(jvmtiEnv *jvmti, jint depth, jvmtiStackInfo **ret_stacks,
                               jint *ret_count)
{
    jvmtiError error;
    if (!vm_pause_begin())
        return JVMTI_ERROR_WRONG_PHASE;
    error = (*jvmti)->GetAllStackTraces(jvmti, depth, ret_stacks, ret_count);

    vm_pause_end();
    return error;
}
