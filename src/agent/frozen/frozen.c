/*
 * frozen.c - see frozen.h: the order of the steps.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/frozen/frozen.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/frozen/frozen_large.h"
#include "agent/frozen/frozen_state.h"
#include "agent/frozen/standing.h"
#include "agent/log.h"
#include "base/err.h"
#include "options/options_frozen.h"
#include "options/options_testing.h"
#include "safe/clock.h"
#include "vm/vm_lookup.h"
#include "vm/vm_pause.h"

enum {
    REFERENCES = 60000,  /* local references, mostly of classes; -Xcheck:jni checks the number */
    REFERENCES_MIN = 64, /* used if -XX:MaxJNILocalCapacity does not allow REFERENCES */
    TEST_WALK = 4,       /* a value of dumptest= */
    /* With ZGC of one generation: how long objects may be on the move before a dump gives up. */
    TURNS = 5,
    LOOK_US = 5000,
    COPY_BYTES_PER_MS = 2 << 20, /* on a slow machine */
    LONG_MS = 1000,              /* a longer pause is said before */
};

/* the number of classes bounds what is really used */
static const uint64_t arena_budget = (uint64_t)64 << 30;
static const uint64_t turn_ns = NS_PER_S;

int frozen_open(struct frozen *f, JNIEnv *env)
{
    struct agent *a = f->agent;
    int error = frozen_vm_open(&f->vm, &a->vm, env, options_frozen_of(&a->options)->fork);
    if (error)
        return error;
    f->status =
        mmap(NULL, sizeof(*f->status), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (f->status == MAP_FAILED) {
        f->vm.jvmti = NULL;
        return -ENOMEM;
    }
    f->keep_fd = STDERR_FILENO;
    return 0;
}

void frozen_close(struct frozen *f, JNIEnv *env)
{
    frozen_vm_close(&f->vm, env);
    if (f->status && f->status != MAP_FAILED)
        munmap(f->status, sizeof(*f->status));
    f->status = NULL;
}

/* Does the preparations that may take a second, while the program still runs. */
static void shorten_pause(struct frozen *f)
{
    bool is_copied = f->vm.can_fork && frozen_vm_is_copied(&f->vm);
    /* when the VM ends, a long pause does no harm */
    if (frozen_sites_wanted(&f->sites, &f->vm) && !f->agent->dying)
        frozen_large_pages(&f->headroom, f->vm.heap.low, f->vm.heap.high);
    if (!is_copied)
        return;
    frozen_copy_prepare(&f->copy, &f->vm.heap, f->vm.ranges, f->vm.range_max, &f->headroom);
    const char *why = f->copy.why_inside ? f->copy.why_inside : "the program writes all over it";
    uint64_t ms = (f->copy.why_inside ? f->copy.touched : f->copy.rest_bytes) / COPY_BYTES_PER_MS;
    if (ms > LONG_MS)
        log_note("the %s stops the program for about %.1f s: %s of the heap is copied inside the "
                 "pause (%s)",
                 f->use->what, (double)ms / 1000, f->copy.why_inside ? "all" : "much", why);
}

static int take_lists(struct frozen *f, JNIEnv *env)
{
    int error;
    memset(f->status, 0, sizeof(*f->status));
    arena_init(&f->arena, arena_budget);
    f->sites.tests_walk = options_testing_of(&f->agent->options)->dumptest == TEST_WALK;
    frozen_sites_take(&f->sites, &f->vm, f->use->what);
    error = frozen_roots_take(&f->roots);
    if (!error)
        error = frozen_classes_take(&f->classes, f->agent->vm.main, env, &f->arena);
    return error;
}

static void forget(struct frozen *f)
{
    frozen_copy_done(&f->copy);
    if (!f->watch.child)
        headroom_close(&f->headroom);
    frozen_threads_forget(&f->threads);
    frozen_roots_forget(&f->roots);
    frozen_sites_forget(&f->sites, &f->vm);
    frozen_classes_forget(&f->classes, f->agent->vm.main);
    arena_done(&f->arena);
}

/* Lock held. */
static void on_end(void *arg, bool is_complete)
{
    struct frozen *f = arg;
    f->sites.must_walk |= f->status->is_siteless;
    headroom_close(&f->headroom);
    if (!is_complete && frozen_vm_is_copied(&f->vm) && f->status->error) {
        /* the child could not read the copy, and could not read the next one either */
        f->vm.can_fork = false;
        snprintf(f->vm.why_not, sizeof(f->vm.why_not), "a copy of the heap could not be read");
    }
    f->use->ended(f->self, is_complete);
}

/* Forks once. If the program is to stand still, the lock is given back meanwhile, so that the
 * message that says so comes before. */
static int start_walk_once(struct frozen *f)
{
    int error = f->stand.is_on && f->use->stand ? f->use->stand(f->self) : 0;
    if (error)
        return error;
    frozen_copy_again(&f->copy, f->vm.ranges, f->vm.range_max);
    if (f->stand.is_on)
        agent_unlock(f->agent);
    error = frozen_fork_start(f);
    if (f->stand.is_on)
        agent_lock(f->agent);
    return error;
}

/* Waits until the collector moves no objects, at most for turn_ns. The lock is given back. */
static void wait_for_moves(struct frozen *f)
{
    uint64_t end_ns = clock_monotonic_ns() + turn_ns;
    agent_unlock(f->agent);
    do {
        usleep(LOOK_US);
    } while (heap_is_moving(&f->vm.heap) && clock_monotonic_ns() < end_ns);
    agent_lock(f->agent);
}

/* Forks when the collector moves no objects. One that works all the time is waited for TURNS times.
 */
static int start_walk(struct frozen *f)
{
    int error = start_walk_once(f);
    for (int i = 0; i < TURNS && error && f->fork.is_moving; i++) {
        wait_for_moves(f);
        f->status->why[0] = '\0';
        error = start_walk_once(f);
    }
    return error;
}

/* Forks while the program runs, if it may; otherwise it stands still while the child works. */
static int fork_child(struct frozen *f, JNIEnv *env)
{
    char why[FROZEN_STATUS_WHY];
    int error;
    if (f->fork_bytes == 0 && !f->stand.is_on) {
        snprintf(f->status->why, sizeof(f->status->why),
                 "forkmem=0 leaves no memory for a copy of ZGC's heap");
        return E_UNSUPPORTED;
    }
    error = start_walk(f);
    if (!error || f->stand.is_on || !f->fork.no_room)
        return error;
    snprintf(why, sizeof(why), "%s", f->fork.no_room);
    f->stand.is_on = frozen_stop_may_stand(f, env, why);
    if (!f->stand.is_on)
        return error;
    f->status->why[0] = '\0';
    return start_walk(f);
}

static int take_by_child(struct frozen *f, JNIEnv *env)
{
    const struct frozen_watch_owner owner = {
        .agent = f->agent,
        .use = f->use,
        .self = f->self,
        .status = f->status,
        .headroom = &f->headroom,
        .fork_bytes = f->fork_bytes,
        .ended = on_end,
        .arg = f,
    };
    frozen_watch_begin(&f->watch, &owner);
    int error = fork_child(f, env);
    if (error)
        return error;
    if (f->use->forked)
        f->use->forked(f->self);
    frozen_watch_start(&f->watch);
    return 0;
}

static int take_in_pause(struct frozen *f, JNIEnv *env)
{
    const char *why = f->status->why[0] ? f->status->why : f->vm.why_not;
    int error = E_UNSUPPORTED;
    if (!vm_pause_begin())
        return E_ENDING;
    f->is_refused = !frozen_stop_may_be(f, env, why);
    if (!f->is_refused)
        error = f->use->in_pause(f->self, env, why);
    else if (f->use->refused)
        f->use->refused(f->self);
    vm_pause_end();
    return error;
}

static int take(struct frozen *f, JNIEnv *env)
{
    struct agent *a = f->agent;
    int error;
    f->is_refused = false;
    f->fork.no_room = NULL;
    f->stand.is_on = f->vm.can_fork && frozen_stop_must_stand(f, env);
    headroom_open(&f->headroom, options_testing_of(&a->options)->proc);
    agent_unlock(a);
    shorten_pause(f);
    agent_lock(a);
    error = take_lists(f, env);
    if (!error)
        error = f->use->prepare(f->self, env);
    if (!error) {
        error = f->vm.can_fork ? take_by_child(f, env) : E_UNSUPPORTED;
        if (error && error != E_ENDING)
            error = take_in_pause(f, env);
    }
    forget(f);
    return error;
}

int frozen_take(struct frozen *f, JNIEnv *env)
{
    if ((*env)->PushLocalFrame(env, REFERENCES) != JNI_OK) {
        vm_lookup_clear(env);
        if ((*env)->PushLocalFrame(env, REFERENCES_MIN) != JNI_OK)
            return -ENOMEM;
    }
    standing_begin();
    int error = take(f, env);

    (*env)->PopLocalFrame(env, NULL);
    standing_let_go();
    return error;
}

int frozen_find(struct frozen *f, struct heap_find *ret_find, const char **ret_why)
{
    struct heap_find *find = ret_find;
    struct heap_classes own; /* used only to find the agent's own references among the roots */
    int error = heap_class_init(&own, &f->vm.heap, &f->arena, ret_why);
    if (error)
        return error;
    frozen_classes_find(&f->classes, &f->vm, &own);
    error = frozen_roots_drop_own(&f->roots, &f->threads, &f->vm, &own, &f->arena);
    if (error)
        return error;
    *find = (struct heap_find){
        .heap = &f->vm.heap,
        .arena = &f->arena,
        .klasses = f->classes.klasses,
        .klass_count = (uint32_t)f->classes.count,
        .ranges = f->vm.ranges,
        .range_max = f->vm.range_max,
        .seen = &f->status->seen,
        .with_unreachable = f->with_unreachable,
    };
    error = heap_find_begin(find);
    for (uint32_t i = 0; i < f->roots.count && !error; i++)
        heap_mark_root(&find->mark, f->roots.rows[i].object);
    if (!error)
        error = heap_find_run(find);
    *ret_why = find->why;
    return error;
}

const char *frozen_pause_text(const struct frozen *f, char dst[FROZEN_PAUSE_TEXT])
{
    dst[0] = '\0';
    if (f->stand.is_on)
        snprintf(dst, FROZEN_PAUSE_TEXT, ", while a child worked");
    else if (frozen_vm_is_copied(&f->vm))
        snprintf(dst, FROZEN_PAUSE_TEXT, " (%.1f MB of the heap were copied in it, %.1f MB before)",
                 (double)f->fork.copied_inside / 1048576, (double)f->fork.copied_before / 1048576);
    return dst;
}

enum frozen_pause frozen_pause_of(const char *word)
{
    return strcmp(word, "y") == 0   ? FROZEN_PAUSE_ALWAYS
           : strcmp(word, "n") == 0 ? FROZEN_PAUSE_NEVER
                                    : FROZEN_PAUSE_SHORT;
}

void frozen_settle(struct frozen *f)
{
    if (f->vm.jvmti)
        frozen_watch_settle(&f->watch, f->agent);
}
