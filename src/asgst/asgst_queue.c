/*
 * asgst_queue.c - the ASGST queues on a VM without them.
 *
 * The VM of the articles calls a queue's handler in a handshake of the queue's thread. No stock VM
 * runs a library's code in a handshake. So ASGST_Enqueue() stores the whole stack in the signal
 * handler, and the helper thread hands the stored stack out: the frames are the same, and the
 * queue's handler may lock and allocate. An element waits until its thread has returned from the
 * signal handler (has_returned()). It waits a little longer while the thread has not moved in the
 * VM, so that the next signal handler can merge its stack into the element, as in the articles.
 *
 * Locks: queues_lock guards the list and the handlers of a queue; drain_lock is held while handlers
 * run. Order: drain_lock, then queues_lock. Handlers run under drain_lock only, so a handler may
 * register and deregister queues; it does this on the helper thread. A queue is closed and never
 * freed, because a signal handler may still have its pointer. Everything that a closed queue owns
 * is freed.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "asgst/asgst_queue.h"
#include <asgst.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "asgst/asgst_helper.h"
#include "asgst/asgst_vm.h"
#include "asgst/asgst_walk.h"
#include "base/os_thread.h"
#include "base/pages.h"
#include "safe/asgst_thread.h"
#include "safe/clock.h"
#include "safe/mem_self.h"

enum {
    SIZE_MAX_ELEMENTS = 1 << 20,
    /* Room for stacks: so many frames for each element, within limits. A frame has 40 bytes. */
    FRAMES_PER_ELEMENT = 64,
    FRAMES_MIN = 8192,
    FRAMES_MAX = 131072,
    /* The time between two looks at a queue in which an element waits. */
    LOOK_MS = 2,
    /* How long an element waits for others to be merged into it, while its thread has not moved in
     * the VM and the queue is at most half full. */
    STANDS_NS = 100000000,
    /* How many milliseconds DeregisterQueue() waits for the queue's thread to return from its
     * handler. */
    LEAVE_LOOKS_MAX = 1000,
};

/* ---- whether the queue's thread has returned from its signal handlers */

/* The time after which a thread has ended a visit, by the clock of its CPU time or by looks. */
enum {
    WORKED_NS = 1 * NS_PER_MS,
    WORKED_BLOCKED_NS = 100 * NS_PER_MS,
    ASLEEP_BLOCKED_LOOKS = 100,
};

/*
 * Whether the thread has ended the visit with the number `visit`, whose mark is `m`.
 *
 * No stock VM tells a library that a thread has polled for a safepoint, and a handshake of the VM
 * does not wait for a handler that runs in native code. The kernel's record of the thread's blocked
 * signals gives the answer at any time, and no thread is stopped for it.
 *
 * If the visit was in a handler: yes as soon as the handler's signal is not blocked any more. If
 * the visit had nothing blocked (a handler with SA_NODEFER, or a call outside of handlers): yes
 * when the thread sleeps in the kernel, or has used 1 ms of CPU time since. If the signal stays
 * blocked because the thread itself blocks it: yes when the thread has used 100 ms of CPU time
 * since, or sleeps after a hundred looks. If the thread has ended: yes.
 */
static bool has_returned(struct asgst_queue_rest *r, pid_t tid, const struct asgst_mark *m,
                         uint64_t visit)
{
    uint64_t inside = atomic_load(&m->inside_bits);
    struct os_thread_status now;
    if (os_thread_read_status(tid, &now) < 0)
        return os_thread_is_gone(tid);
    if (inside != 0 && (now.blocked & inside) != inside)
        return true;
    int sleeps = now.state == 'S';
    uint64_t cpu_ns = os_thread_cpu_ns(tid);
    if (r->visit != visit || r->looks == 0)
        *r = (struct asgst_queue_rest){.visit = visit, .cpu_ns = cpu_ns};
    r->looks++;
    if (inside != 0)
        return cpu_ns - r->cpu_ns >= WORKED_BLOCKED_NS ||
               (sleeps && r->looks >= ASLEEP_BLOCKED_LOOKS);
    return sleeps || cpu_ns - r->cpu_ns >= WORKED_NS;
}

/* ---- queues */

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

/* The id of the thread with this JNIEnv; the calling thread if there is none. */
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
        /* The last element of a batch stays in the ring until the handler after the batch has seen
         * it. */
        if (i + 1 < count)
            asgst_ring_pop(r);
    }
}

/* Hand out one batch: all elements that are claimed. */
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

/* Go to the room that the producer uses now. The producer leaves a room only when the room is
 * empty. */
static void follow_producer(struct _ASGST_Queue *q)
{
    struct asgst_queue_room *next;
    while (asgst_ring_is_empty(&q->read->ring) && (next = atomic_load(&q->read->next)) != NULL) {
        free_room(q->read);
        q->read = next;
    }
}

/* Whether the waiting elements may wait longer, because the thread has not moved and may still
 * merge into them. */
static bool may_wait(struct _ASGST_Queue *q)
{
    const struct asgst_ring *r = &q->read->ring;
    uint64_t now_ns = clock_monotonic_ns();
    if (q->waits_since_ns == 0)
        q->waits_since_ns = now_ns;
    return now_ns - q->waits_since_ns < STANDS_NS && asgst_ring_size(r) <= r->capacity / 2 &&
           asgst_mark_stands(&q->mark, asgst_vm_get());
}

/* Claim the elements that wait. Returns 1, or 0 if they are not ready. The ring is looked at first,
 * and the claim fails if the producer has entered since: so what holds for the last visit before
 * the look holds for all elements that are claimed. */
static int claim(struct _ASGST_Queue *q)
{
    struct asgst_ring_look look = asgst_ring_look(&q->read->ring);
    return atomic_load(&q->inside) == 0 && has_returned(&q->rest, q->tid, &q->mark, look.entries) &&
           asgst_ring_claim(&q->read->ring, &look);
}

/* Hand out what is ready in one queue. Returns after how many ms more elements may be ready; 0: no
 * element waits. */
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

/* Take a queue off the list. `next` of the queue keeps its value for a thread that is just passing
 * the queue. */
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

/* Wait until the producer has left the queue. A signal handler that is inside still uses its room
 * and the elements it was given; no other handler can come in, because the queue is closed. If the
 * caller is the queue's thread itself, there is nothing to wait for. */
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
        if (has_returned(&q->rest, q->tid, &q->mark, entries))
            return;
        nanosleep(&pause, NULL);
    }
}

/* Close a queue and hand out the elements that are left. */
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

/* A work of the helper thread: hand out the waiting elements of all queues that their threads do
 * not use any more. Returns after how many ms more elements may be ready; 0: no element waits. */
static uint32_t drain_all(void)
{
    uint32_t wait_ms = 0;
    pthread_mutex_lock(&queues_lock);
    struct _ASGST_Queue *first = queues; /* new queues come in front of it; no queue is freed */
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
    /* the caller is a handler of a queue: the rest of its batch still comes */
    if (asgst_helper_is_self()) {
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
