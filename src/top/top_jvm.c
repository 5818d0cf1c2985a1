/*
 * top_jvm.c - see top_jvm.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "top/top_jvm.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "attach/jvms.h"
#include "attach/main_class.h"
#include "base/err.h"
#include "base/plain.h"
#include "command/cmd.h"
#include "jvm/outside.h"
#include "command/say.h"
#include "mem/proc_stat.h"
#include "safe/clock.h"
#include "snapshot/snapshot_live.h"

enum {
    /* The JVM stands still for at most this fraction of the time: one hundredth. */
    STOP_SHARE = 100,
    FRAMES_MAX = TOP_PAGE_FRAMES,
    NAME_MAX_BYTES = 512,
    TEXT_MAX_BYTES = 64 << 20,
};

static int by_tid(const void *a, const void *b)
{
    const struct top_task *x = a, *y = b;
    return (x->tid > y->tid) - (x->tid < y->tid);
}

/* Reads the states just before the stop, because after it all threads are stopped. */
static void read_states(struct top_jvm *t)
{
    const struct image *image = &t->live.image;
    struct top_task *tasks = realloc(t->tasks, (image->thread_count + 1) * sizeof(*tasks));
    t->task_count = 0;
    if (!tasks)
        return;
    t->tasks = tasks;
    for (uint32_t i = 0; i < image->thread_count; i++) {
        struct proc_stat stat;
        pid_t tid = image->threads[i].tid;
        if (proc_stat_read(t->live.pid, tid, &stat) == 0)
            tasks[t->task_count++] =
                (struct top_task){tid, *proc_stat_field(&stat, PROC_STAT_STATE)};
    }
    qsort(tasks, t->task_count, sizeof(*tasks), by_tid);
}

static char state_of(const struct top_jvm *t, pid_t tid)
{
    struct top_task key = {.tid = tid};
    const struct top_task *found =
        t->task_count > 0 ? bsearch(&key, t->tasks, t->task_count, sizeof(key), by_tid) : NULL;
    return found && found->state != '\0' ? found->state : '?';
}

static void put_method(const struct java_method *m, char name[NAME_MAX_BYTES])
{
    size_t len = plain_copy(name, NAME_MAX_BYTES - 2, m->class_name);
    name[len++] = '.';
    plain_copy(name + len, NAME_MAX_BYTES - len, m->name);
}

/* The innermost Java method; NULL: none. */
static const struct java_method *top_method_of(const struct snapshot_thread *thread)
{
    for (uint32_t i = 0; i < thread->frame_count; i++)
        if (thread->frames[i].method)
            return thread->frames[i].method;
    return NULL;
}

static void count_methods(struct top_jvm *t, uint64_t at_ns)
{
    const struct snapshot *s = &t->snapshot;
    char name[NAME_MAX_BYTES];
    top_methods_look(&t->methods, at_ns);
    for (uint32_t i = 0; i < s->thread_count; i++) {
        const struct snapshot_thread *thread = &s->threads[i];
        const struct java_method *method = top_method_of(thread);
        if (!thread->os || state_of(t, thread->os->tid) != 'R')
            continue;
        if (method)
            put_method(method, name);
        else if (thread->is_unread)
            snprintf(name, sizeof(name), "(not read: --max-stop)");
        else if (thread->cause >= 0 && thread->cause != WALK_NO_JAVA_FRAME)
            snprintf(name, sizeof(name), "(%s)", walk_cause_text((enum walk_cause)thread->cause));
        else
            /* A thread of the VM, which has no Java frames. */
            continue;
        top_methods_add(&t->methods, at_ns, name);
    }
}

static void note_stop(struct top_looks *looks, uint64_t stopped_ns)
{
    looks->count++;
    looks->last_ns = stopped_ns;
    looks->whole_ns += stopped_ns;
    if (stopped_ns > looks->longest_ns)
        looks->longest_ns = stopped_ns;
}

static int by_row(const void *a, const void *b)
{
    const struct top_thread *x = a, *y = b;
    return (x->tid > y->tid) - (x->tid < y->tid);
}

static void keep_frames(struct top_jvm *t, uint64_t at_ns)
{
    struct top_kept *kept = &t->kept;
    const struct snapshot *s = &t->snapshot;
    char name[NAME_MAX_BYTES];
    arena_reset(&kept->arena);
    kept->count = 0;
    kept->at_ns = at_ns;
    kept->rows = arena_alloc(&kept->arena, ((size_t)s->thread_count + 1) * sizeof(*kept->rows));
    for (uint32_t i = 0; kept->rows && i < s->thread_count; i++) {
        const struct snapshot_thread *from = &s->threads[i];
        struct top_thread row = {.tid = from->os ? from->os->tid : 0};
        for (uint32_t n = 0; n < from->frame_count && row.frame_count < TOP_PAGE_FRAMES; n++) {
            if (!from->frames[n].method)
                continue;
            put_method(from->frames[n].method, name);
            size_t size = strlen(name) + 1;
            char *text = arena_alloc(&kept->arena, size);
            if (text)
                row.frames[row.frame_count++] = memcpy(text, name, size);
        }
        if (row.tid != 0 && row.frame_count > 0)
            kept->rows[kept->count++] = row;
    }
    if (kept->rows && kept->count > 0)
        qsort(kept->rows, kept->count, sizeof(*kept->rows), by_row);
}

static int look(struct top_jvm *t, bool stops)
{
    struct top_looks *looks = &t->page.looks;
    struct snapshot_left left;
    int stop_error = 0;
    if (process_has_ended_since(t->live.pid, t->began))
        return -ESRCH;
    /* Cached memory is from an earlier moment. The first reading fills the cache with the pages
     * that are needed now. */
    mem_live_forget(&t->live);
    int error = snapshot_live_look(&t->snapshot, &t->live, SNAPSHOT_JAVA, FRAMES_MAX);
    read_states(t);
    uint64_t at_ns = clock_monotonic_ns();
    if (stops) {
        error = snapshot_live_take(&t->snapshot, &t->live, SNAPSHOT_JAVA, FRAMES_MAX, &t->bound,
                                   &left, &stop_error);
        if (stop_error == 0)
            note_stop(looks, t->snapshot.stopped_ns);
        looks->unread = left.threads;
        if (error < 0 && t->bound.was_over)
            error = -ETIMEDOUT;
        error = stop_error < 0 ? stop_error : error;
    }
    if (error == 0 && stops) {
        count_methods(t, at_ns);
        keep_frames(t, at_ns);
    }
    if (error == 0)
        return 0;
    if (process_has_ended_since(t->live.pid, t->began))
        return -ESRCH;
    looks->failed++;
    looks->error = error;
    return 0;
}

int top_jvm_look(struct top_jvm *t)
{
    return look(t, !t->no_stop);
}

uint64_t top_jvm_pause_ns(const struct top_jvm *t, uint64_t wanted_ns)
{
    uint64_t least_ns = t->page.looks.last_ns * STOP_SHARE;
    return wanted_ns > least_ns ? wanted_ns : least_ns;
}

static const char *copy(struct top_jvm *t, const char *text)
{
    size_t room = strlen(text) + 1;
    char *to = arena_alloc(&t->arena, room);
    if (!to)
        return "?";
    plain_copy(to, room, text);
    return to;
}

/* The name of a thread. A carrier shows the state and frames of its virtual thread, so both are
 * named. */
static const char *name_of(struct top_jvm *t, const struct java_thread *java)
{
    char name[NAME_MAX_BYTES];
    if (java->virtual_object == 0)
        return copy(t, java->name ? java->name : "?");
    snprintf(name, sizeof(name), "%s [#%lld%s%s]", java->name ? java->name : "?",
             (long long)java->virtual_id, java->virtual_name && *java->virtual_name ? " " : "",
             java->virtual_name ? java->virtual_name : "");
    return copy(t, name);
}

static void fill_java(struct top_jvm *t, const struct snapshot_thread *from, struct top_thread *row)
{
    char name[NAME_MAX_BYTES];
    row->is_java = true;
    row->name = name_of(t, from->java);
    if (from->java->object != 0)
        row->state = java_threads_state(from->java->status);
    if (from->is_unread)
        row->no_stack = "not read: --max-stop";
    else if (from->cause >= 0 && from->cause != WALK_NO_JAVA_FRAME)
        row->no_stack = walk_cause_text((enum walk_cause)from->cause);
    for (uint32_t i = 0; i < from->frame_count && row->frame_count < TOP_PAGE_FRAMES; i++) {
        if (!from->frames[i].method)
            continue;
        put_method(from->frames[i].method, name);
        row->frames[row->frame_count++] = copy(t, name);
    }
}

/* The frames of a running thread are only known from a stop, so the frames of the last stop are
 * shown. */
static void fill_kept(struct top_jvm *t, struct top_thread *row)
{
    struct top_thread key = {.tid = row->tid};
    const struct top_thread *kept =
        t->kept.count > 0 ? bsearch(&key, t->kept.rows, t->kept.count, sizeof(key), by_row) : NULL;
    if (!kept || row->frame_count > 0)
        return;
    row->frame_count = kept->frame_count;
    for (uint32_t i = 0; i < kept->frame_count; i++)
        row->frames[i] = copy(t, kept->frames[i]);
}

static const struct snapshot_thread *thread_of(const struct snapshot *s, pid_t tid)
{
    for (uint32_t i = 0; i < s->java.platform_count && i < s->thread_count; i++)
        if (s->threads[i].os && s->threads[i].os->tid == tid)
            return &s->threads[i];
    return NULL;
}

static const char *os_name_of(struct top_jvm *t, pid_t tid)
{
    for (uint32_t i = 0; i < t->live.image.thread_count; i++)
        if (t->live.image.threads[i].tid == tid)
            return copy(t, t->live.image.threads[i].name);
    return "?"; /* the thread began after the look */
}

static int by_id(const void *a, const void *b)
{
    const struct top_allocated *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static uint64_t allocated_since(const struct top_reading *before, int64_t id, uint64_t bytes)
{
    struct top_allocated key = {.id = id};
    const struct top_allocated *was =
        before->allocated_count > 0
            ? bsearch(&key, before->allocated, before->allocated_count, sizeof(key), by_id)
            : NULL;
    return !was ? bytes : bytes > was->bytes ? bytes - was->bytes : 0;
}

static int read_allocated(struct top_jvm *t, struct top_reading *now)
{
    const struct snapshot *s = &t->snapshot;
    now->allocated = calloc(s->java.platform_count + 1, sizeof(*now->allocated));
    if (!now->allocated)
        return -ENOMEM;
    for (uint32_t i = 0; i < s->java.platform_count; i++) {
        const struct java_thread *java = &s->java.rows[i];
        now->allocated[now->allocated_count++] = (struct top_allocated){
            java->id, java_threads_allocated_bytes(&t->allocated, &s->target, java->addr)};
    }
    qsort(now->allocated, now->allocated_count, sizeof(*now->allocated), by_id);
    return 0;
}

static int read_now(struct top_jvm *t, struct top_reading *now)
{
    *now = (struct top_reading){0};
    int error = task_times_whole_ns(t->live.pid, &now->cpu_ns);
    if (error == 0)
        error = task_times_read(t->live.pid, &now->tasks);
    now->at_ns = clock_monotonic_ns();
    if (t->has_counters && counters_source_refresh(&t->counters) == 0)
        heap_counters_read(t->counters.data, &now->heap);
    else
        now->heap = t->before.heap;
    vm_stop_read(&t->stop, &t->live, (uint64_t)now->heap.safepoints);
    now->uncounted_s = t->stop.uncounted_s;
    return error < 0 ? error : read_allocated(t, now);
}

static void reading_done(struct top_reading *r)
{
    task_times_done(&r->tasks);
    free(r->allocated);
    *r = (struct top_reading){0};
}

/* The percentage of the time between two readings. A stop that ended during a reading may be
 * counted twice. */
static double percent_of(double spent_s, double seconds)
{
    double percent = spent_s / seconds * 100;
    return percent < 0 ? 0 : percent > 100 ? 100 : percent;
}

static void fill_heap(struct top_heap *heap, const struct top_reading *from,
                      const struct top_reading *to, double seconds)
{
    const struct heap_counters *before = &from->heap, *now = &to->heap;
    double stopped_s = now->safepoint_s + to->uncounted_s - before->safepoint_s - from->uncounted_s;
    *heap = (struct top_heap){
        .is_known = true,
        .is_old = now->is_old,
        .used_bytes = now->used_bytes,
        .size_bytes = now->size_bytes,
        .pauses = now->pauses - before->pauses,
        .pause_percent = (now->pause_s - before->pause_s) / seconds * 100,
        .safepoints = now->safepoints - before->safepoints,
        .safepoint_percent = percent_of(stopped_s, seconds),
    };
}

static void fill_thread(struct top_jvm *t, const struct top_reading *now, pid_t tid,
                        struct top_thread *row)
{
    const struct snapshot_thread *from = thread_of(&t->snapshot, tid);
    double seconds = t->page.seconds;
    uint64_t used_ns = task_times_used_ns(&t->before.tasks, &now->tasks, tid);
    *row = (struct top_thread){.tid = tid, .os_state = state_of(t, tid)};
    row->cpu_percent = (double)used_ns / 1e7 / seconds;
    if (!from) {
        row->name = os_name_of(t, tid);
        return;
    }
    fill_java(t, from, row);
    if (t->page.looks.is_unstopped)
        fill_kept(t, row);
    uint64_t bytes =
        java_threads_allocated_bytes(&t->allocated, &t->snapshot.target, from->java->addr);
    row->alloc_rate = (double)allocated_since(&t->before, from->java->id, bytes) / seconds;
}

static int fill_page(struct top_jvm *t, const struct top_reading *now)
{
    struct top_page *page = &t->page;
    double seconds = (double)(now->at_ns - t->before.at_ns) / 1e9;
    arena_reset(&t->arena);
    page->threads = arena_alloc(&t->arena, (now->tasks.count + 1) * sizeof(*page->threads));
    page->count = page->java_count = page->running_count = 0;
    page->alloc_rate = 0;
    if (!page->threads)
        return -ENOMEM;
    page->seconds = seconds > 0 ? seconds : 1e-9;
    page->made = time(NULL);
    page->uptime_s = mem_live_age_s(t->live.pid);
    page->processors = sysconf(_SC_NPROCESSORS_ONLN);
    page->cpu_percent = (double)(now->cpu_ns - t->before.cpu_ns) / 1e7 / page->seconds;
    if (t->has_counters)
        fill_heap(&page->heap, &t->before, now, page->seconds);
    page->heap.stop_s = t->stop.lasts_s;
    page->heap.is_stop_waiting = t->stop.state == VM_STOP_WAITING;
    page->looks.stopped_percent =
        (double)page->looks.whole_ns / (double)(now->at_ns - t->began_ns) * 100;
    for (uint32_t i = 0; i < now->tasks.count; i++) {
        struct top_thread *row = &page->threads[page->count++];
        fill_thread(t, now, now->tasks.rows[i].tid, row);
        page->java_count += row->is_java;
        page->running_count += row->os_state == 'R';
        page->alloc_rate += row->alloc_rate;
    }
    top_methods_rank(&t->methods);
    page->methods_span_s = top_methods_span_s(&t->methods, now->at_ns);
    return 0;
}

int top_jvm_turn(struct top_jvm *t, bool may_stop)
{
    struct top_reading now = {0};
    uint32_t failed = t->page.looks.failed;
    int error = look(t, !t->no_stop && may_stop);
    t->page.looks.is_late = t->page.looks.failed > failed;
    t->page.looks.is_unstopped = !may_stop || t->page.looks.is_late;
    t->page.looks.frames_age_s =
        t->kept.count > 0 ? (double)(clock_monotonic_ns() - t->kept.at_ns) / 1e9 : -1;
    if (error == 0)
        error = read_now(t, &now);
    if (error == 0)
        error = fill_page(t, &now);
    if (error < 0) {
        reading_done(&now);
        return process_has_ended_since(t->live.pid, t->began) ? -ESRCH : error;
    }
    reading_done(&t->before);
    t->before = now;
    return 0;
}

static int open_memory(struct top_jvm *t, pid_t pid)
{
    const char *missing = "";
    t->began = process_began(pid);
    int error = mem_live_open(pid, &t->live);
    if (error < 0) {
        outside_say_process(t->word, pid, error);
        return CMD_FAILED;
    }
    error = snapshot_open(&t->snapshot, &t->live.image, false, &missing);
    if (error < 0) {
        outside_say_open_live(t->word, pid, error, missing);
        return CMD_FAILED;
    }
    t->snapshot.pid = pid;
    vm_stop_init(&t->stop, &t->snapshot.target);
    java_threads_allocated_init(&t->allocated, &t->snapshot.target);
    return 0;
}

/* The first look and reading, with which the first page is compared. */
static int begin(struct top_jvm *t, pid_t pid)
{
    t->began_ns = clock_monotonic_ns();
    int error = top_jvm_look(t);
    /* If threads stop too late, the other threads are shown all the same. */
    if (error == 0 && t->page.looks.failed > 0 && t->page.looks.error != -ETIMEDOUT) {
        outside_say_stop(t->word, pid, t->page.looks.error, &t->bound, true);
        return CMD_FAILED;
    }
    if (error == 0)
        error = read_now(t, &t->before);
    if (error < 0 && !outside_say_ended(t->word, pid))
        say("%s: %s", t->word, err_text(error));
    return error < 0 ? CMD_FAILED : 0;
}

int top_jvm_open(struct top_jvm *t, const struct jvm *jvm, const char *word, bool no_stop,
                 uint64_t most_ns)
{
    pid_t pid = jvm->process.pid;
    *t = (struct top_jvm){.word = word,
                          .no_stop = no_stop,
                          .bound.most_ns = most_ns,
                          .live = {.mem_fd = -1},
                          .counters = {.file = {.fd = -1}}};
    arena_init(&t->arena, TEXT_MAX_BYTES);
    arena_init(&t->kept.arena, TEXT_MAX_BYTES);
    int status = open_memory(t, pid);
    if (status != 0)
        return status;
    if (top_methods_init(&t->methods) < 0) {
        say("%s: %s", word, err_text(-ENOMEM));
        return CMD_FAILED;
    }
    /* Without counters, the threads can still be shown. The reason for missing counters was
     * reported. */
    t->has_counters = counters_source_open_pid(pid, word, &t->counters) == 0;
    if (jvm->command) {
        size_t len = main_class_len(jvm->command), from = main_class_short(jvm->command, len);
        t->name = strndup(jvm->command + from, len - from);
    }
    t->version = jvm->version ? strdup(jvm->version) : NULL;
    t->page.pid = pid;
    t->page.name = t->name ? t->name : "?";
    t->page.version = t->version;
    t->page.has_alloc = t->allocated.is_known;
    t->page.has_frames = !no_stop;
    t->page.methods = &t->methods;
    return begin(t, pid);
}

void top_jvm_close(struct top_jvm *t)
{
    snapshot_close(&t->snapshot);
    mem_live_close(&t->live);
    counters_source_close(&t->counters);
    top_methods_done(&t->methods);
    reading_done(&t->before);
    arena_done(&t->arena);
    arena_done(&t->kept.arena);
    free(t->tasks);
    free(t->name);
    free(t->version);
}
