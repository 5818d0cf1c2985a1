/*
 * snapshot.c - see snapshot.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "snapshot/snapshot.h"
#include "hotspot/java_locks.h"
#include "hotspot/stopped_stack.h"
#include "safe/hs_calls.h"
#include "safe/own_class.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* about 2 KB of our memory for each */
    VIRTUALS_MAX = 200000,
    /* frames of the agent's work for an injected call, on top of the wanted frames */
    OWN_FRAMES_MAX = 64,
};

/* The `find` of struct unwind: rows are made when they are asked for. */
static int find_row(void *arg, uint64_t pc, struct cfi_row *ret_row)
{
    struct module *module = modules_find(arg, pc);
    return module && modules_row(module, pc, ret_row);
}

int snapshot_open(struct snapshot *s, struct image *image, bool wants_virtuals,
                  const char **ret_missing)
{
    memset(s, 0, sizeof(*s));
    int error = target_open(image, &s->target, ret_missing);

    if (error == 0)
        error = oops_init(&s->target, &s->oops, ret_missing);
    s->wants_virtuals = wants_virtuals;
    if (error == 0)
        java_virtuals_open(&s->oops, &s->virtuals);
    java_methods_init(&s->methods, &s->target);
    modules_init(&s->modules, image);
    s->unwind.find = find_row;
    s->unwind.arg = &s->modules;
    if (error == 0) {
        s->target.vm->memory.calls = calloc(1, sizeof(struct hs_calls)); /* NULL: nothing is kept */
        s->target.vm->memory.unwind = &s->unwind;
    }
    return error;
}

static void drop(struct snapshot *s)
{
    for (uint32_t i = 0; i < s->thread_count; i++)
        free(s->threads[i].frames);
    free(s->threads);
    s->threads = NULL;
    s->thread_count = 0;
    java_locks_done(&s->locks);
    java_threads_done(&s->java);
    java_methods_done(&s->methods);
}

/* Name the Java frames of one walk. Lines, and the names of native frames, are found when the
 * process has gone on. */
static int keep_frames(struct snapshot *s, struct snapshot_thread *thread,
                       const struct stopped_frame *frames, uint32_t count)
{
    thread->frames = calloc(count, sizeof(*thread->frames));
    if (!thread->frames)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        struct snapshot_frame *f = &thread->frames[i];
        f->at = frames[i];
        f->line = -1;
        thread->frame_count++;
        if (f->at.method == 0)
            continue;
        f->method = java_methods_get(&s->methods, f->at.method);
        if (!f->method)
            return -ENOMEM;
    }
    return 0;
}

/* Walk an unmounted virtual thread: all its frames are in the heap. */
static int walk_unmounted(struct snapshot *s, struct snapshot_thread *thread,
                          struct stopped_frame *frames, uint32_t max)
{
    uint64_t continuation = oops_get_object(&s->oops, thread->java->object, "cont");
    bool is_cut;
    uint32_t n = stopped_stack_frozen(&s->oops, continuation, frames, max, &is_cut);
    thread->cause = n == 0 && is_cut ? WALK_BROKEN : -1;
    thread->is_truncated = n > max;
    if (n == 0)
        return 0;
    return keep_frames(s, thread, frames, n < max ? n : max);
}

/* Remove the frames down to the outermost frame of an own class. Returns how many are left. */
static uint32_t drop_own(struct snapshot *s, struct stopped_frame *frames, uint32_t count)
{
    uint32_t own = 0, java = 0;
    for (uint32_t i = 0; i < count && java < OWN_CLASS_FRAMES; i++) {
        const struct java_method *m =
            frames[i].method == 0 ? NULL : java_methods_get(&s->methods, frames[i].method);
        java += frames[i].method != 0;
        if (m && own_class_is(m->class_name, strlen(m->class_name)))
            own = i + 1;
    }
    if (own > 0)
        memmove(frames, frames + own, (count - own) * sizeof(*frames));
    return count - own;
}

static int walk_thread(struct snapshot *s, struct snapshot_thread *thread,
                       enum snapshot_depth depth, struct stopped_frame *frames, uint32_t max)
{
    struct stopped_stack_request request = {
        .memory = &s->target.vm->memory, .oops = &s->oops, .wants_native = depth != SNAPSHOT_JAVA};
    if (thread->java && thread->java->addr == 0)
        return walk_unmounted(s, thread, frames, max);
    if (thread->java) {
        request.java_thread = thread->java->addr;
        request.virtual_object = thread->java->virtual_object;
    }
    if (thread->os && thread->os->has_regs)
        request.regs = &thread->os->regs;
    uint32_t n = stopped_stack_walk(&request, frames, max + OWN_FRAMES_MAX, &thread->is_truncated,
                                    &thread->cause);
    n = drop_own(s, frames, n);
    if (n > max) {
        n = max;
        thread->is_truncated = true;
    }
    return n > 0 ? keep_frames(s, thread, frames, n) : 0;
}

/* The thread of the system: found by its id, or by its stack if ids are of another namespace. */
static const struct image_thread *os_thread_of(const struct snapshot *s,
                                               const struct java_thread *java)
{
    const struct image *image = s->target.image;
    const struct image_thread *found = image_thread_inner(image, java->os_tid);
    for (uint32_t i = 0; !found && i < image->thread_count; i++) {
        const struct image_thread *t = &image->threads[i];
        if (t->has_regs && t->regs.sp >= java->stack_low && t->regs.sp < java->stack_high)
            found = t;
    }
    return found;
}

static bool is_java(const struct snapshot *s, const struct image_thread *os)
{
    for (uint32_t i = 0; i < s->java.platform_count; i++) {
        if (s->threads[i].os == os)
            return true;
    }
    return false;
}

/* The crashed thread is shown even if it is not a Java thread. */
static bool is_listed(const struct snapshot *s, enum snapshot_depth depth,
                      const struct image_thread *os)
{
    return (depth == SNAPSHOT_THREADS || (os == s->crashed && depth >= SNAPSHOT_MIXED)) &&
           !is_java(s, os);
}

static uint64_t missing(const struct snapshot *s)
{
    return s->watch.missing ? *s->watch.missing : 0;
}

/* Walk the threads of the rows [from, to). */
static int walk_threads(struct snapshot *s, uint32_t from, uint32_t to, enum snapshot_depth depth,
                        struct stopped_frame *frames, uint32_t max)
{
    int error = 0;
    for (uint32_t i = from; error == 0 && i < to; i++) {
        uint64_t before = missing(s);
        error = walk_thread(s, &s->threads[i], depth, frames, max);
        s->threads[i].is_unread = missing(s) != before;
    }
    return error;
}

static void tell(struct snapshot *s, enum snapshot_part part)
{
    if (s->watch.begins)
        s->watch.begins(s->watch.with, part);
}

/* List the threads of the VM's list, and other threads. */
static int list_threads(struct snapshot *s, enum snapshot_depth depth)
{
    const struct image *image = s->target.image;
    size_t most = (size_t)s->java.count + image->thread_count;
    s->threads = calloc(most + 1, sizeof(*s->threads));
    if (!s->threads)
        return -ENOMEM;
    for (uint32_t i = 0; i < s->java.count; i++) {
        s->threads[i].java = &s->java.rows[i];
        s->threads[i].os = os_thread_of(s, &s->java.rows[i]);
    }
    s->thread_count = s->java.count;
    for (uint32_t i = 0; i < image->thread_count; i++) {
        if (is_listed(s, depth, &image->threads[i]))
            s->threads[s->thread_count++].os = &image->threads[i];
    }
    return 0;
}

/* Insert rows for unmounted virtual threads behind the rows of the VM's list. */
static int list_virtuals(struct snapshot *s)
{
    uint32_t first = s->java.count, others = s->thread_count - first;
    s->virtuals.touches_frames = s->watch.begins != NULL;
    int error = java_virtuals_read(&s->virtuals, &s->oops, VIRTUALS_MAX, &s->java);
    uint32_t count = s->java.count - first;

    for (uint32_t i = 0; i < first; i++) /* the rows may have moved */
        s->threads[i].java = &s->java.rows[i];
    struct snapshot_thread *threads =
        reallocarray(s->threads, (size_t)s->thread_count + count + 1, sizeof(*threads));

    if (!threads)
        return -ENOMEM;
    memmove(threads + s->java.count, threads + first, others * sizeof(*threads));
    memset(threads + first, 0, count * sizeof(*threads));
    s->threads = threads;
    s->thread_count += count;
    for (uint32_t i = first; i < s->java.count; i++)
        threads[i].java = &s->java.rows[i];
    return error;
}

/* Add the locks that the frames of the VM's own threads hold. */
static void read_frame_locks(struct snapshot *s, struct stopped_frame *frames)
{
    for (uint32_t i = 0; i < s->java.platform_count; i++) {
        const struct snapshot_thread *thread = &s->threads[i];
        for (uint32_t n = 0; n < thread->frame_count; n++)
            frames[n] = thread->frames[n].at;
        java_locks_frames(&s->locks, i, frames, thread->frame_count);
    }
    java_locks_finish(&s->locks);
}

/* The threads of the VM's list are read first: there are fewer of them, and they may run. */
static int read_threads(struct snapshot *s, enum snapshot_depth depth, struct stopped_frame *frames,
                        uint32_t max)
{
    bool wants_frames = depth != SNAPSHOT_LOCKS;
    int error = java_threads_read(&s->oops, &s->java);
    if (error == 0)
        error = list_threads(s, depth);
    if (error == 0 && wants_frames)
        error = walk_threads(s, 0, s->thread_count, depth, frames, max);
    tell(s, SNAPSHOT_LISTS);
    if (error == 0 && s->wants_virtuals)
        error = list_virtuals(s);
    return error;
}

int snapshot_take(struct snapshot *s, enum snapshot_depth depth, uint32_t frames_max)
{
    struct stopped_frame *frames = malloc(((size_t)frames_max + OWN_FRAMES_MAX) * sizeof(*frames));
    bool wants_frames = depth != SNAPSHOT_LOCKS;
    int error = !frames ? -ENOMEM : 0;
    drop(s);
    java_methods_init(&s->methods, &s->target);
    if (s->target.vm->memory.calls)
        hs_calls_forget(s->target.vm->memory.calls); /* data of a running process may be torn */
    if (error == 0)
        error = read_threads(s, depth, frames, frames_max);
    uint64_t listed = missing(s);
    java_locks_init(&s->locks, &s->oops, &s->java);
    for (uint32_t i = 0; error == 0 && i < s->java.count; i++)
        java_locks_thread(&s->locks, i);
    if (error == 0 && wants_frames)
        read_frame_locks(s, frames);
    s->has_unread_locks = missing(s) > listed;
    tell(s, SNAPSHOT_VIRTUALS);
    if (error == 0 && wants_frames)
        error = walk_threads(s, s->java.platform_count, s->java.count, depth, frames, frames_max);
    java_locks_find_deadlocks(&s->locks);
    free(frames);
    return error;
}

bool snapshot_has_unlisted(struct snapshot *s)
{
    return !s->wants_virtuals && java_virtuals_any(&s->virtuals, &s->oops, &s->java);
}

uint32_t snapshot_virtual_count(const struct snapshot *s)
{
    return s->java.count - s->java.platform_count + s->java.virtual_left_out;
}

uint32_t snapshot_order(const struct snapshot *s, uint32_t i)
{
    uint32_t first = !s->crashed ? s->thread_count : 0;
    while (first < s->thread_count && s->threads[first].os != s->crashed)
        first++;
    if (first == s->thread_count || i > first)
        return i;
    return i == 0 ? first : i - 1;
}

void snapshot_name_frame(struct snapshot *s, struct snapshot_frame *f)
{
    if (f->method) {
        f->line = java_methods_line(&s->methods, f->method, f->at.bci);
        return;
    }
    f->module = modules_find(&s->modules, f->at.pc);
    if (f->module)
        f->function = modules_function_at(f->module, f->at.pc);
}

void snapshot_name_frames(struct snapshot *s)
{
    for (uint32_t i = 0; i < s->thread_count; i++)
        for (uint32_t n = 0; n < s->threads[i].frame_count; n++)
            snapshot_name_frame(s, &s->threads[i].frames[n]);
}

void snapshot_close(struct snapshot *s)
{
    drop(s);
    if (s->target.vm)
        free(s->target.vm->memory.calls);
    modules_done(&s->modules);
    target_close(&s->target);
}
