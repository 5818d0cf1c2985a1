/*
 * heapdump_selftest.c - selftest=y: our walk of the heap against that of JVM TI, in one child.
 *
 * IterateThroughHeap begins, the process forks at its first object, and the child lets the walk go
 * on and notes each object's address, class and size. At its end the child walks through the same
 * frozen heap by itself and compares. Left out are what fills allocation buffers and the rests of
 * regions: JVM TI shows it, we do not. Before each dump; nothing of it is in the file.
 * docs/heap-dump.md, "How it is tested". SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "agent/heapdump/heapdump.h"
#include "agent/log.h"
#include "base/err.h"
#include "base/pages.h"
#include "safe/clock.h"

enum {
    OBJECT_MIN = 8, /* bytes: as small as any object can be */
    POLL_MS = 5,
    DEADLINE_S = 300,
};

/* An object, as JVM TI shows it. */
struct heard {
    uint64_t object;
    uint32_t klass; /* number of its class, from 1; 0 one that is not listed */
    uint32_t words;
};

struct heapdump_selftest {
    struct heard *heard;
    uint64_t count, max;
};

static jint JNICALL on_object(jlong class_tag, jlong size, jlong *tag_ptr, jint length, void *arg)
{
    struct heapdump *d = arg;
    struct heapdump_selftest *s = d->selftest;
    uint64_t object = heapdump_fork_tagged(tag_ptr);

    if (!d->is_child) {
        heapdump_fork_here(d, 0);
        if (!d->is_child)
            return JVMTI_VISIT_ABORT;
        heapdump_child_take_over(d); /* at the end of the walk */
    }
    if (*tag_ptr == HEAPDUMP_SENTINEL)
        d->is_calibrated = heapdump_fork_object(d, d->sentinel) == object;
    if (s->count < s->max)
        s->heard[s->count++] =
            (struct heard){object, (uint32_t)class_tag, (uint32_t)((uint64_t)size / 8)};
    return 0;
}

/* 1 if what we know of an object is what JVM TI says. */
static int is_same(struct heapdump *d, struct heap_find *f, const struct heard *h,
                   const struct heap_class *k)
{
    uint64_t klass = h->klass ? d->known[h->klass - 1].klass : k->klass;

    return k->klass == klass &&
           heap_class_object_bytes(&f->classes, k, h->object) == (uint64_t)h->words * 8;
}

static void compare_one(struct heapdump *d, struct heap_find *f, const struct heard *h)
{
    struct heapdump_status *s = d->status;
    const struct heap_class *k =
        heap_has(&d->heap, h->object)
            ? heap_class_known(&f->classes, heap_klass(&d->heap, h->object))
            : NULL;

    if (heap_parse_is_gap(&f->parse, h->object) || (k && k->is_filler)) {
        s->fillers++;
    } else if (!k || !heap_mark_has(&f->mark, h->object)) {
        s->only_heard++;
    } else {
        heap_mark_clear(&f->mark, h->object);
        *(is_same(d, f, h, k) ? &s->same : &s->different) += 1;
    }
}

int heapdump_selftest_compare(struct heapdump *d, struct heap_find *f)
{
    if (!d->is_calibrated)
        return E_UNSUPPORTED;
    for (uint64_t i = 0; i < d->selftest->count; i++)
        compare_one(d, f, &d->selftest->heard[i]);
    for (uint32_t i = 0; i < f->range_count; i++) {
        const struct heap_range *r = &f->ranges[i];

        for (uint64_t at = heap_mark_next(&f->mark, r->bottom, r->top); at < r->top;
             at = heap_mark_next(&f->mark, at + 8, r->top)) {
            heap_mark_clear(&f->mark, at); /* on JDK 8 pieces may overlap */
            d->status->only_found++;
        }
    }
    return 0;
}

/* ---- in the parent */

static void tag_all(struct heapdump *d, jvmtiEnv *env)
{
    (*env)->SetTag(env, d->sentinel, HEAPDUMP_SENTINEL);
    for (jint i = 0; i < d->class_count; i++)
        (*env)->SetTag(env, d->classes[i], i + 1);
}

static void wait_for_child(struct heapdump *d)
{
    uint64_t end = clock_monotonic_ns() + (uint64_t)DEADLINE_S * 1000000000u;
    int status;

    while (waitpid(d->child, &status, WNOHANG | __WALL) == 0) {
        if (clock_monotonic_ns() > end)
            kill(d->child, SIGKILL);
        usleep(POLL_MS * 1000);
    }
    d->child = 0;
}

static void report(const struct heapdump_status *s)
{
    if (!s->is_complete) {
        log_error("heap self-test: the child failed (%s%s%s)", err_text(s->error),
                  s->why[0] ? ", " : "", s->why);
        return;
    }
    log_note("heap self-test: %llu objects are the same, %llu different, %llu only JVM TI's, %llu "
             "only ours, %llu fillers, %llu KB skipped",
             (unsigned long long)s->same, (unsigned long long)s->different,
             (unsigned long long)s->only_heard, (unsigned long long)s->only_found,
             (unsigned long long)s->fillers, (unsigned long long)s->skipped / 1024);
}

static void run(struct heapdump *d, jvmtiEnv *env)
{
    jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = on_object};

    d->child = 0;
    d->is_calibrated = d->fork_error = 0;
    d->root_count = 0;
    d->sink.fd = STDERR_FILENO; /* stays open in the child */
    d->parent = getpid();
    d->status->has_turn = 1;
    tag_all(d, env);
    (*env)->IterateThroughHeap(env, 0, NULL, &callbacks, d);
    if (d->child > 0)
        wait_for_child(d);
    report(d->status);
    memset(d->status, 0, sizeof(*d->status));
}

void heapdump_selftest_run(struct heapdump *d)
{
    struct heapdump_selftest s = {.max = (d->heap.high - d->heap.low) / OBJECT_MIN};
    jvmtiCapabilities needed = {.can_tag_objects = 1};
    size_t bytes = s.max * sizeof(*s.heard);
    jvmtiEnv *env = NULL;

    if ((*d->agent->vm)->GetEnv(d->agent->vm, (void **)&env, JVMTI_VERSION_1_2) != JNI_OK)
        return;
    s.heard = pages_map(bytes);
    if (!s.heard || (*env)->AddCapabilities(env, &needed) != JVMTI_ERROR_NONE) {
        log_error("heap self-test: no memory, or nobody may tag objects");
    } else {
        d->selftest = &s;
        run(d, env);
        d->selftest = NULL;
    }
    pages_unmap(s.heard, bytes);
    (*env)->DisposeEnvironment(env);
}
