/*
 * heapimage_roots.c - see heapimage_roots.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapimage/heapimage_roots.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "heapwalk/heap_mark.h"
#include "snapshot/snapshot.h"

enum {
    ROWS_FIRST = 1024,
    ROWS_MAX = 64 << 20, /* more would not fit into memory; damaged lists may have them */
    STACK_PIECE = 4096,
    STACK_MAX = 64 << 20, /* bytes of one stack */
};

static bool grow(void **rows, uint32_t count, uint32_t *max, size_t size)
{
    if (count < *max)
        return true;
    uint32_t room = *max ? *max * 2 : ROWS_FIRST;
    void *more = room > ROWS_MAX ? NULL : reallocarray(*rows, room, size);
    if (!more)
        return false;
    *rows = more;
    *max = room;
    return true;
}

void heapimage_roots_add(struct heapimage_roots *r, const struct hprof_heap_root *row)
{
    if (grow((void **)&r->rows, r->count, &r->max, sizeof(*r->rows)))
        r->rows[r->count++] = *row;
    else
        r->out_of_memory = true;
}

static void add_word(struct heapimage_roots *r, const struct heapimage_word *word)
{
    const struct heapimage_word *last = r->word_count > 0 ? &r->words[r->word_count - 1] : NULL;
    /* a reference often stands twice: in a register's place and in its variable's */
    if (last && last->object == word->object && last->thread == word->thread &&
        last->frame == word->frame && last->is_exact == word->is_exact)
        return;
    if (grow((void **)&r->words, r->word_count, &r->word_max, sizeof(*r->words)))
        r->words[r->word_count++] = *word;
    else
        r->out_of_memory = true;
}

static void add_guess(struct heapimage_roots *r, uint64_t object, uint32_t thread)
{
    add_word(r, &(struct heapimage_word){.object = object, .thread = thread, .frame = -1});
}

/* ---- what the VM tells, and what may stand in its data */

struct collecting {
    struct heapimage_roots *roots;
    const struct heap *heap;
    uint32_t thread, trace;
};

static void add_of_vm(void *arg, enum vm_root_kind kind, uint64_t word)
{
    static const enum hprof_root_kind kinds[] = {[VM_ROOT_JNI_GLOBAL] = HPROF_ROOT_JNI_GLOBAL,
                                                 [VM_ROOT_JNI_LOCAL] = HPROF_ROOT_JNI_LOCAL,
                                                 [VM_ROOT_OWN] = HPROF_ROOT_UNKNOWN};
    const struct collecting *c = arg;
    const struct hprof_heap_root row = {.kind = kinds[kind],
                                        .object = heap_of_word(c->heap, word),
                                        .thread = c->thread,
                                        .trace = c->trace,
                                        .frame = -1};
    heapimage_roots_add(c->roots, &row);
}

/* A word of the VM's data: a root only if an object begins there. */
static void add_of_data(void *arg, enum vm_root_kind kind, uint64_t word)
{
    const struct collecting *c = arg;
    (void)kind;
    if (heap_has(c->heap, word) && (word & 7) == 0)
        add_guess(c->roots, word, 0);
}

static void add_locks(struct heapimage_roots *r, const struct snapshot *s)
{
    for (uint32_t i = 0; i < s->locks.count; i++) {
        const struct java_lock *lock = &s->locks.rows[i];
        const struct hprof_heap_root row = {.kind = HPROF_ROOT_MONITOR, .object = lock->object};
        if (lock->kind == JAVA_LOCK_HELD || lock->kind == JAVA_LOCK_RELOCK)
            heapimage_roots_add(r, &row);
    }
}

/* ---- words of stacks */

static void look_at(struct heapimage_roots *r, const struct heap *h, uint64_t word, uint32_t thread)
{
    if (heap_may_lead(h, word))
        add_guess(r, word, thread); /* heap_mark_guess() knows the colours */
    if (h->reference_bytes != 4)
        return;
    /* compiled code spills compressed references as they are */
    for (int half = 0; half < 2; half++) {
        uint64_t narrow = half ? word >> 32 : word & UINT32_MAX;
        uint64_t object = narrow == 0 ? 0 : h->oops.refs.base + (narrow << h->oops.refs.shift);
        if (heap_has(h, object) && (object & (h->align - 1)) == 0)
            add_guess(r, object, thread);
    }
}

static void look_at_stack(struct heapimage_roots *r, const struct heap *h, struct mem *m,
                          uint64_t low, uint64_t high, uint32_t thread)
{
    uint64_t words[STACK_PIECE / 8];
    low &= ~(uint64_t)7;
    if (high - low > STACK_MAX)
        high = low + STACK_MAX;
    for (uint64_t at = low; at < high;) {
        uint64_t next = (at & ~(uint64_t)(STACK_PIECE - 1)) + STACK_PIECE;
        next = next < high ? next : high;
        if (mem_read(m, at, words, (size_t)(next - at)) == 0) {
            for (uint64_t i = 0; i < (next - at) / 8; i++)
                look_at(r, h, words[i], thread);
        }
        at = next;
    }
}

/* ---- threads */

/* A thread whose stack is read. */
struct reading {
    struct collecting of;
    struct mem *mem;
    const struct vm_roots *vm;
    const struct snapshot_thread *thread;
    /* the frame of the trace to look at next, and its number among those of Java */
    uint32_t at, number;
};

/* The number of a frame in the trace; -1: the trace does not have it. Frames come innermost first.
 * What a compiled frame holds counts as its outermost method's. */
static int32_t frame_number(struct reading *x, uint64_t sp)
{
    const struct snapshot_thread *t = x->thread;
    for (; x->at < t->frame_count; x->at++) {
        const struct snapshot_frame *f = &t->frames[x->at];
        if (f->method && f->at.sp == sp && f->at.kind != WALK_KIND_INLINED)
            return (int32_t)x->number;
        if (f->at.sp > sp)
            break;
        x->number += f->method != NULL;
    }
    return -1;
}

static void see_reference(void *arg, uint64_t sp, uint64_t word)
{
    struct reading *x = arg;
    add_word(x->of.roots, &(struct heapimage_word){.object = word,
                                                   .thread = x->of.thread,
                                                   .frame = frame_number(x, sp),
                                                   .is_exact = true});
}

static void see_words(void *arg, uint64_t low, uint64_t high)
{
    const struct reading *x = arg;
    look_at_stack(x->of.roots, x->of.heap, x->mem, low, high, x->of.thread);
}

static void see_handles(void *arg, uint64_t block)
{
    struct reading *x = arg;
    vm_roots_of_handles(x->vm, block, add_of_vm, &x->of);
}

static void see_registers(void *arg, const struct regs *regs)
{
    const struct reading *x = arg;
    for (size_t i = 0; i < sizeof(regs->r) / sizeof(regs->r[0]); i++)
        look_at(x->of.roots, x->of.heap, regs->r[i], x->of.thread);
}

static void add_thread(struct heapimage_roots *r, struct stack_oops *stacks,
                       const struct vm_roots *vm, const struct snapshot *s, uint32_t row)
{
    const struct java_thread *java = s->threads[row].java;
    const struct image_thread *os = s->threads[row].os;
    const struct regs *regs = os && os->has_regs ? &os->regs : NULL;
    struct reading x = {
        .of = {r, stacks->heap, heapimage_roots_thread(row), heapimage_roots_trace(row)},
        .mem = s->target.mem,
        .vm = vm,
        .thread = &s->threads[row]};
    const struct stack_oops_user user = {&x, see_reference, see_words, see_handles, see_registers};
    const struct hprof_heap_root root = {.kind = HPROF_ROOT_THREAD,
                                         .object = java->object,
                                         .thread = x.of.thread,
                                         .trace = x.of.trace,
                                         .frame = -1};
    if (java->object)
        heapimage_roots_add(r, &root);
    vm_roots_of_thread(vm, java->addr, add_of_vm, &x.of);
    uint64_t sp = java->last_sp;
    if (regs && regs->sp >= java->stack_low && regs->sp < java->stack_high)
        sp = regs->sp;
    if (sp >= java->stack_low && sp < java->stack_high)
        stack_oops_walk(stacks, java, regs, sp, &user);
    else if (regs)
        see_registers(&x, regs);
}

int heapimage_roots_collect(struct heapimage_roots *r, const struct heap *h,
                            const struct vm_roots *vm, const struct snapshot *s)
{
    struct collecting c = {.roots = r, .heap = h};
    struct stack_oops *stacks = malloc(sizeof(*stacks));
    if (!stacks)
        return -ENOMEM;
    r->count = r->word_count = 0;
    vm_roots_each(vm, add_of_vm, &c);
    vm_roots_each_word(vm, add_of_data, &c);
    add_locks(r, s);
    stack_oops_init(stacks, h, &s->target, &s->target.vm->memory);
    for (uint32_t i = 0; i < s->java.platform_count && i < s->thread_count; i++)
        add_thread(r, stacks, vm, s, i);
    r->frames = stacks->counts;
    stack_oops_done(stacks);
    free(stacks);
    return r->out_of_memory ? -ENOMEM : 0;
}

uint32_t heapimage_roots_guess(struct heapimage_roots *r, struct heap_mark *m, bool are_exact)
{
    uint64_t objects[HEAP_MARK_GUESSES];
    uint32_t before = r->count;
    for (uint32_t i = 0; i < r->word_count; i++) {
        const struct heapimage_word *w = &r->words[i];
        uint32_t count = w->is_exact == are_exact ? heap_mark_guess(m, w->object, objects) : 0;
        for (uint32_t k = 0; k < count; k++) {
            const struct hprof_heap_root row = {.kind = are_exact ? HPROF_ROOT_JAVA_FRAME
                                                                  : HPROF_ROOT_NATIVE_STACK,
                                                .object = objects[k],
                                                .thread = w->thread,
                                                .frame = w->frame};
            heapimage_roots_add(r, &row);
            heap_mark_root(m, objects[k]);
        }
    }
    return r->count - before;
}

void heapimage_roots_done(struct heapimage_roots *r)
{
    free(r->rows);
    free(r->words);
    *r = (struct heapimage_roots){0};
}
