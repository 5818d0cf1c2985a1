/*
 * alloc_stack.c - see alloc_stack.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/alloc/alloc_stack.h"
#include "agent/agent.h"
#include "agent/log.h"
#include "hotspot/hotspot.h"
#include "safe/mem_self.h"
#include "safe/walk_vm.h"

static struct {
    struct hotspot *vm;     /* NULL: this VM cannot be read */
    intptr_t env_in_thread; /* where the JNIEnv lies in a JavaThread */
} stack;

void alloc_stack_prepare(struct agent *a, JNIEnv *env)
{
    const char *missing = NULL;

    if (!a->threads.env_is_known)
        return;
    if (hotspot_open_self(&stack.vm, &missing) != 0) {
        stack.vm = NULL;
        log_note("allocations cost more here: stacks have to be asked of the VM (%s)",
                 missing ? missing : "unknown");
        return;
    }
    stack.env_in_thread = a->threads.env_in_thread;
}

/* The finalizer of MurmurHash3, over the sum: any bit of `value` changes half of the bits. */
uint64_t alloc_stack_mix(uint64_t key, uint64_t value)
{
    uint64_t h = (key ^ value) * 0xff51afd7ed558ccdu;

    h ^= h >> 32;
    h *= 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 29;
}

uint64_t alloc_stack_key(JNIEnv *env, int depth)
{
    struct walk_frame frames[ALLOC_STACK_MAX];
    const struct hs_layout *l;
    uint64_t thread, sp, key = (uint64_t)depth + 1;
    int truncated, count;

    if (!stack.vm || depth > ALLOC_STACK_MAX)
        return 0;
    l = &stack.vm->layout;
    thread = (uint64_t)(uintptr_t)env - (uint64_t)stack.env_in_thread;
    /* The thread is the caller's own, so both the JavaThread and the stack above are mapped. */
    sp = *(const volatile uint64_t *)(uintptr_t)(thread + (uint64_t)l->thread_anchor +
                                                 (uint64_t)l->anchor_sp);
    count = walk_vm_thread(&mem_self, l, thread, NULL, (const void *)(uintptr_t)(sp & ~(uint64_t)7),
                           frames, (uint32_t)depth, &truncated);
    if (count <= 0)
        return 0;
    for (int i = 0; i < count; i++)
        key = alloc_stack_mix(key, frames[i].method + ((uint64_t)(uint32_t)frames[i].bci << 48));
    return key ? key : 1;
}
