/*
 * asgst_enqueue.c - the producer's side of a queue.
 *
 * Runs in signal handlers, under the rules of src/safe. ASGST_Capabilities() is here, too, and so
 * are the functions of frame marks, which do nothing: frame marks need code inside the VM.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "asgst/asgst_helper.h"
#include "asgst/asgst_queue.h"
#include "asgst/asgst_walk.h"

/* The frames above the first frame with bytecode: C frames, and one native method. */
enum { TOP_FRAMES_MAX = 1000 };

_Static_assert(offsetof(ASGST_QueueElement, arg) == offsetof(struct asgst_ring_element, arg) &&
                   offsetof(ASGST_QueueElement, sp) == offsetof(struct asgst_ring_element, sp),
               "one is read as the other");

int ASGST_Capabilities(void)
{
    if (asgst_vm_is_unknown())
        return 0;
    asgst_helper_wake();
    return ASGST_REGISTER_QUEUE | ASGST_QUEUE_ON_HELPER_THREAD | ASGST_UNLOAD_IS_LATE;
}

static struct asgst_queue_room *choose_room(struct _ASGST_Queue *q)
{
    struct asgst_queue_room *room = atomic_load(&q->write);
    if (!room || !asgst_ring_is_empty(&room->ring))
        return room;
    struct asgst_queue_room *offered = atomic_exchange(&q->offered, NULL);
    if (!offered)
        return room;
    atomic_store(&q->write, offered);
    atomic_store(&room->next, offered);
    return offered;
}

/* Enter a queue. Returns the room to use, or NULL if the queue is closed. Each enter() needs a
 * leave(). The mark is written before the ring is entered: a consumer that sees the new entry in
 * the ring also sees the mark of this visit. */
static struct asgst_queue_room *enter(struct _ASGST_Queue *q, const void *ucontext)
{
    if (!q)
        return NULL;
    atomic_fetch_add(&q->inside, 1);
    asgst_mark_visit(&q->mark, asgst_vm_get(), ucontext);
    struct asgst_queue_room *room = choose_room(q);
    if (room)
        asgst_ring_enter(&room->ring);
    return room;
}

static void leave(struct _ASGST_Queue *q)
{
    if (q)
        atomic_fetch_sub(&q->inside, 1);
}

static bool has_bytecode(const ASGST_Frame *f)
{
    return f->type == ASGST_FRAME_JAVA || f->type == ASGST_FRAME_JAVA_INLINED;
}

static int store_frame(struct asgst_ring *r, const ASGST_Frame *f)
{
    struct asgst_ring_frame *s = asgst_ring_add(r);
    if (!s)
        return 0;
    *s = (struct asgst_ring_frame){.method = (uint64_t)f->method,
                                   .pc = (uint64_t)f->pc,
                                   .sp = (uint64_t)f->sp,
                                   .fp = (uint64_t)f->fp,
                                   .bci = f->bci,
                                   .level = (int8_t)f->comp_level,
                                   .type = f->type};
    return 1;
}

/* Store the stack. Returns 1; 0 if there is no room; or the walk's error if no frame has
 * bytecode. */
static int store_stack(struct _ASGST_Iterator *it, struct asgst_ring *r, bool wants_all,
                       struct asgst_ring_element *e)
{
    ASGST_Frame f;
    int state;
    bool has_java = false;
    while ((state = ASGST_NextFrame(it, &f)) == 1) {
        if (!has_java && has_bytecode(&f)) {
            has_java = true;
            e->pc = f.pc;
            e->sp = f.sp;
            e->fp = f.fp;
        }
        if ((has_java || wants_all) && !store_frame(r, &f))
            return 0;
    }
    e->end_state = state;
    if (has_java)
        return 1;
    return state < 0 ? state : ASGST_NO_TOP_JAVA_FRAME;
}

static int enqueue(struct _ASGST_Queue *q, struct asgst_ring *r, void *ucontext, void *argument)
{
    struct _ASGST_Iterator it;
    bool wants_all = (q->options & ASGST_INCLUDE_NON_JAVA_FRAMES) != 0;
    bool is_first = asgst_ring_is_empty(r);
    struct asgst_ring_element *e = asgst_ring_begin(r);
    if (!e)
        return ASGST_ENQUEUE_FULL_QUEUE;
    int result = asgst_walk_begin(&it, ucontext, q->options & ASGST_INCLUDE_NON_JAVA_FRAMES);
    if (result <= 0)
        return result;
    result = store_stack(&it, r, wants_all, e);
    if (result < 0)
        return result;
    if (result == 0)
        return is_first ? ASGST_ENQUEUE_OTHER_ERROR : ASGST_ENQUEUE_FULL_QUEUE;
    e->arg = argument;
    asgst_ring_commit(r);
    asgst_helper_wake();
    return ASGST_JAVA_TRACE;
}

int ASGST_Enqueue(ASGST_Queue *queue, void *ucontext, void *argument)
{
    struct asgst_queue_room *room = enter(queue, ucontext);
    int result = ASGST_ENQUEUE_NO_QUEUE;
    if (room) {
        atomic_fetch_add(&queue->attempts, 1);
        result = enqueue(queue, &room->ring, ucontext, argument);
    }
    leave(queue);
    return result;
}

int ASGST_GetEnqueuableElement(void *ucontext, ASGST_QueueElement *element)
{
    struct _ASGST_Iterator it;
    ASGST_Frame f;
    memset(element, 0, sizeof(*element));
    int result = asgst_walk_begin(&it, ucontext, 0);
    if (result <= 0)
        return result;
    for (int i = 0; i < TOP_FRAMES_MAX; i++) {
        int state = ASGST_NextFrame(&it, &f);
        if (state != 1)
            return state < 0 ? state : ASGST_NO_TOP_JAVA_FRAME;
        if (!has_bytecode(&f))
            continue;
        element->pc = f.pc;
        element->fp = f.fp;
        element->sp = f.sp;
        return ASGST_JAVA_TRACE;
    }
    return ASGST_NOT_WALKABLE;
}

ASGST_QueueElement *ASGST_GetQueueElement(ASGST_Queue *queue, int n)
{
    struct asgst_queue_room *room = enter(queue, NULL);
    ASGST_QueueElement *e = room ? (ASGST_QueueElement *)asgst_ring_get(&room->ring, n) : NULL;
    leave(queue);
    return e;
}

ASGST_QueueSizeInfo ASGST_GetQueueSizeInfo(ASGST_Queue *queue)
{
    struct asgst_queue_room *room = enter(queue, NULL);
    ASGST_QueueSizeInfo info = {0, 0, 0};
    if (room) {
        info.size = (jint)asgst_ring_size(&room->ring);
        info.capacity = (jint)room->ring.capacity;
        info.attempts = atomic_load(&queue->attempts);
    }
    leave(queue);
    return info;
}

void ASGST_ResizeQueue(ASGST_Queue *queue, int size)
{
    if (queue && size > 0)
        atomic_store(&queue->wanted_size, size);
}

ASGST_FrameMark *ASGST_RegisterFrameMark(JNIEnv *env, ASGST_FrameMarkHandler handler, int options,
                                         void *arg)
{
    return NULL;
}

void ASGST_MoveFrameMark(ASGST_FrameMark *mark, void *new_sp)
{
}

void *ASGST_GetFrameMarkStackPointer(ASGST_FrameMark *mark)
{
    return NULL;
}

void ASGST_RemoveFrameMark(ASGST_FrameMark *mark)
{
}
