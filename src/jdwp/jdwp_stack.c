/*
 * jdwp_stack.c - see jdwp_stack.h; and the set StackFrame.
 *
 * The slots of an interpreted frame go downwards from the word to which a slot of the frame points
 * (to JDK 20 an address, later a number of words). A value of two words is in the second of them.
 * The debug data of compiled code say where the slots of its frames are (local_debug.h).
 * Source: HotSpot frame_x86.hpp, frame_aarch64.hpp, interpreterFrame, stackValue.cpp.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jdwp/jdwp_stack.h"
#include <errno.h>
#include <string.h>
#include "hotspot/local_debug.h"
#include "jdwp/jdwp_answer.h"
#include "safe/hs_refs.h"
#include "safe/mem.h"
#include "safe/walk.h"
#include "snapshot/snapshot.h"

enum {
    ACC_STATIC = 0x0008,
    ACC_NATIVE = 0x0100,
    WORD = 8,
    LOCALS_WORDS_MAX = 1 << 17, /* a number of words between a frame and its slots is smaller */
};

static const struct snapshot_thread *thread_at(const struct jdwp_vm *vm, int32_t row)
{
    return &vm->snapshot->threads[row];
}

/* How many of the innermost frames are those in which a virtual thread leaves its carrier; JVM TI
 * does not show them. Source: HotSpot jvmtiEnvBase.cpp, skip_yield_frames_for_unmounted_vthread. */
static uint32_t yield_frames(const struct snapshot_thread *t)
{
    uint32_t i = 0;
    if (!t->java || t->java->addr != 0)
        return 0;
    while (i < t->frame_count && t->frames[i].method &&
           strcmp(t->frames[i].method->class_name, "jdk.internal.vm.Continuation") == 0 &&
           strncmp(t->frames[i].method->name, "yield", strlen("yield")) == 0)
        i++;
    return i;
}

bool jdwp_stack_count(struct jdwp_vm *vm, int32_t row, struct jdwp_wire_reply *out,
                      uint32_t *ret_count)
{
    const struct snapshot_thread *t = thread_at(vm, row);
    uint32_t count = 0;
    for (uint32_t i = yield_frames(t); i < t->frame_count; i++)
        count += t->frames[i].method != NULL;
    *ret_count = count;
    if (!t->is_unread && (count > 0 || t->cause < 0 || t->cause == WALK_NO_JAVA_FRAME))
        return true;
    /* The answer for a thread that runs: its frames are not known. */
    jdwp_wire_fail(out, JDWP_THREAD_NOT_SUSPENDED);
    return false;
}

/* The index of the Java frame at this depth. */
static uint32_t index_at(const struct snapshot_thread *t, uint32_t depth)
{
    uint32_t i = yield_frames(t);
    for (; i < t->frame_count; i++) {
        if (t->frames[i].method && depth-- == 0)
            break;
    }
    return i;
}

int32_t jdwp_stack_depth_of(const struct jdwp_vm *vm, int32_t row, int32_t frame)
{
    const struct snapshot_thread *t = thread_at(vm, row);
    int32_t depth = -1;
    if (frame < 0 || (uint32_t)frame >= t->frame_count)
        return -1;
    for (int32_t i = (int32_t)yield_frames(t); i <= frame; i++)
        depth += t->frames[i].method != NULL;
    return depth;
}

void jdwp_stack_put(struct jdwp_vm *vm, int32_t row, uint32_t depth, struct jdwp_wire_reply *out)
{
    const struct snapshot_thread *t = thread_at(vm, row);
    uint32_t i = index_at(t, depth);
    const struct snapshot_frame *f = &t->frames[i];
    const struct jdwp_class *c =
        i == t->frame_count ? NULL : jdwp_vm_class_of_method(vm, f->at.method);
    if (!c) {
        jdwp_wire_fail(out, JDWP_INTERNAL);
        return;
    }
    jdwp_wire_u8(out, (uint64_t)(row + 1) << 32 | i);
    jdwp_wire_u1(out, c->type);
    jdwp_wire_u8(out, c->klass);
    jdwp_wire_u8(out, f->at.method);
    /* A native method has the index -1; a method that has not begun is at its first bytecode. */
    jdwp_wire_u8(out, f->method->is_native ? UINT64_MAX : f->at.bci < 0 ? 0 : (uint64_t)f->at.bci);
}

/* ---- variables */

/* The frame that a debugger names by the ids of a thread and of a frame. */
struct place {
    const struct snapshot_thread *thread;
    const struct snapshot_frame *frame;
    struct method_debug method;
    uint64_t slots; /* address of slot 0; 0: not known */
    struct local_debug_frame
        compiled; /* pc 0: the frame is not compiled, or its place is unknown */
};

static uint64_t find_slots(const struct jdwp_vm *vm, const struct snapshot_thread *t,
                           const struct stopped_frame *f)
{
    const struct hs_layout *l = vm->snapshot->target.layout;
    uint64_t value;
    if (f->kind != WALK_KIND_INTERPRETED || f->fp == 0 || !t->java || f->fp < t->java->stack_low ||
        f->fp >= t->java->stack_high ||
        !jdwp_vm_u8(vm, f->fp + (uint64_t)((int64_t)l->interp.locals * WORD), &value))
        return 0;
    if (value < LOCALS_WORDS_MAX)
        value = f->fp + value * WORD;
    return (value & (WORD - 1)) == 0 && value > f->fp && value < t->java->stack_high ? value : 0;
}

static bool is_compiled(const struct stopped_frame *f)
{
    return f->kind == WALK_KIND_C1 || f->kind == WALK_KIND_C2 || f->kind == WALK_KIND_INLINED ||
           f->kind == WALK_KIND_JAVA;
}

/* The methods that are inlined in a frame of compiled code come before the method that has it. */
static struct local_debug_frame find_compiled(const struct snapshot_thread *t, uint64_t index)
{
    const struct stopped_frame *f = &t->frames[index].at;
    struct local_debug_frame ret = {.method = f->method, .bci = f->bci};
    if (!is_compiled(f) || f->sp == 0 || !t->java || f->sp < t->java->stack_low ||
        f->sp >= t->java->stack_high)
        return ret;
    for (uint64_t i = index; i > 0 && t->frames[i - 1].at.kind == WALK_KIND_INLINED &&
                             t->frames[i - 1].at.sp == f->sp && t->frames[i - 1].at.pc == f->pc;
         i--)
        ret.level++;
    ret.pc = f->pc;
    ret.sp = f->sp;
    return ret;
}

static bool take_place(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out,
                       struct place *ret_place)
{
    const struct java_threads *threads = &vm->snapshot->java;
    uint64_t object = rd_u8(in), id = rd_u8(in), row = (id >> 32) - 1, index = id & UINT32_MAX;
    if (id >> 32 == 0 || row >= threads->count || threads->rows[row].object != object ||
        index >= thread_at(vm, (int32_t)row)->frame_count) {
        jdwp_wire_fail(out, JDWP_INVALID_FRAMEID);
        return false;
    }
    struct place p = {.thread = thread_at(vm, (int32_t)row)};
    p.frame = &p.thread->frames[index];
    if (!p.frame->method || !method_debug_open(&vm->method_facts, p.frame->at.method, &p.method)) {
        jdwp_wire_fail(out, JDWP_INVALID_FRAMEID);
        return false;
    }
    p.slots = find_slots(vm, p.thread, &p.frame->at);
    p.compiled = find_compiled(p.thread, index);
    *ret_place = p;
    return true;
}

/* Whether a slot holds a variable where the frame stands. Without a table of variables nothing is
 * known against it. */
static bool is_in_scope(const struct place *p, uint32_t slot)
{
    uint64_t rows;
    int32_t count = method_debug_variables(&p->method, &rows);
    uint32_t bci = p->frame->at.bci < 0 ? 0 : (uint32_t)p->frame->at.bci;
    if (count < 0)
        return count == -ENOENT;
    for (int32_t i = 0; i < count; i++) {
        struct method_debug_variable v;
        if (!method_debug_variable(&p->method, rows, (uint32_t)i, &v))
            return false;
        if (v.slot == slot && bci >= v.start_bci && bci - v.start_bci < v.length)
            return true;
    }
    return false;
}

/* Decode a word that is a reference. Returns whether the object is known for certain. Generational
 * ZGC leaves addresses from before its last collection in slots until the thread goes on. If its
 * tables say that an object was moved from that address, it is not certain which object is meant:
 * another one may lie there now. */
static bool decode(const struct jdwp_vm *vm, uint64_t word, uint64_t *ret_object)
{
    const struct oops *o = &vm->snapshot->oops;
    struct mem_view view = {.mem = vm->snapshot->target.mem};
    uint64_t moved;
    if (o->refs.z_shift != 0) {
        if (o->refs.mover != HS_REFS_Z_TWO || word >> 48 != 0)
            return false;
        for (int table = 0; word != 0 && table < 2; table++) {
            if (hs_refs_moved(&view, &o->refs, word, table, &moved))
                return false;
        }
        *ret_object = word;
    } else if (o->refs.z_mask != 0 && o->refs.mover != HS_REFS_Z_ONE) {
        return false;
    } else {
        *ret_object = oops_of_word(o, word);
    }
    return *ret_object == 0 || jdwp_vm_class_of(vm, *ret_object);
}

static bool read_reference(const struct jdwp_vm *vm, uint64_t at, uint64_t *ret_object)
{
    uint64_t word;
    return jdwp_vm_u8(vm, at, &word) && decode(vm, word, ret_object);
}

static bool read_narrow(const struct jdwp_vm *vm, uint64_t at, uint64_t *ret_object)
{
    uint32_t word;
    if (!jdwp_vm_u4(vm, at, &word))
        return false;
    *ret_object = oops_of_narrow(&vm->snapshot->oops, word);
    return *ret_object == 0 || jdwp_vm_class_of(vm, *ret_object);
}

/* Read a slot of a compiled frame, for a value of `bytes`; 0: a reference. A place that holds
 * something else than the variable's type is not believed. */
static bool read_compiled(const struct jdwp_vm *vm, const struct place *p, uint32_t slot,
                          unsigned bytes, bool is_float, uint64_t *ret_value)
{
    struct local_debug l =
        local_debug_find(&vm->snapshot->target, &p->compiled, slot + (bytes == WORD));
    double doubled;
    float single;
    uint32_t half;
    *ret_value = l.at;
    switch (l.kind) {
    case LOCAL_DEBUG_INT:
        if (bytes == 0 || bytes == WORD || !jdwp_vm_u4(vm, l.at, &half))
            return false;
        *ret_value = half;
        return true;
    case LOCAL_DEBUG_DOUBLED:
        if (!is_float || bytes == WORD || !jdwp_vm_u8(vm, l.at, ret_value))
            return false;
        memcpy(&doubled, ret_value, sizeof(doubled));
        single = (float)doubled;
        memcpy(ret_value, &single, sizeof(single));
        return true;
    case LOCAL_DEBUG_LONG:
        return bytes == WORD && jdwp_vm_u8(vm, l.at, ret_value);
    case LOCAL_DEBUG_REFERENCE:
        return bytes == 0 && read_reference(vm, l.at, ret_value);
    case LOCAL_DEBUG_NARROW:
        return bytes == 0 && read_narrow(vm, l.at, ret_value);
    case LOCAL_DEBUG_CONSTANT_INT:
        return bytes > 0 && bytes < WORD;
    case LOCAL_DEBUG_CONSTANT_LONG:
        return bytes == WORD;
    case LOCAL_DEBUG_NULL:
        return bytes == 0;
    default:
        return false;
    }
}

/* Read a slot for a value of `bytes`; 0: a reference. */
static bool read_slot(const struct jdwp_vm *vm, const struct place *p, uint32_t slot,
                      unsigned bytes, bool is_float, uint64_t *ret_value)
{
    uint64_t at = p->slots - (uint64_t)(slot + (bytes == WORD)) * WORD;
    if (p->compiled.pc != 0)
        return read_compiled(vm, p, slot, bytes, is_float, ret_value);
    if (p->slots == 0)
        return false;
    return bytes == 0 ? read_reference(vm, at, ret_value) : jdwp_vm_u8(vm, at, ret_value);
}

static void put_slot(struct jdwp_vm *vm, const struct place *p, uint32_t slot, char type,
                     struct jdwp_wire_reply *out)
{
    unsigned bytes = jdwp_value_bytes(type);
    uint32_t words = bytes == WORD ? 2 : 1;
    uint64_t value;
    if (slot >= p->method.max_locals || words > p->method.max_locals - slot ||
        !is_in_scope(p, slot)) {
        jdwp_wire_fail(out, JDWP_INVALID_SLOT);
    } else if (!read_slot(vm, p, slot, bytes, type == 'F', &value)) {
        jdwp_wire_fail(out, JDWP_ABSENT_INFORMATION);
    } else if (bytes == 0) {
        jdwp_vm_put_tagged(vm, out, value, type == '[' ? JDWP_TAG_ARRAY : JDWP_TAG_OBJECT);
    } else {
        jdwp_wire_u1(out, (uint8_t)type);
        jdwp_value_put_bytes(out, &value, bytes);
    }
}

void jdwp_stack_values(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    enum { ROW_BYTES = 5 };
    struct place p;
    if (!take_place(vm, in, out, &p))
        return;
    uint32_t count = rd_u4(in);
    if (count > rd_left(in) / ROW_BYTES)
        jdwp_wire_fail(out, JDWP_ILLEGAL_ARGUMENT);
    jdwp_wire_u4(out, count);
    for (uint32_t i = 0; i < count && out->error == JDWP_OK; i++) {
        uint32_t slot = rd_u4(in);
        put_slot(vm, &p, slot, (char)rd_u1(in), out);
    }
}

void jdwp_stack_this(struct jdwp_vm *vm, struct rd *in, struct jdwp_wire_reply *out)
{
    struct place p;
    uint64_t value = 0;
    if (!take_place(vm, in, out, &p))
        return;
    bool is_static = (p.method.access & ACC_STATIC) != 0;
    /* An error of slots: debuggers ask for this with each frame, and take it as "not known". */
    if (!is_static &&
        ((p.method.access & ACC_NATIVE) != 0 || !read_slot(vm, &p, 0, 0, false, &value)))
        jdwp_wire_fail(out, JDWP_INVALID_SLOT);
    jdwp_vm_put_tagged(vm, out, value, JDWP_TAG_OBJECT);
}
