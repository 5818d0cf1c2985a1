/*
 * heapdump_fork.c - the pause of a heap dump: collect the roots, fork, let the VM go.
 *
 * FollowReferences reports all roots before it visits an object. An array of ours, a root itself,
 * is the only one whose contents we ask for: its callback comes right behind the last root. From
 * JDK 21 on the fork happens there, and the child runs no code of the VM. Before JDK 21 leaving the
 * walk there would cost a pass over the heap; so the fork happens at the first root of kind
 * "other", when all roots of threads are known, and the child takes the rest of them and goes on
 * from there. The address of an object lies two words below its tag, which is checked in every dump
 * with the sentinel, whose address we know otherwise. Source: HotSpot jvmtiTagMap.cpp; all
 * measured, see docs/heap-dump.md. SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "agent/heapdump/heapdump.h"
#include "base/err.h"
#include "hotspot/layout.h"
#include "safe/mem.h"
#include "safe/clock.h"

enum {
    MAPS_LINE = 512,
    MODE = 5,               /* a blank, and r, w, x, p or s */
    DONTFORK_MIN = 1 << 20, /* smaller pieces are not worth a system call */
    DONTFORK_MAX = 64,      /* each may split a mapping in two for a moment */
    FORK_AT_END = 21,       /* the JDK from which on the walk may be left behind the roots */
    STACK_NEAR = 1 << 16,   /* so near in one stack lies what callbacks point to */
    START_MS = 20,          /* the program's memory for so long is there, or nothing is forked */
    BUFFERS = 8 << 20,      /* of the child */
    HEAP_OF_A_MARK = 64,    /* bytes of the heap to one of its marks, */
    HEAP_OF_A_TABLE = 512,  /* and of page tables */
};

/* A heap that is mapped shared is not frozen by a fork. That of ZGC is copied: heapdump_copy.c. */
static int heap_is_private(const struct heap *h)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[MAPS_LINE];
    int is_private = maps != NULL;

    while (maps && fgets(line, sizeof(line), maps)) {
        char *at; /* "low-high rwxp offset ..." in hexadecimal */
        uint64_t low = strtoull(line, &at, 16);
        uint64_t high = *at == '-' ? strtoull(at + 1, &at, 16) : 0;

        if (low < h->high && high > h->low && strnlen(at, MODE) == MODE && at[MODE - 1] != 'p')
            is_private = 0;
    }
    if (maps)
        fclose(maps);
    return is_private;
}

void heapdump_fork_open(struct heapdump *d)
{
    const char *why = "";
    struct heap_classes classes;
    struct arena arena;
    int error;

    arena_init(&arena, 1 << 20);
    error = target_open_self(&d->target, &why);
    if (!error)
        error = heap_open(&d->target, &d->heap, &why);
    if (!error)
        error = heap_class_init(&classes, &d->heap, &arena, &why);
    arena_done(&arena);
    if (!error && d->heap.collector != HEAP_ZGC && !heap_is_private(&d->heap)) {
        why = "its heap is mapped shared, a fork would not freeze it";
        error = E_UNSUPPORTED;
    }
    if (!error) {
        d->range_max = heap_ranges_max(&d->heap);
        d->ranges = mmap(NULL, d->range_max * sizeof(*d->ranges), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (d->ranges == MAP_FAILED) {
            why = "no memory";
            error = -ENOMEM;
        }
    }
    d->can_fork = error == 0;
    snprintf(d->why_not, sizeof(d->why_not), "%s", why[0] ? why : err_text(error));
}

/* ---- inside the pause: the VM's memory stands still and is read as it is */

static int read_direct(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    memcpy(dst, (const void *)(uintptr_t)addr, len);
    return 0;
}

static const struct mem_ops direct_ops = {.read = read_direct};
static struct mem direct = {.ops = &direct_ops};

/* Keep the unused part of the heap out of the child: its page tables are what a fork costs. */
static void advise_unused(struct heapdump *d, int64_t count, int advice)
{
    uint64_t from = 0, to = 0, page = (uint64_t)sysconf(_SC_PAGESIZE);
    int done = 0;

    for (int64_t i = 0; i <= count && done < DONTFORK_MAX; i++) {
        const struct heap_range *r = &d->ranges[i];
        uint64_t low = i < count ? (r->top + page - 1) & ~(page - 1) : 0;

        if (i < count && r->bottom == to &&
            low == r->bottom) { /* a free piece behind a free piece */
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

/* Both: 0 in the child, the child's pid in the parent, -1. */
static pid_t fork_quietly(void)
{
    return (pid_t)syscall(SYS_clone, 0, 0, 0, 0,
                          0); /* no signal at its end, no handlers of fork() */
}

/* The child's own memory, whatever the program does. The sites may need more, where there are many
 * small objects: the way without a child would need as much for their tags. */
static uint64_t child_needs(const struct heapdump *d, int64_t count)
{
    uint64_t bytes = 0;

    for (int64_t i = 0; i < count; i++)
        bytes += d->ranges[i].top - d->ranges[i].bottom;
    return BUFFERS + bytes / HEAP_OF_A_MARK + bytes / HEAP_OF_A_TABLE;
}

static pid_t fork_now(struct heapdump *d, int at_end)
{
    uint64_t begin = clock_monotonic_ns();
    pid_t pid = at_end ? fork_quietly() : fork();
    char path[64];

    if (pid > 0) {
        snprintf(path, sizeof(path), "/proc/%d/oom_score_adj", (int)pid);
        heapdump_child_goes_first(path);
        d->fork_ns = clock_monotonic_ns() - begin;
    }
    return pid;
}

static int is_copied(const struct heapdump *d)
{
    return d->heap.collector == HEAP_ZGC;
}

void heapdump_fork_here(struct heapdump *d, int at_end)
{
    int64_t ranges = heap_ranges(&d->heap, d->ranges, d->range_max);

    heapdump_names_locate(d);
    headroom_look(&d->headroom, clock_monotonic_ns());
    d->no_room =
        headroom_lacks(&d->headroom, child_needs(d, ranges), (uint64_t)START_MS * 1000000u);
    if (!d->no_room && is_copied(d))
        d->no_room = heapdump_copy_take(&d->copy, d->ranges, ranges, &d->headroom);
    if (d->no_room)
        return;
    if (!is_copied(d)) /* what is shared is in no child's page tables */
        advise_unused(d, ranges, MADV_DONTFORK);
    d->child = fork_now(d, at_end);
    if (d->child == 0) {
        d->is_child = 1;
        if (is_copied(d))
            heapdump_copy_place(&d->copy, d->ranges, ranges);
        d->forked_ns = clock_monotonic_ns();
        return;
    }
    if (d->child < 0) {
        d->child = 0;
        d->fork_error = errno;
    }
    if (!is_copied(d))
        advise_unused(d, ranges, MADV_DOFORK);
}

static enum hprof_root_kind root_kind(jvmtiHeapReferenceKind kind)
{
    switch (kind) {
    case JVMTI_HEAP_REFERENCE_JNI_GLOBAL:
        return HPROF_ROOT_JNI_GLOBAL;
    case JVMTI_HEAP_REFERENCE_SYSTEM_CLASS:
        return HPROF_ROOT_SYSTEM_CLASS;
    case JVMTI_HEAP_REFERENCE_MONITOR:
        return HPROF_ROOT_MONITOR;
    case JVMTI_HEAP_REFERENCE_STACK_LOCAL:
        return HPROF_ROOT_JAVA_FRAME;
    case JVMTI_HEAP_REFERENCE_JNI_LOCAL:
        return HPROF_ROOT_JNI_LOCAL;
    case JVMTI_HEAP_REFERENCE_THREAD:
        return HPROF_ROOT_THREAD;
    default:
        return HPROF_ROOT_UNKNOWN;
    }
}

/* The depth, if the thread's trace has that method there: a thread that ran on between its stack
 * and the pause has roots in frames that its trace does not know. */
static jint known_depth(const struct heapdump_thread *t, jint depth, jmethodID method)
{
    if (t)
        depth -= t->own_frames;
    return t && depth >= 0 && depth < t->depth && (!method || t->methods[depth] == method) ? depth
                                                                                           : -1;
}

/* Roots come thread by thread. */
static const struct heapdump_thread *thread_of_id(struct heapdump *d, jlong id)
{
    if (d->last_thread < d->thread_count && d->threads[d->last_thread].id == id)
        return &d->threads[d->last_thread];
    for (uint32_t i = 0; i < d->thread_count && id != 0; i++) {
        if (d->threads[i].id == id) {
            d->last_thread = i;
            return &d->threads[i];
        }
    }
    return NULL;
}

void heapdump_fork_add_root(struct heapdump *d, jvmtiHeapReferenceKind kind,
                            const jvmtiHeapReferenceInfo *info, uint64_t object)
{
    const struct heapdump_thread *t = NULL;
    struct hprof_heap_root *r;

    if (d->root_count == d->root_max)
        return; /* the end of the roots says so */
    r = &d->roots[d->root_count++];
    *r = (struct hprof_heap_root){.kind = root_kind(kind), .object = object, .frame = -1};
    if (r->kind == HPROF_ROOT_JAVA_FRAME)
        t = thread_of_id(d, info->stack_local.thread_id);
    else if (r->kind == HPROF_ROOT_JNI_LOCAL)
        t = thread_of_id(d, info->jni_local.thread_id);
    if (r->kind == HPROF_ROOT_JAVA_FRAME)
        r->frame = known_depth(t, info->stack_local.depth, info->stack_local.method);
    else if (r->kind == HPROF_ROOT_JNI_LOCAL)
        r->frame = known_depth(t, info->jni_local.depth, info->jni_local.method);
    r->thread = t ? t->serial : PROFILE_THREAD_UNKNOWN;
    r->is_own = r->kind == HPROF_ROOT_JNI_GLOBAL ||
                (r->kind == HPROF_ROOT_JNI_LOCAL && t && t == d->own_thread);
    r->trace = PROFILE_TRACE_SYSTEM;
}

static void name_thread(struct hprof_heap_root *r, const struct heapdump_thread *t)
{
    r->thread = t->serial;
    r->trace = t->trace;
}

void heapdump_fork_name_thread(struct heapdump *d, struct hprof_heap_root *r, jlong tag)
{
    if (r->kind == HPROF_ROOT_THREAD && tag > 0 && tag <= (jlong)d->thread_count)
        name_thread(r, &d->threads[tag - 1]);
}

uint64_t heapdump_fork_object(const struct heapdump *d, jobject ref)
{
    return ref ? heap_of_word(&d->heap, *(const uint64_t *)((uintptr_t)ref & ~(uintptr_t)7)) : 0;
}

uint64_t heapdump_fork_tagged(const jlong *tag_ptr)
{
    uint64_t here = (uint64_t)(uintptr_t)tag_ptr, word = ((const uint64_t *)tag_ptr)[-2];

    if (word % 8 != 0 || word < here - STACK_NEAR || word > here + STACK_NEAR)
        return word;
    const uint64_t *walked = (const uint64_t *)(uintptr_t)word;
    return (uint32_t)walked[1] == 0 ? walked[0] : 0;
}

/* A root that is a thread: the tags may be those of others here, so it is found by its address. */
static void find_thread(struct heapdump *d, struct hprof_heap_root *r)
{
    for (uint32_t i = 0; i < d->thread_count && r->kind == HPROF_ROOT_THREAD; i++) {
        if (heapdump_fork_object(d, d->threads[i].ref) == r->object) {
            name_thread(r, &d->threads[i]);
            return;
        }
    }
}

/* 1 if the walk goes on in the child to find the sites. */
static int walks_for_sites(const struct heapdump *d)
{
    return d->walker != d->jvmti;
}

static jint at_roots_end(struct heapdump *d)
{
    d->is_at_roots_end = 1;
    if (d->is_calibrated && !d->is_child && d->root_count < d->root_max)
        heapdump_fork_here(d, !walks_for_sites(d));
    if (!d->is_child)
        return JVMTI_VISIT_ABORT;
    if (!d->sites || heapdump_sites_read(d) == 0)
        heapdump_child_run(d);
    if (!walks_for_sites(d)) {
        d->status->is_siteless = 1;
        heapdump_child_run(d);
    }
    d->status->is_walked = 1;
    heapdump_child_take_over(d); /* at the end of the walk */
    return JVMTI_VISIT_OBJECTS;
}

/* Where the table of tags cannot be read, the child lets the walk go on for them. */
static jint note_site(struct heapdump *d, uint64_t object, jlong tag)
{
    heapdump_sites_note(d, object, tag);
    heapdump_child_progress(d, 1);
    return JVMTI_VISIT_OBJECTS;
}

static jint JNICALL on_reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                                 jlong class_tag, jlong referrer_class_tag, jlong size,
                                 jlong *tag_ptr, jlong *referrer_tag_ptr, jint length, void *arg)
{
    struct heapdump *d = arg;
    uint64_t object = heapdump_fork_tagged(tag_ptr);
    int follows = walks_for_sites(d) ? JVMTI_VISIT_OBJECTS : 0;

    if (d->root_count == 0 && !d->is_calibrated)
        heap_stand_still(&d->heap);

    if (referrer_tag_ptr && d->is_at_roots_end)
        return note_site(d, object, *tag_ptr);
    if (referrer_tag_ptr)
        return at_roots_end(d);
    if (*tag_ptr == HEAPDUMP_SENTINEL) {
        d->is_calibrated =
            heapdump_fork_object(d, d->sentinel) == object && heap_has(&d->heap, object);
        return d->is_calibrated ? JVMTI_VISIT_OBJECTS : JVMTI_VISIT_ABORT;
    }
    if (kind == JVMTI_HEAP_REFERENCE_OTHER && d->is_calibrated && !d->is_child &&
        d->target.layout->version < FORK_AT_END) {
        heapdump_fork_here(d, 0);
        if (!d->is_child)
            return JVMTI_VISIT_ABORT;
        heapdump_child_settle(d);
    }
    heapdump_fork_add_root(d, kind, info, object);
    if (d->root_count > 0)
        find_thread(d, &d->roots[d->root_count - 1]);
    if (walks_for_sites(d))
        note_site(d, object, *tag_ptr);
    return follows;
}

int heapdump_fork_start(struct heapdump *d)
{
    jvmtiHeapCallbacks callbacks = {.heap_reference_callback = on_reference};
    struct mem *usual = d->target.mem;
    uint64_t begin = clock_monotonic_ns();
    jvmtiError error;

    d->child = 0;
    d->is_calibrated = d->is_at_roots_end = d->fork_error = 0;
    d->no_room = NULL;
    d->last_thread = 0;
    d->root_count = 0;
    d->target.mem = &direct;
    error = (*d->walker)->FollowReferences(d->walker, 0, NULL, NULL, &callbacks, d);
    d->pause_ns = clock_monotonic_ns() - begin;
    d->target.mem = usual;
    heapdump_copy_done(&d->copy);
    if (d->child > 0)
        return 0;
    snprintf(d->status->why, sizeof(d->status->why), "%s",
             d->no_room          ? d->no_room
             : d->fork_error     ? strerror(d->fork_error)
             : error             ? "FollowReferences failed"
             : !d->is_calibrated ? "the addresses of objects are not where they were expected"
                                 : "too many roots");
    return d->fork_error ? -d->fork_error : E_UNSUPPORTED;
}
