/*
 * copied_stack.c - see copied_stack.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "snapshot/copied_stack.h"
#include <elf.h>
#include <errno.h>
#include <string.h>
#include "base/err.h"
#include "mem/mem_live.h"
#include "mem/proc_stat.h"
#include "safe/clock.h"

enum {
    /* The list of threads is not read more often than this; a thread that was not in it is looked
     * for again after the longer time. */
    READ_LIST_MS = 10,
    NATIVE_MS = 1000,
    /* The stack of a thread that the VM does not know is taken to end so far behind the copy. */
    OTHER_STACK_BYTES = 8 << 20,
    /* Where a walk finds `thread`: no process has memory there. Source: vm.mmap_min_addr. */
    THREAD_AT = 4096,
};

static int read_past(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    struct copied_stack *c = (struct copied_stack *)m;
    if (addr >= c->low && addr < c->end && len <= c->end - addr) {
        memcpy(dst, c->bytes + (addr - c->low), len);
        return 0;
    }
    if (addr >= c->low && addr < c->limit) {
        c->is_passed = true;
        return -EFAULT;
    }
    if (addr >= THREAD_AT && addr - THREAD_AT < sizeof(c->thread) &&
        len <= sizeof(c->thread) - (addr - THREAD_AT)) {
        memcpy(dst, c->thread + (addr - THREAD_AT), len);
        return 0;
    }
    return mem_read(&c->live->mem, addr, dst, len);
}

static const struct mem_ops past_ops = {.read = read_past};

int copied_stack_open(struct mem_live *live, unsigned machine, struct copied_stack *ret,
                      const char **ret_missing)
{
    memset(ret, 0, sizeof(*ret));
    ret->mem.ops = &past_ops;
    ret->live = live;
    int error = snapshot_open(&ret->vm, &live->image, false, ret_missing);
    ret->has_vm = error == 0;
    ret->no_layout.cpu = machine == EM_AARCH64 ? HS_CPU_AARCH64 : HS_CPU_X86_64;
    ret->memory =
        (struct hs_memory){.mem = &ret->mem,
                           .layout = ret->has_vm ? ret->vm.target.layout : &ret->no_layout,
                           .unwind = &ret->vm.unwind};
    ret->has_inner_tids = proc_stat_inner_tid(live->pid, live->pid) != live->pid;
    return error == E_NOT_FOUND ? 0 : error;
}

void copied_stack_close(struct copied_stack *c)
{
    java_threads_done(&c->java);
    snapshot_close(&c->vm);
}

/* ---- whose stack it is */

static const struct java_thread *find_listed(const struct copied_stack *c,
                                             const struct copied_stack_of *of)
{
    for (uint32_t i = 0; i < c->java.count; i++) {
        const struct java_thread *t = &c->java.rows[i];
        if (of->regs.sp >= t->stack_low && of->regs.sp < t->stack_high &&
            (c->has_inner_tids || t->os_tid == of->tid))
            return t;
    }
    return NULL;
}

static struct copied_stack_native *find_native(struct copied_stack *c, pid_t tid)
{
    for (uint32_t i = 0; i < COPIED_STACK_NATIVES; i++)
        if (c->natives[i].tid == tid)
            return &c->natives[i];
    return NULL;
}

/* The Java thread; NULL: it is none. The list of threads is read again if a thread is new in it. */
static const struct java_thread *thread_of(struct copied_stack *c, const struct copied_stack_of *of)
{
    if (!c->has_vm)
        return NULL;
    const struct java_thread *t = find_listed(c, of);
    uint64_t now_ns = clock_monotonic_ns();
    struct copied_stack_native *native = t ? NULL : find_native(c, of->tid);
    if (t || (native && now_ns - native->seen_ns < (uint64_t)NATIVE_MS * NS_PER_MS))
        return t;
    if (c->read_ns == 0 || now_ns - c->read_ns >= (uint64_t)READ_LIST_MS * NS_PER_MS) {
        java_threads_done(&c->java);
        memset(&c->java, 0, sizeof(c->java));
        java_threads_read(&c->vm.oops, &c->java); /* a part of the list is better than none */
        c->read_ns = now_ns;
        t = find_listed(c, of);
        if (!t) {
            native = native ? native : &c->natives[c->native_next++ % COPIED_STACK_NATIVES];
            *native = (struct copied_stack_native){of->tid, now_ns};
        }
    }
    return t;
}

/* Set a field of `thread`. The offset comes from the process. */
static void set_field(struct copied_stack *c, int32_t offset, uint64_t value, size_t len)
{
    if (offset >= 0 && (size_t)offset <= sizeof(c->thread) - len)
        memcpy(c->thread + offset, &value, len);
}

/* Make up a JavaThread in the VM. A thread that has ended by now, or is not in the list yet, may
 * have run Java code. */
static uint64_t make_thread(struct copied_stack *c)
{
    const struct hs_layout *l = c->vm.target.layout;
    uint32_t state = 0;
    while (state < HS_THREAD_STATES && hs_layout_state(l, state) != HS_THREAD_IN_VM)
        state++;
    memset(c->thread, 0, sizeof(c->thread));
    set_field(c, l->thread_state, state, 4);
    set_field(c, l->thread_stack_base, c->end + OTHER_STACK_BYTES, 8);
    set_field(c, l->thread_stack_size, c->end + OTHER_STACK_BYTES - c->low, 8);
    return THREAD_AT;
}

/* ---- the walk */

static void walk(struct copied_stack *c, const struct copied_stack_of *of,
                 const struct java_thread *thread, struct copied_stack_result *ret)
{
    struct stopped_stack_request request = {.memory = &c->memory,
                                            .wants_native = true,
                                            .is_past = true,
                                            .java_thread = thread      ? thread->addr
                                                           : c->has_vm ? make_thread(c)
                                                                       : 0,
                                            .regs = &of->regs};
    bool is_truncated;
    int cause;
    c->is_passed = false;
    ret->count =
        stopped_stack_walk(&request, c->walked, COPIED_STACK_FRAMES, &is_truncated, &cause);
    for (uint32_t i = 0; !thread && i < ret->count; i++)
        if (c->walked[i].sp >= c->end) { /* nobody knows where the stack ends: memory is read */
            c->is_passed = true;
            is_truncated = true;
            ret->count = i;
        }
    bool is_ended = cause != WALK_BROKEN && !is_truncated && ret->count > 0 &&
                    !c->walked[ret->count - 1].is_cut;
    ret->is_cut = c->is_passed && !is_ended;
    ret->is_frozen = false;
    for (uint32_t i = 0; i < ret->count; i++)
        ret->is_frozen |= c->walked[i].method != 0 && c->walked[i].is_cut;
    ret->is_broken = !ret->is_cut && !ret->is_frozen && !is_ended;
}

int copied_stack_walk(struct copied_stack *c, const struct copied_stack_of *of,
                      struct copied_stack_result *ret)
{
    if (of->time_ns >=
        c->aged_ns) { /* the code that the thread ran may be younger than our pages */
        c->aged_ns = clock_monotonic_ns();
        mem_live_age(c->live);
    }
    const struct java_thread *thread = thread_of(c, of);
    *ret = (struct copied_stack_result){.frames = c->frames,
                                        .thread_name = thread ? thread->name : NULL};
    c->bytes = of->bytes;
    c->low = of->regs.sp;
    c->end = c->low + of->len;
    c->limit = thread ? thread->stack_high : c->end;
    walk(c, of, thread, ret);
    for (uint32_t i = 0; i < ret->count; i++) {
        struct snapshot_frame *f = &c->frames[i];
        *f = (struct snapshot_frame){.at = c->walked[i], .line = -1};
        if (f->at.method != 0) {
            f->method = java_methods_get(&c->vm.methods, f->at.method);
            if (!f->method)
                return -ENOMEM;
        }
        snapshot_name_frame(&c->vm, f);
    }
    return 0;
}
