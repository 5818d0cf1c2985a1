/*
 * jdwp_thread.c - what a debugger asks about threads: the set ThreadReference.
 *
 * A frame's id is the row of its thread and its own row there, both of the snapshot. Frames of
 * native code that is no Java method are not shown.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jdwp/jdwp_answer.h"
#include <string.h>
#include "jdwp/jdwp_stack.h"
#include "snapshot/snapshot.h"

enum {
    STATUS_ZOMBIE = 0,
    STATUS_RUNNING = 1,
    STATUS_SLEEPING = 2,
    STATUS_MONITOR = 3,
    STATUS_WAIT = 4
};
enum { SUSPENDED = 1 };

/* The row of the thread whose id comes next, in the snapshot; -1 and a failed reply: none. */
static int32_t take_thread(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct java_threads *threads = &vm->snapshot->java;
    const struct jdwp_class *c;
    uint64_t object = jdwp_object_take(vm, in, out, &c);
    int32_t row = object == 0 ? -1 : java_threads_with_object(threads, object);
    if (row >= 0 && threads->rows[row].object == object)
        return row;
    /* A thread that has not begun, or has ended, is an object without a row. */
    jdwp_wire_fail(out, JDWP_INVALID_THREAD);
    return -1;
}

static const struct java_thread *java_of(const struct jdwp_vm *vm, int32_t row)
{
    return &vm->snapshot->java.rows[row];
}

/* The name is that of the object, which a thread has before it begins and after it has ended. It is
 * a String, or an array of chars in early releases of JDK 8. */
void jdwp_thread_name(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    struct oops *o = &vm->snapshot->oops;
    const struct jdwp_class *c;
    uint64_t thread = jdwp_object_take(vm, in, out, &c), name;
    char text[4096];
    if (thread == 0)
        return;
    int32_t at = c->tag == JDWP_TAG_THREAD ? oops_field(o, c->klass, "name") : -1;
    if (at <= 0)
        jdwp_wire_fail(out, JDWP_INVALID_THREAD);
    else if (!oops_load(o, thread + (uint64_t)at, &name) || name == 0 ||
             oops_text(o, name, text, sizeof(text)) < 0)
        jdwp_wire_fail(out, JDWP_INTERNAL);
    else
        jdwp_wire_text(out, text);
}

void jdwp_thread_status(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    int32_t row = take_thread(vm, in, out);
    if (row < 0)
        return;
    uint32_t state = java_of(vm, row)->status;
    jdwp_wire_u4(out, !(state & JAVA_THREADS_ALIVE)   ? STATUS_ZOMBIE
                      : state & JAVA_THREADS_SLEEPING ? STATUS_SLEEPING
                      : state & JAVA_THREADS_BLOCKED  ? STATUS_MONITOR
                      : state & JAVA_THREADS_WAITING  ? STATUS_WAIT
                                                      : STATUS_RUNNING);
    jdwp_wire_u4(out, SUSPENDED);
}

void jdwp_thread_suspend_count(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    if (take_thread(vm, in, out) >= 0)
        jdwp_wire_u4(out, 1);
}

void jdwp_thread_is_virtual(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct jdwp_class *c;
    uint64_t object = jdwp_object_take(vm, in, out, &c);
    if (object == 0)
        return;
    bool is_virtual = oops_is_kind(&vm->snapshot->oops, c->klass, "java/lang/BaseVirtualThread");
    jdwp_wire_u1(out, is_virtual);
}

void jdwp_thread_group(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    int32_t row = take_thread(vm, in, out);
    uint64_t group;
    if (row < 0)
        return;
    if (!jdwp_group_of_thread(vm, java_of(vm, row)->object, &group))
        jdwp_wire_fail(out, JDWP_INTERNAL);
    jdwp_wire_u8(out, group);
}

/* ---- stacks and locks */

void jdwp_thread_frame_count(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    int32_t row = take_thread(vm, in, out);
    uint32_t count;
    if (row >= 0 && jdwp_stack_count(vm, row, out, &count))
        jdwp_wire_u4(out, count);
}

void jdwp_thread_frames(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    int32_t row = take_thread(vm, in, out);
    uint32_t first = rd_u4(in), wanted = rd_u4(in), count;
    if (row < 0 || !jdwp_stack_count(vm, row, out, &count))
        return;
    if (wanted == UINT32_MAX && first <= count)
        wanted = count - first; /* -1: all that are left */
    if (first > count)
        jdwp_wire_fail(out, JDWP_INVALID_INDEX);
    else if (wanted > count - first)
        jdwp_wire_fail(out, JDWP_INVALID_LENGTH);
    jdwp_wire_u4(out, wanted);
    for (uint32_t i = first; out->error == JDWP_OK && i < first + wanted; i++)
        jdwp_stack_put(vm, row, i, out);
}

static void put_owned(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out,
                      bool has_depths)
{
    const struct java_locks *locks = &vm->snapshot->locks;
    int32_t row = take_thread(vm, in, out);
    size_t count_at = out->used;
    uint32_t count = 0;
    if (row < 0)
        return;
    if (locks->out_of_memory || vm->snapshot->has_unread_locks)
        jdwp_wire_fail(out, JDWP_INTERNAL);
    jdwp_wire_u4(out, 0);
    for (int32_t i = java_locks_first(locks, (uint32_t)row); i >= 0; i = locks->rows[i].next) {
        const struct java_lock *l = &locks->rows[i];
        if (l->kind != JAVA_LOCK_HELD)
            continue;
        /* A monitor is named once, though it may be entered several times. */
        bool is_new = true;
        for (int32_t n = java_locks_first(locks, (uint32_t)row); n != i; n = locks->rows[n].next)
            is_new &= locks->rows[n].kind != JAVA_LOCK_HELD || locks->rows[n].object != l->object;
        if (!is_new)
            continue;
        jdwp_vm_put_tagged(vm, out, l->object, JDWP_TAG_OBJECT);
        if (has_depths) /* -1: not known which frame */
            jdwp_wire_u4(out, (uint32_t)jdwp_stack_depth_of(vm, row, l->frame));
        count++;
    }
    jdwp_wire_patch(out, count_at, count);
}

void jdwp_thread_owned(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    put_owned(vm, in, out, false);
}

void jdwp_thread_owned_depths(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    put_owned(vm, in, out, true);
}

void jdwp_thread_contended(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    const struct java_locks *locks = &vm->snapshot->locks;
    int32_t row = take_thread(vm, in, out);
    uint64_t object = 0;
    if (row < 0)
        return;
    if (locks->out_of_memory || vm->snapshot->has_unread_locks)
        jdwp_wire_fail(out, JDWP_INTERNAL);
    for (int32_t i = java_locks_first(locks, (uint32_t)row); i >= 0; i = locks->rows[i].next) {
        if (locks->rows[i].kind == JAVA_LOCK_ENTERING || locks->rows[i].kind == JAVA_LOCK_WAITING)
            object = locks->rows[i].object;
    }
    jdwp_vm_put_tagged(vm, out, object, JDWP_TAG_OBJECT);
}
