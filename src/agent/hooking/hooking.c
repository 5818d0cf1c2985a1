/*
 * hooking.c - see hooking.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/hooking/hooking.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "agent/log.h"
#include "agent/names/frame_native.h"
#include "agent/names/threads.h"
#include "agent/names/traces.h"
#include "agent/recording/recording.h"
#include "agent/stack_source/vm_walk.h"
#include "base/err.h"
#include "base/own_tls.h"
#include "base/pages.h"
#include "imports/imports_follow.h"
#include "safe/hookring.h"

enum { STOP_WAIT_MS = 2000, LAP_MS = 100 };

/* ---- memory */

int hooking_map(struct hooking *h, uint64_t ring_bytes, size_t sample_bytes)
{
    struct hookring *hooks = h->row->hooks;
    /* The table of threads is used for ever, so a later recording has that of the first one. */
    if (!hooks->walk.threads)
        hooks->walk.threads = pages_map(HOOKWALK_THREADS * sizeof(*hooks->walk.threads));
    h->ring_bytes = (size_t)ring_bytes;
    h->ring = hooks->walk.threads ? pages_map(h->ring_bytes) : NULL;
    if (!h->ring)
        return -ENOMEM;
    if (ring_init(&hooks->ring, h->ring, h->ring_bytes, sample_bytes))
        return 0;
    pages_unmap(h->ring, h->ring_bytes);
    h->ring = NULL;
    return E_LIMIT;
}

int hooking_say_memory(const struct hooking *h, int error)
{
    log_error("%s: %s", h->row->event,
              error == E_LIMIT ? "mem= is too small: raise it" : "no memory: lower mem=");
    return error;
}

/* ---- the agent's thread */

static void JNICALL loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    struct hooking *h = argument;
    struct agent *a = h->agent;
    struct imports_follow follow = {0};
    if (h->row->exempt)
        h->row->exempt();
    threads_begin_agent(a, env);
    while (!h->stop) {
        bell_wait(&h->wake, LAP_MS);
        if (h->stop)
            break;
        if (h->follows)
            imports_follow_look(&follow, &h->imports);
        frame_native_look(); /* may take longer than a lap */
        agent_lock(a);
        if (!h->stop)
            h->row->drain(h);
        agent_unlock(a);
    }
    bell_ring(&h->stopped);
}

void hooking_read(struct hooking *h)
{
    struct ring *ring = &h->row->hooks->ring;
    const void *record;
    /* Only what is in the ring now is read: the lock must not be held as long as more comes. */
    uint64_t end = ring_end(ring);
    while (!ring_is_read(ring, end) && (record = ring_peek(ring)) != NULL) {
        h->row->take_in(h, record);
        ring_release(ring);
    }
    vm_walk_turn();
}

/* ---- beginning */

const void *hooking_in_vm(const struct agent *a)
{
    const void *address;
    memcpy(&address, &(*a->vm.java)->GetEnv, sizeof(address));
    return address;
}

int hooking_load(struct hooking *h, struct agent *a)
{
    h->agent = a;
    if (!own_tls_is_static()) {
        log_error("%s: there is no room for thread-local variables that hooks may use; load the "
                  "agent when the VM starts",
                  h->row->event);
        return E_UNSUPPORTED;
    }
    frame_native_refresh(); /* takes long; here the lock is not held */
    return 0;
}

int hooking_start(struct hooking *h, JNIEnv *env, struct imports imports)
{
    struct hookring *hooks = h->row->hooks;
    const char *why;
    if (vm_walk_open(h->agent, &hooks->ring, &why) != 0) {
        log_error("%s: stacks cannot be walked in this VM: %s", h->row->event, why);
        return E_UNSUPPORTED;
    }
    memset(hooks->walk.threads, 0, HOOKWALK_THREADS * sizeof(*hooks->walk.threads));
    hooks->walk.walker = vm_walk_mixed();
    hooks->pid = getpid();
    hooks->wake = h->row->wake;
    h->imports = imports;
    h->stop = h->follows = false;
    h->running = true;
    h->thread_runs = agent_run_thread(h->agent, env, h->row->thread_name, loop, h) == 0;
    return 0;
}

void hooking_ready(struct hooking *h)
{
    if (!h->running)
        return;
    frame_native_refresh();
    atomic_store(&h->row->hooks->is_on, true);
    if (imports_patch(&h->imports) < 0)
        log_error("%s: no memory for the list of libraries", h->row->event);
    atomic_store(&h->follows, true);
}

void hooking_thread_start(const struct hooking *h, const struct thread *thread)
{
    const struct vm_thread *vm = thread->vm;
    if (h->running && vm->tid > 0 && vm->java_thread)
        hookwalk_add_thread(&h->row->hooks->walk, vm->tid, thread->serial, vm->java_thread);
}

void hooking_thread_end(const struct hooking *h, const struct thread *thread)
{
    const struct vm_thread *vm = thread->vm;
    if (h->running && vm->tid > 0 && vm->java_thread)
        hookwalk_remove_thread(&h->row->hooks->walk, vm->tid);
}

/* ---- recordings */

void hooking_join(struct hooking *h, const struct recording *r)
{
    h->unwalked_before[r->place] = atomic_load(&h->row->hooks->walk.unwalked);
}

uint64_t hooking_unwalked(const struct hooking *h, const struct recording *r)
{
    return atomic_load(&h->row->hooks->walk.unwalked) - h->unwalked_before[r->place];
}

uint64_t hooking_unhooked(const struct hooking *h)
{
    const struct imports_counts *c = &h->imports.counts;
    return (uint64_t)c->crowded + c->refused + c->unpinned;
}

/* ---- the end */

void hooking_stop(struct hooking *h)
{
    if (!h->running)
        return;
    atomic_store(&h->row->hooks->is_on, false);
    h->stop = true;
    bell_ring(&h->wake);
    if (h->thread_runs && bell_wait(&h->stopped, STOP_WAIT_MS))
        h->thread_runs = false;
    if (h->thread_runs)
        log_error("%s: its thread did not end in time: hooks stay, and pass through",
                  h->row->event);
    else if (imports_restore(&h->imports) < 0)
        log_error("%s: no memory for the list of libraries: hooks stay, and pass through",
                  h->row->event);
}

int hooking_release(struct hooking *h)
{
    struct hookring *hooks = h->row->hooks;
    if (h->running) {
        for (int ms = 0; ms < STOP_WAIT_MS && !hookring_is_quiet(hooks); ms++)
            usleep(1000);
        if (h->thread_runs || !hookring_is_quiet(hooks)) {
            log_error("%s: %s did not end in time", h->row->event,
                      h->thread_runs ? "its thread" : "a hook");
            return -EBUSY;
        }
        vm_walk_close(&hooks->ring);
    }
    pages_unmap(h->ring, h->ring_bytes);
    h->ring = NULL;
    h->running = false;
    return 0;
}
