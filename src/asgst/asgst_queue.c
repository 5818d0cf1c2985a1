/*
 * asgst_queue.c - the ASGST queues on a VM without them.
 *
 * The VM of the articles runs a queue's handler in a handshake of its thread. No stock VM runs
 * foreign code there. So ASGST_Enqueue() takes the whole stack at once, in the signal handler, and
 * the helper thread hands it out: the same frames, where one may lock and allocate. An element
 * waits until its thread has come back from its handler (asgst_rest.h), and a little longer as long
 * as the thread stands where it stood, as in the articles, so that a handler can merge into it.
 * Locks:
 * queues_lock guards the list and a queue's handlers; drain_lock is held while handlers run. Order:
 * drain_lock, queues_lock. Handlers run under drain_lock only, so they may register and deregister
 * (then on the helper thread). A queue is closed, never freed: a signal may still carry its
 * pointer. What it holds besides is given back. SPDX-License-Identifier: Apache-2.0
 */
#include "asgst/asgst_queue.h"
#include "asgst/asgst_helper.h"
#include "asgst/asgst_vm.h"
#include "asgst/asgst_walk.h"
#include "base/os_thread.h"
#include "base/pages.h"
#include "safe/clock.h"
#include "safe/asgst_thread.h"
#include "safe/mem_self.h"
#include <asgst.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    SIZE_MAX_ELEMENTS = 1 << 20,
    /* Room for stacks: so many frames for each element, within limits. 40 bytes a frame. */
    FRAMES_PER_ELEMENT = 64,
    FRAMES_MIN = 8192,
    FRAMES_MAX = 131072,
    /* Between two looks at a queue in which something waits. */
    LOOK_MS = 2,
    /* An element of a thread that has not moved in the VM since waits so long for others to be
     * merged into it, or until the queue is half full. */
    STANDS_NS = 100000000,
    /* So long DeregisterQueue() waits for the queue's thread to come back from its handler. */
    LEAVE_LOOKS_MAX = 1000,
};

static pthread_mutex_t queues_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t drain_lock = PTHREAD_MUTEX_INITIALIZER;
static struct _ASGST_Queue *queues;

static struct asgst_queue_room *new_room(int size)
{
    uint32_t frames = (uint32_t)size < FRAMES_MAX / FRAMES_PER_ELEMENT
                          ? (uint32_t)size * FRAMES_PER_ELEMENT
                          : FRAMES_MAX;
    if (frames < FRAMES_MIN)
        frames = FRAMES_MIN;
    size_t bytes = sizeof(struct asgst_queue_room) + asgst_ring_bytes((uint32_t)size, frames);
    struct asgst_queue_room *room = pages_map(bytes);
    if (!room)
        return NULL;
    room->bytes = bytes;
    asgst_ring_init(&room->ring, room + 1, (uint32_t)size, frames);
    return room;
}

static void free_room(struct asgst_queue_room *room)
{
    if (room)
        munmap(room, room->bytes);
}

/* The thread whose JNIEnv this is. */
static pid_t tid_of_env(const struct asgst_vm *vm, JNIEnv *env)
{
    struct mem_view v = {.mem = &mem_self};
    const struct hs_layout *l = vm->layout;
    pid_t own = (pid_t)syscall(SYS_gettid);
    uint64_t thread = env ? asgst_thread_of_env(&v, l, (uint64_t)env) : 0;
    if (thread == 0)
        return own;
    uint64_t osthread = mem_view_u8(&v, thread + (uint64_t)l->thread_osthread);
    int32_t tid = mem_view_s4(&v, osthread + (uint64_t)l->osthread_id);
    return v.faults == 0 && tid > 0 ? tid : own;
}

static bool is_listed(const struct _ASGST_Queue *queue)
{
    for (const struct _ASGST_Queue *q = queues; q; q = q->next) {
        if (q == queue)
            return atomic_load(&q->write) != NULL;
    }
    return false;
}

static void call_around(struct _ASGST_Queue *q, const struct asgst_queue_around *which)
{
    struct _ASGST_Iterator it;
    struct asgst_queue_around h;
    pthread_mutex_lock(&queues_lock);
    h = *which;
    pthread_mutex_unlock(&queues_lock);
    if (!h.fun)
        return;
    struct asgst_ring *r = &q->read->ring;
    const struct asgst_ring_element *e = asgst_ring_youngest(r);
    if (h.offers_iterator && e)
        asgst_walk_replay(&it, r->store + e->store_at, e->frame_count, e->end_state, h.options);
    h.fun(q, h.offers_iterator && e ? &it : NULL, h.arg);
}

static void hand_out(struct _ASGST_Queue *q, struct asgst_ring *r)
{
    struct _ASGST_Iterator it;
    uint32_t count = asgst_ring_claimed(r);
    for (uint32_t i = 0; i < count; i++) {
        struct asgst_ring_element *e = asgst_ring_peek(r);
        if (!e)
            break;
        asgst_walk_replay(&it, r->store + e->store_at, e->frame_count, e->end_state, q->options);
        q->fun(&it, q->arg, e->arg);
        /* The last one of a batch stays until the handler around it has seen it. */
        if (i + 1 < count)
            asgst_ring_pop(r);
    }
}

/* One batch: all that is claimed. */
static void hand_out_batch(struct _ASGST_Queue *q)
{
    call_around(q, &q->before);
    hand_out(q, &q->read->ring);
    call_around(q, &q->after);
    asgst_ring_pop(&q->read->ring);
    atomic_store(&q->attempts, 0);
    q->waits_since_ns = 0;
    int size = atomic_exchange(&q->wanted_size, 0);
    if (size > 0 && size <= SIZE_MAX_ELEMENTS)
        free_room(atomic_exchange(&q->offered, new_room(size)));
}

/* The producer goes to another room only when the old one is empty. */
static void follow_producer(struct _ASGST_Queue *q)
{
    struct asgst_queue_room *next;
    while (asgst_ring_is_empty(&q->read->ring) && (next = atomic_load(&q->read->next)) != NULL) {
        free_room(q->read);
        q->read = next;
    }
}

/* Others may still be merged into what waits: the thread has not moved. */
static bool may_wait(struct _ASGST_Queue *q)
{
    const struct asgst_ring *r = &q->read->ring;
    uint64_t now_ns = clock_monotonic_ns();
    if (q->waits_since_ns == 0)
        q->waits_since_ns = now_ns;
    return now_ns - q->waits_since_ns < STANDS_NS && asgst_ring_size(r) <= r->capacity / 2 &&
           asgst_mark_stands(&q->mark, asgst_vm_get());
}

/* Claim what waits. 1, or 0: it is not ready. The look comes first, and the producer has not
 * entered from then on: what holds for the visit before the look holds for all that is claimed. */
static int claim(struct _ASGST_Queue *q)
{
    struct asgst_ring_look look = asgst_ring_look(&q->read->ring);
    return atomic_load(&q->inside) == 0 &&
           asgst_rest_is_over(&q->rest, q->tid, &q->mark, look.entries) &&
           asgst_ring_claim(&q->read->ring, &look);
}

/* Returns after how many ms more may be ready, 0: nothing waits. */
static uint32_t drain_queue(struct _ASGST_Queue *q)
{
    follow_producer(q);
    if (asgst_ring_is_empty(&q->read->ring))
        return 0;
    if (may_wait(q) || !claim(q))
        return LOOK_MS;
    hand_out_batch(q);
    return asgst_ring_is_empty(&q->read->ring) ? 0 : LOOK_MS;
}

/* Takes a queue off the list. The `next` of the queue stays, for who is just passing it. */
static void unlink_queue(const struct _ASGST_Queue *q)
{
    pthread_mutex_lock(&queues_lock);
    struct _ASGST_Queue **at = &queues;
    while (*at && *at != q)
        at = &(*at)->next;
    if (*at)
        *at = q->next;
    pthread_mutex_unlock(&queues_lock);
}

/* A handler that is inside has its room, and the elements it was given, still; no other comes in
 * after. The thread of such a handler may be this one only if it is stopped there for ever, which
 * no caller is. */
static void wait_for_producer(struct _ASGST_Queue *q)
{
    struct timespec pause = {0, NS_PER_MS};
    if (q->tid == (pid_t)syscall(SYS_gettid))
        return;
    while (atomic_load(&q->inside) != 0 && !os_thread_is_gone(q->tid))
        nanosleep(&pause, NULL);
    if (asgst_ring_is_empty(&q->read->ring))
        return;
    uint64_t entries = asgst_ring_look(&q->read->ring).entries;
    for (int i = 0; i < LEAVE_LOOKS_MAX; i++) {
        if (asgst_rest_is_over(&q->rest, q->tid, &q->mark, entries))
            return;
        nanosleep(&pause, NULL);
    }
}

/* Close it and hand out the rest. */
static void close_queue(struct _ASGST_Queue *q)
{
    atomic_store(&q->write, NULL);
    wait_for_producer(q);
    while (q->read) {
        struct asgst_ring_look look = asgst_ring_look(&q->read->ring);
        if (asgst_ring_claim(&q->read->ring, &look) && asgst_ring_claimed(&q->read->ring) != 0)
            hand_out_batch(q);
        struct asgst_queue_room *next = atomic_load(&q->read->next);
        free_room(q->read);
        q->read = next;
    }
    free_room(atomic_exchange(&q->offered, NULL));
    unlink_queue(q);
}

/* A work of the helper thread: hand out what waits in all queues and is not its thread's any more.
 * Returns after how many ms more may be ready, 0: nothing waits. */
static uint32_t drain_all(void)
{
    uint32_t wait_ms = 0;
    pthread_mutex_lock(&queues_lock);
    struct _ASGST_Queue *first = queues; /* new ones come in front of it; none goes away */
    pthread_mutex_unlock(&queues_lock);
    for (struct _ASGST_Queue *q = first; q; q = q->next) {
        pthread_mutex_lock(&drain_lock);
        if (atomic_load(&q->write)) {
            uint32_t ms = drain_queue(q);
            if (ms != 0 && (wait_ms == 0 || ms < wait_ms))
                wait_ms = ms;
            if (q->is_leaving || os_thread_is_gone(q->tid))
                close_queue(q);
        }
        pthread_mutex_unlock(&drain_lock);
    }
    return wait_ms;
}

static struct asgst_helper_work draining = {.run = drain_all};

ASGST_Queue *ASGST_RegisterQueue(JNIEnv *env, int size, int options, ASGST_Handler fun,
                                 void *argument)
{
    if (size <= 0 || size > SIZE_MAX_ELEMENTS || !fun || asgst_vm_try() != ASGST_VM_READY ||
        asgst_helper_start() < 0)
        return NULL;
    asgst_helper_add(&draining);
    struct _ASGST_Queue *q = calloc(1, sizeof(*q));
    struct asgst_queue_room *room = new_room(size);
    if (!q || !room) {
        free(q);
        free_room(room);
        return NULL;
    }
    q->tid = tid_of_env(asgst_vm_get(), env);
    q->options = options;
    q->fun = fun;
    q->arg = argument;
    q->read = room;
    atomic_store(&q->write, room);
    pthread_mutex_lock(&queues_lock);
    q->next = queues;
    queues = q;
    pthread_mutex_unlock(&queues_lock);
    return q;
}

bool ASGST_DeregisterQueue(JNIEnv *env, ASGST_Queue *queue)
{
    pthread_mutex_lock(&queues_lock);
    bool is_there = queue && is_listed(queue);
    pthread_mutex_unlock(&queues_lock);
    if (!is_there)
        return false;
    if (asgst_helper_is_self()) { /* from a handler: the rest of its batch still comes */
        queue->is_leaving = true;
        return true;
    }
    pthread_mutex_lock(&drain_lock);
    bool is_open = atomic_load(&queue->write) != NULL;
    if (is_open)
        close_queue(queue);
    pthread_mutex_unlock(&drain_lock);
    return is_open;
}

static void set_around(ASGST_Queue *queue, bool is_before, struct asgst_queue_around around)
{
    pthread_mutex_lock(&queues_lock);
    if (queue && is_listed(queue))
        *(is_before ? &queue->before : &queue->after) = around;
    pthread_mutex_unlock(&queues_lock);
}

void ASGST_SetOnQueueProcessingStart(ASGST_Queue *queue, int options, bool offerIterator,
                                     ASGST_OnQueueSafepointHandler before, void *arg)
{
    set_around(queue, 1, (struct asgst_queue_around){before, arg, options, offerIterator});
}

void ASGST_SetOnQueueProcessingEnd(ASGST_Queue *queue, int options, bool offerIterator,
                                   ASGST_OnQueueSafepointHandler end, void *arg)
{
    set_around(queue, 0, (struct asgst_queue_around){end, arg, options, offerIterator});
}
