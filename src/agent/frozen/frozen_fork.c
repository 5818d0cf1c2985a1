/*
 * frozen_fork.c - the pause: collect the roots, fork, let the VM go.
 *
 * FollowReferences reports all roots before it visits an object. The callback asks for the contents
 * of only one root, an array of the agent (the sentinel). So the callback for its contents comes
 * right after the last root. From JDK 21 on the process forks there, and the child runs no code of
 * the VM. Before JDK 21 the VM would pass over the whole heap when the walk is left there. So on
 * these JDKs the process forks at the first root of kind "other", when all roots of threads are
 * known; the child collects the other roots and goes on from there. If the child's heap is a copy,
 * it reads the other roots by itself (vm_roots.h), because it runs no code of the VM.
 *
 * The address of an object lies two words below its tag. Every dump checks this with the sentinel,
 * whose address is also known from its JNI reference. Source: HotSpot jvmtiTagMap.cpp; all
 * measured, see docs/heap-dump-how.md. SPDX-License-Identifier: Apache-2.0
 */
#include "agent/frozen/frozen_state.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/err.h"
#include "hotspot/layout.h"
#include "safe/clock.h"
#include "safe/mem.h"
#include "vm/vm_heap.h"

enum {
    DONTFORK_MIN = 1 << 20, /* bytes; a system call for a smaller piece is not worth its time */
    DONTFORK_MAX = 64,      /* pieces at most; each may split a mapping in two for a moment */
    FORK_AT_END = 21,       /* first JDK in which the walk may be left after the roots */
    START_MS = 20,          /* fork only if the memory is enough for the program for this time */
    BUFFERS = 8 << 20,      /* bytes of the child's buffers */
    UNWRITTEN_SHARE = 4,    /* a fourth of what is left may wait for the disk */
    HEAP_OF_A_MARK = 64,    /* bytes of the heap for each byte of marks */
    HEAP_OF_A_TABLE = 512,  /* bytes of the heap for each byte of page tables */
};

/* ---- inside the pause: the VM's memory does not change and is read directly */

static int read_direct(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    memcpy(dst, (const void *)(uintptr_t)addr, len);
    return 0;
}

static const struct mem_ops direct_ops = {.read = read_direct};
static struct mem direct = {.ops = &direct_ops};

/* Keeps the unused part of the heap out of the child, because a fork takes time for copying page
 * tables. */
static void advise_unused(const struct frozen_vm *v, int64_t count, int advice)
{
    uint64_t from = 0, to = 0, page = (uint64_t)sysconf(_SC_PAGESIZE);
    int done = 0;
    for (int64_t i = 0; i <= count && done < DONTFORK_MAX; i++) {
        const struct heap_range *r = &v->ranges[i];
        uint64_t low = i < count ? (r->top + page - 1) & ~(page - 1) : 0;
        if (i < count && r->bottom == to &&
            low == r->bottom) { /* a free piece right behind a free piece */
            to = r->end;
            continue;
        }
        if (to > from && to - from >= DONTFORK_MIN) {
            madvise((void *)(uintptr_t)from, to - from, advice);
            done++;
        }
        from = low;
        to = i < count ? r->end & ~(page - 1) : 0;
    }
}

/* Bytes that the child itself needs, whatever the program does. The sites may need more if there
 * are many small objects; but without a child the tags of these objects would need as much. */
static uint64_t child_needs(const struct frozen_vm *v, int64_t count)
{
    uint64_t bytes = 0;
    for (int64_t i = 0; i < count; i++)
        bytes += v->ranges[i].top - v->ranges[i].bottom;
    return BUFFERS + bytes / HEAP_OF_A_MARK + bytes / HEAP_OF_A_TABLE;
}

/* Bytes that are left beside what the child and the reserve need. */
static uint64_t spare_of(const struct frozen *f, int64_t ranges)
{
    uint64_t left = headroom_left(&f->headroom);
    uint64_t needs = child_needs(&f->vm, ranges) + headroom_share(&f->headroom);
    return left > needs ? left - needs : 0;
}

static pid_t fork_now(struct frozen *f, bool at_end)
{
    uint64_t begin = clock_monotonic_ns();
    /* at the end: no signal when the child ends, no handlers of fork() */
    pid_t pid = at_end ? (pid_t)syscall(SYS_clone, 0, 0, 0, 0, 0) : fork();
    char path[64];
    if (pid > 0) {
        snprintf(path, sizeof(path), "/proc/%d/oom_score_adj", (int)pid);
        frozen_child_goes_first(path);
        f->fork.ns = clock_monotonic_ns() - begin;
    }
    return pid;
}

/*
 * Watch the child from now on. If the program is to stand still, this thread of the VM waits here,
 * in the walk's callback, until the child has ended. It reads its own stack, `f`, the page that it
 * shares with the child, and files of /proc and of cgroups by pread(): nothing of the heap and
 * nothing that another thread of the VM may change; it takes no lock and no memory.
 */
static void note_child(struct frozen *f, pid_t pid)
{
    f->fork.child = pid;
    frozen_watch_note(&f->watch, pid, f->fork.ns);
    if (f->stand.is_on)
        frozen_watch_stand(&f->watch, f->stand.most_ns);
}

void frozen_fork_here(struct frozen *f, bool at_end)
{
    struct frozen_vm *v = &f->vm;
    int64_t ranges = heap_ranges(&v->heap, v->ranges, v->range_max);
    bool is_copied = frozen_vm_is_copied(v);
    frozen_classes_locate(&f->classes, v);
    if (f->use->locate)
        f->use->locate(f->self);
    headroom_look(&f->headroom, clock_monotonic_ns());
    /* a program that stands still takes nothing meanwhile */
    f->fork.no_room = f->stand.is_on ? headroom_ends(&f->headroom, child_needs(v, ranges))
                                     : headroom_lacks(&f->headroom, child_needs(v, ranges),
                                                      (uint64_t)START_MS * NS_PER_MS);
    f->stand.unwritten_bytes = spare_of(f, ranges) / UNWRITTEN_SHARE;
    f->fork.is_moving = is_copied && heap_is_moving(&v->heap);
    if (f->fork.is_moving)
        f->fork.no_room = "the collector is moving objects";
    if (!f->fork.no_room && is_copied)
        f->fork.no_room = frozen_copy_take(&f->copy, v->ranges, ranges, &f->headroom);
    f->fork.copied_before = f->copy.before_bytes;
    f->fork.copied_inside = f->copy.inside_bytes;
    if (f->fork.no_room)
        return;
    if (!is_copied) /* page tables of shared memory are not copied */
        advise_unused(v, ranges, MADV_DONTFORK);
    headroom_expect(&f->headroom, child_needs(v, ranges));
    pid_t pid = fork_now(f, at_end);

    if (pid == 0) {
        f->fork.is_child = true;
        if (is_copied)
            frozen_copy_place(&f->copy, v->ranges, ranges);
        f->fork.begin_ns = clock_monotonic_ns();
        frozen_child_enter(f);
        return;
    }
    if (pid < 0)
        f->fork.error = errno;
    else
        note_child(f, pid);
    if (!is_copied)
        advise_unused(v, ranges, MADV_DOFORK);
    f->fork.pause_ns = clock_monotonic_ns() - f->fork.stopped_ns;
}

/* All roots are known. */
static jint at_roots_end(struct frozen *f)
{
    f->fork.is_at_roots_end = true;
    if (f->fork.is_calibrated && !f->fork.is_child && f->roots.count < f->roots.max)
        frozen_fork_here(f, !frozen_sites_by_walk(&f->sites, &f->vm));
    if (!f->fork.is_child)
        return JVMTI_VISIT_ABORT;
    if (!f->sites.rows || frozen_sites_read(&f->sites, &f->vm, f->status) == 0)
        frozen_child_run(f);
    if (!frozen_sites_by_walk(&f->sites, &f->vm)) {
        f->status->is_siteless = 1;
        frozen_child_run(f);
    }
    f->status->is_walked = 1;
    frozen_child_take_over(f); /* runs at the end of the walk */
    return JVMTI_VISIT_OBJECTS;
}

/* Notes the site of one object. If the table of tags cannot be read, the child lets the walk go on
 * to get the sites. */
static jint note_site(struct frozen *f, uint64_t object, jlong tag)
{
    frozen_sites_note(&f->sites, &f->vm.heap, object, tag);
    frozen_status_progress(f->status, 1);
    return JVMTI_VISIT_OBJECTS;
}

/* The root is the sentinel: check whether the addresses of objects lie where they are expected. */
static jint at_sentinel(struct frozen *f, uint64_t object)
{
    f->fork.is_calibrated =
        frozen_vm_object(&f->vm, f->vm.sentinel) == object && heap_has(&f->vm.heap, object);
    return f->fork.is_calibrated ? JVMTI_VISIT_OBJECTS : JVMTI_VISIT_ABORT;
}

/* Before JDK 21, in a child whose heap is a copy: reads those roots that the walk has not come to.
 * Reads the VM's lists of references in memory that the fork has frozen. */
static void add_own_root(void *arg, enum vm_root_kind kind, uint64_t word)
{
    struct frozen *f = arg;
    if (kind == VM_ROOT_OWN)
        frozen_roots_add(&f->roots, &f->threads, JVMTI_HEAP_REFERENCE_OTHER, NULL,
                         heap_of_word(&f->vm.heap, word));
}

/* The first root that the VM holds for itself: all those of threads are known. */
static jint at_own_roots(struct frozen *f)
{
    bool is_copied = frozen_vm_is_copied(&f->vm);
    frozen_fork_here(f, is_copied);
    if (!f->fork.is_child)
        return JVMTI_VISIT_ABORT;
    if (!is_copied)
        return 0;
    vm_roots_each(&f->vm.own_roots, add_own_root, f);
    f->status->is_siteless = f->sites.rows && frozen_sites_read(&f->sites, &f->vm, f->status) != 0;
    frozen_child_run(f);
}

static bool must_fork_before_the_end(const struct frozen *f)
{
    return f->fork.is_calibrated && !f->fork.is_child && f->vm.target.layout->version < FORK_AT_END;
}

static jint JNICALL on_reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                                 jlong class_tag, jlong referrer_class_tag, jlong size,
                                 jlong *tag_ptr, jlong *referrer_tag_ptr, jint length, void *arg)
{
    struct frozen *f = arg;
    uint64_t object = vm_heap_address(tag_ptr);
    if (!f->fork.stopped_ns)
        f->fork.stopped_ns = clock_monotonic_ns();
    if (f->roots.count == 0 && !f->fork.is_calibrated)
        heap_stand_still(&f->vm.heap);
    if (referrer_tag_ptr)
        return f->fork.is_at_roots_end ? note_site(f, object, *tag_ptr) : at_roots_end(f);
    if (*tag_ptr == FROZEN_VM_SENTINEL)
        return at_sentinel(f, object);
    if (kind == JVMTI_HEAP_REFERENCE_OTHER && must_fork_before_the_end(f) &&
        at_own_roots(f) == JVMTI_VISIT_ABORT)
        return JVMTI_VISIT_ABORT;
    frozen_roots_add(&f->roots, &f->threads, kind, info, object);
    frozen_roots_name_found(&f->roots, &f->threads, &f->vm);
    return frozen_sites_by_walk(&f->sites, &f->vm) ? note_site(f, object, *tag_ptr) : 0;
}

static const char *why_no_child(const struct frozen *f, jvmtiError error)
{
    return f->fork.no_room          ? f->fork.no_room
           : f->fork.error          ? strerror(f->fork.error)
           : error                  ? "FollowReferences failed"
           : !f->fork.is_calibrated ? "the addresses of objects are not where they were expected"
                                    : "too many roots";
}

int frozen_fork_start(struct frozen *f)
{
    jvmtiHeapCallbacks callbacks = {.heap_reference_callback = on_reference};
    jvmtiEnv *walker = f->sites.walker;
    struct mem *usual = f->vm.target.mem;
    f->fork = (struct frozen_fork){.parent = getpid()};
    f->roots.count = 0;
    f->vm.target.mem = &direct;
    jvmtiError error = vm_heap_follow(walker, 0, NULL, &callbacks, f);

    f->vm.target.mem = usual;
    if (!f->fork.is_moving) /* the next try needs it */
        frozen_copy_done(&f->copy);
    if (f->fork.child > 0)
        return 0;
    if (error == JVMTI_ERROR_WRONG_PHASE)
        return E_ENDING;
    snprintf(f->status->why, sizeof(f->status->why), "%s", why_no_child(f, error));
    return f->fork.error ? -f->fork.error : E_UNSUPPORTED;
}
