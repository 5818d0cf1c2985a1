/*
 * alloc_stack.c - see alloc_stack.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/alloc/alloc_stack.h"
#include "agent/agent.h"
#include "agent/alloc/alloc_calls.h"
#include "agent/log.h"
#include "hotspot/hotspot.h"
#include "hotspot/hotspot_self.h"
#include "safe/hs_cursor.h"
#include "safe/mem_self.h"
#include "vm/vm_threads.h"

static struct {
    struct hotspot *vm;     /* NULL: this VM cannot be read */
    intptr_t env_in_thread; /* where the JNIEnv lies in a JavaThread */
} stack;

void alloc_stack_prepare(struct agent *a, JNIEnv *env)
{
    const char *missing = NULL;
    stack.env_in_thread = vm_threads_env_offset();
    if (!stack.env_in_thread)
        return;
    if (hotspot_self_open(&stack.vm, &missing) != 0) {
        stack.vm = NULL;
        log_note("allocations cost more here: stacks have to be asked of the VM (%s)",
                 missing ? missing : "unknown");
        return;
    }
}

const struct hs_layout *alloc_stack_layout(void)
{
    return stack.vm ? &stack.vm->layout : NULL;
}

/* A field of the calling thread's JavaThread, which exists as long as the thread runs. */
static uint64_t field(uint64_t thread, int32_t at)
{
    return *(const volatile uint64_t *)(uintptr_t)(thread + (uint64_t)at);
}

/* Put the cursor at the anchor. Returns 1, or 0 if the walk cannot begin there. */
static int begin(struct hs_cursor *c, const struct hs_layout *l, uint64_t thread)
{
    uint64_t sp = field(thread, l->thread_anchor + l->anchor_sp),
             base = field(thread, l->thread_stack_base);

    /* The VM is about to replace frames of this thread (deoptimization). */
    if (l->thread_vframe_array >= 0 && field(thread, l->thread_vframe_array))
        return 0;
    c->layout = l;
    c->thread = thread;
    c->calls = l->nmethod_compile_id >= 0 ? stack.vm->memory.calls : NULL;
    c->pc_mask = hs_cursor_pc_mask(l);
    c->frozen.facts = &l->chunks;
    c->stack.low = c->view->low = sp & ~(uint64_t)7;
    c->stack.high = c->view->high = base;
    c->stack.size = field(thread, l->thread_stack_size);
    c->view->window = (const void *)(uintptr_t)c->stack.low;
    return sp && sp < base && hs_cursor_at_anchor(c, thread + (uint64_t)l->thread_anchor);
}

uint64_t alloc_stack_key(JNIEnv *env, int depth)
{
    struct walk_frame frames[ALLOC_STACK_MAX];
    struct mem_view view = {.mem = &mem_self};
    struct hs_cursor c = {.view = &view, .frames = frames, .max = (uint32_t)depth};
    uint64_t key = (uint64_t)depth + 1;
    int step = HS_STEP_MORE;
    if (!stack.vm || depth > ALLOC_STACK_MAX ||
        !begin(&c, &stack.vm->layout, (uint64_t)(uintptr_t)env - (uint64_t)stack.env_in_thread))
        return 0;
    while (step == HS_STEP_MORE && c.count < c.max)
        step = alloc_calls_step(&c, &key);
    return step == HS_STEP_FAIL || c.count == 0 ? 0 : key ? key : 1;
}

void alloc_stack_forget(void)
{
    if (stack.vm)
        hotspot_close(stack.vm);
    stack.vm = NULL;
}
