/*
 * lockhook.c - see lockhook.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/lockhook.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "safe/clock.h"

enum {
    MUTEX_OWNER = 8, /* offsets in glibc's locks, on x86-64 and AArch64 */
    RWLOCK_WRITER = 24,
};

struct lockhook lockhook;

/* Frame of the hook in which the thread waits; 0: none. */
static __thread uintptr_t lockhook_inside;

size_t lockhook_sample_bytes(uint32_t depth)
{
    return sizeof(struct lockhook_sample) + ((size_t)depth + 1) * sizeof(struct walk_frame);
}

/* Whether the call comes from the VM's own code and is for a condition or a semaphore: its threads
 * wait so for work, and Java code so that it parks. */
static bool is_idle(enum lockhook_what what, uint64_t pc)
{
    for (int i = 0; i < LOCKHOOK_SPARED && what >= LOCKHOOK_CONDITION; i++)
        if (pc - lockhook.spared[i].low < lockhook.spared[i].high - lockhook.spared[i].low)
            return true;
    return false;
}

/* The serial of the thread that has the lock now; 0: not known. */
static uint32_t owner_of(const void *lock, enum lockhook_what what)
{
    int32_t owner;
    if (!lockhook.has_owners || what > LOCKHOOK_WRITE)
        return 0;
    memcpy(&owner, (const char *)lock + (what == LOCKHOOK_MUTEX ? MUTEX_OWNER : RWLOCK_WRITER),
           sizeof(owner));
    const struct hookwalk_thread *thread =
        owner > 0 ? hookwalk_other(&lockhook.base.walk, owner) : NULL;
    return thread ? thread->serial : 0;
}

bool lockhook_begin(struct lockhook_wait *w, const void *lock, enum lockhook_what what,
                    uintptr_t frame, uint64_t pc)
{
    if (!hookring_is_on(&lockhook.base) || (lockhook_inside && frame < lockhook_inside))
        return false;
    w->is_idle = is_idle(what, pc);
    if (w->is_idle && !atomic_load_explicit(&lockhook.with_vm, memory_order_relaxed))
        return false;
    lockhook_inside = frame;
    w->lock = lock;
    w->what = what;
    w->owner = owner_of(lock, what);
    w->start_ns = clock_monotonic_ns();
    return true;
}

/* Returns false: there was no room. */
static bool sample(const struct lockhook_wait *w, uint64_t end_ns, bool has_timed_out,
                   const struct hookwalk_caller *caller)
{
    struct lockhook_sample *s = ring_claim(&lockhook.base.ring);
    struct walk_request request;
    if (!s)
        return false;
    s->start_ns = w->start_ns;
    s->end_ns = end_ns;
    s->address = (uint64_t)(uintptr_t)w->lock;
    s->owner = w->owner;
    s->what = (uint8_t)w->what;
    s->has_timed_out = has_timed_out;
    s->is_idle = w->is_idle;
    hookring_look(&lockhook.base, caller, &s->stack, s->frames, &request);
    size_t frames = hookring_frames(&s->stack);
    return hookring_publish(&lockhook.base, s, sizeof(*s) + frames * sizeof(struct walk_frame),
                            &request);
}

void lockhook_end(const struct lockhook_wait *w, bool has_timed_out,
                  const struct hookwalk_caller *caller)
{
    int saved = errno;
    uint64_t end_ns = clock_monotonic_ns(), ns = end_ns - w->start_ns;
    if (ns < atomic_load_explicit(&lockhook.threshold_ns, memory_order_relaxed)) {
        atomic_fetch_add_explicit(&lockhook.shorter, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&lockhook.shorter_ns, ns, memory_order_relaxed);
    } else {
        if (hookring_enter(&lockhook.base) && !sample(w, end_ns, has_timed_out, caller)) {
            atomic_fetch_add_explicit(&lockhook.lost, 1, memory_order_relaxed);
            atomic_fetch_add_explicit(&lockhook.lost_ns, ns, memory_order_relaxed);
        }
        hookring_leave(&lockhook.base);
    }
    lockhook_inside = 0;
    errno = saved;
}

void lockhook_exempt(void)
{
    lockhook_inside = UINTPTR_MAX;
}
