/*
 * heapdump_selftest.c - selftest=y: compares two walks of the heap in one child.
 *
 * IterateThroughHeap begins, and the process forks at its first object. The child lets the walk go
 * on and notes the address, class and size of each object. At the end of this walk, the child walks
 * through the same frozen heap with the agent's own code and compares. Filler objects in allocation
 * buffers and in the rests of regions are left out, because only JVM TI shows them. The test runs
 * before each dump; its results are not in the file. docs/heap-dump-how.md, "How it is tested".
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/heapdump/heapdump.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/frozen/frozen.h"
#include "agent/frozen/frozen_state.h"
#include "agent/log.h"
#include "base/err.h"
#include "base/pages.h"
#include "safe/clock.h"
#include "vm/vm_env.h"
#include "vm/vm_heap.h"

enum {
    OBJECT_MIN = 8, /* bytes of the smallest possible object */
    POLL_MS = 5,
    DEADLINE_S = 300,
};

/* An object as JVM TI reports it. */
struct heard {
    uint64_t object;
    uint32_t klass; /* number of its class, from 1; 0: the class is not listed */
    uint32_t words;
};

/* Counts of objects; shared with the child. */
struct counts {
    volatile uint64_t same, different, only_heard, only_found, fillers;
    volatile uint64_t skipped; /* bytes */
};

struct selftest {
    struct frozen *frozen;
    struct heard *heard;
    uint64_t count, max;
    struct counts *counts;
};

static jint JNICALL on_object(jlong class_tag, jlong size, jlong *tag_ptr, jint length, void *arg)
{
    struct selftest *s = arg;
    struct frozen *f = s->frozen;
    uint64_t object = vm_heap_address(tag_ptr);
    if (!f->fork.is_child) {
        frozen_fork_here(f, false);
        if (!f->fork.is_child)
            return JVMTI_VISIT_ABORT;
        frozen_child_take_over(f); /* runs at the end of the walk */
    }
    if (*tag_ptr == FROZEN_VM_SENTINEL)
        f->fork.is_calibrated = frozen_vm_object(&f->vm, f->vm.sentinel) == object;
    if (!vm_heap_is_flat(tag_ptr) && s->count < s->max)
        s->heard[s->count++] =
            (struct heard){object, (uint32_t)class_tag, (uint32_t)((uint64_t)size / 8)};
    return 0;
}

/* ---- in the child */

/* Whether the agent's walk and JVM TI agree on the class and the size of an object. */
static bool is_same(const struct selftest *s, struct heap_find *f, const struct heard *h,
                    const struct heap_class *k)
{
    const struct heap_class *listed = k->array.listed ? k->array.listed : k;
    uint64_t klass = h->klass ? s->frozen->classes.klasses[h->klass - 1] : listed->klass;
    return listed->klass == klass &&
           heap_class_object_bytes(&f->classes, k, h->object) == (uint64_t)h->words * 8;
}

static void compare_one(struct selftest *s, struct heap_find *f, const struct heard *h)
{
    struct counts *n = s->counts;
    const struct heap_class *k = heap_has(f->heap, h->object)
                                     ? heap_class_known(&f->classes, heap_klass(f->heap, h->object))
                                     : NULL;
    if (heap_find_is_gap(&f->parse, h->object) || (k && k->is_filler)) {
        n->fillers++;
    } else if (!k || !heap_mark_has(&f->mark, h->object)) {
        n->only_heard++;
    } else {
        heap_mark_clear(&f->mark, h->object);
        *(is_same(s, f, h, k) ? &n->same : &n->different) += 1;
    }
}

static int compare(void *self, const char **ret_why)
{
    struct selftest *s = self;
    struct heap_find f = {0};
    int error = frozen_find(s->frozen, &f, ret_why);
    if (!error && !s->frozen->fork.is_calibrated)
        error = E_UNSUPPORTED;
    if (error)
        return error;
    s->counts->skipped = f.parse.skipped;
    for (uint64_t i = 0; i < s->count; i++)
        compare_one(s, &f, &s->heard[i]);
    for (uint32_t i = 0; i < f.range_count; i++) {
        const struct heap_range *r = &f.ranges[i];
        for (uint64_t at = heap_mark_next(&f.mark, r->bottom, r->top); at < r->top;
             at = heap_mark_next(&f.mark, at + 8, r->top)) {
            heap_mark_clear(&f.mark, at); /* on JDK 8 ranges may overlap */
            s->counts->only_found++;
        }
    }
    return 0;
}

static const struct frozen_use selftest_use = {.what = "heap self-test", .work = compare};

/* ---- in the parent */

static void tag_all(struct frozen *f, jvmtiEnv *env)
{
    (*env)->SetTag(env, f->vm.sentinel, FROZEN_VM_SENTINEL);
    for (jint i = 0; i < f->classes.count; i++)
        (*env)->SetTag(env, f->classes.list[i], i + 1);
}

static void wait_for_child(pid_t child)
{
    uint64_t end = clock_monotonic_ns() + (uint64_t)DEADLINE_S * NS_PER_S;
    int status;
    while (waitpid(child, &status, WNOHANG | __WALL) == 0) {
        if (clock_monotonic_ns() > end)
            kill(child, SIGKILL);
        usleep(POLL_MS * 1000);
    }
}

static void report(const struct frozen_status *status, const struct counts *n)
{
    if (!status->is_complete) {
        log_error("heap self-test: the child failed (%s%s%s)", err_text(status->error),
                  status->why[0] ? ", " : "", status->why);
        return;
    }
    log_note("heap self-test: %llu objects are the same, %llu different, %llu only JVM TI's, %llu "
             "only ours, %llu fillers, %llu KB skipped",
             (unsigned long long)n->same, (unsigned long long)n->different,
             (unsigned long long)n->only_heard, (unsigned long long)n->only_found,
             (unsigned long long)n->fillers, (unsigned long long)n->skipped / 1024);
}

/* Runs the test as another use of the same struct frozen, and then restores its fields. */
static void run(struct selftest *s, jvmtiEnv *env)
{
    jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = on_object};
    struct frozen *f = s->frozen;
    const struct frozen_use *use = f->use;
    void *self = f->self;
    bool with_unreachable = f->with_unreachable;
    f->use = &selftest_use;
    f->self = s;
    f->with_unreachable = true;
    f->fork = (struct frozen_fork){.parent = getpid()};
    tag_all(f, env);
    vm_heap_iterate(env, 0, &callbacks, s);
    if (f->fork.child > 0)
        wait_for_child(f->fork.child);
    report(f->status, s->counts);
    memset(f->status, 0, sizeof(*f->status));
    f->use = use;
    f->self = self;
    f->with_unreachable = with_unreachable;
}

void heapdump_selftest_run(struct frozen *f)
{
    struct selftest s = {.frozen = f, .max = (f->vm.heap.high - f->vm.heap.low) / OBJECT_MIN};
    size_t bytes = s.max * sizeof(*s.heard);
    jvmtiEnv *env = NULL;
    s.heard = pages_map(bytes);
    s.counts =
        mmap(NULL, sizeof(*s.counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!s.heard || s.counts == MAP_FAILED ||
        vm_env_open(&f->agent->vm, VM_ENV_SET(VM_CAN_TAG_OBJECTS), &env, NULL) != 0)
        log_error("heap self-test: no memory, or nobody may tag objects");
    else
        run(&s, env);
    pages_unmap(s.heard, bytes);
    if (s.counts != MAP_FAILED)
        munmap(s.counts, sizeof(*s.counts));
    vm_env_close(env);
}
