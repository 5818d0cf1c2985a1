/*
 * hookring.c - see hookring.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/hookring.h"
#include <unistd.h>

/* The thread is counted before it looks whether hooks still work: if `inside` is 0 after is_on has
 * become false, no thread uses the ring any more. */
bool hookring_enter(struct hookring *h)
{
    atomic_fetch_add(&h->inside, 1);
    return atomic_load(&h->is_on) && getpid() == h->pid;
}

void hookring_leave(struct hookring *h)
{
    atomic_fetch_sub(&h->inside, 1);
}

void hookring_look(struct hookring *h, const struct hookwalk_caller *caller,
                   struct hookring_stack *stack, struct walk_frame *frames,
                   struct walk_request *ret_request)
{
    const struct hookwalk_thread *thread = hookwalk_mine(&h->walk);
    *ret_request = (struct walk_request){.java_thread = thread ? thread->java_thread : 0};
    stack->serial = thread ? thread->serial : 0;
    stack->is_truncated = false;
    scope_read(&stack->scopes);
    stack->result = hookwalk_take(&h->walk, ret_request, caller, frames, &stack->is_truncated);
}

bool hookring_publish(struct hookring *h, void *draft, size_t bytes, struct walk_request *request)
{
    enum ring_result result = ring_publish(&h->ring, draft, bytes);
    h->walk.walker->leave(request);
    if (result == RING_PUBLISHED_QUARTER)
        h->wake();
    return result != RING_LOST;
}

bool hookring_is_quiet(const struct hookring *h)
{
    return atomic_load(&h->inside) == 0;
}
