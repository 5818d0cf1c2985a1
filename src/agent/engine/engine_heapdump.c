/*
 * engine_heapdump.c - heap=dump: the objects of the heap, their contents, and what holds them.
 *
 * Prepares what the pause needs, forks (heapdump_fork.c) or writes inside the pause
 * (heapdump_pause.c), and takes the file back when the child has ended. While a child writes, the
 * agent's own records wait in memory; a second dump waits for the first. docs/heap-dump.md
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/engine.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/alloc/alloc.h"
#include "agent/heapdump/heapdump.h"
#include "agent/log.h"
#include "agent/traces.h"
#include "base/err.h"
#include "base/pages.h"
#include "safe/clock.h"

enum {
    ROOTS_MAX = 16 << 20, /* memory that is only touched where it is used */
    POLL_MS = 5,
    MEMORY_POLL_MS = 200,
    STUCK_S = 60, /* without a byte of progress */
};

static const uint64_t arena_budget = (uint64_t)64 << 30; /* bounded by the classes there are */
static const uint64_t first_string = 0xa8000000u;        /* where the model's numbers never come */
static const uint32_t first_serial = 0x40000000u;        /* of classes that only the child met */

static struct heapdump dump_state;

static int wanted(const struct options *o)
{
    return o->heap_dump;
}

static void capabilities(jvmtiCapabilities *needed)
{
}

static int prepare(const struct options *o)
{
    return 0;
}

/* An Object[1] with something in it, whose contents nobody else looks at. */
static jobject make_sentinel(JNIEnv *env)
{
    jclass object = (*env)->FindClass(env, "java/lang/Object");
    jobject made = object ? (*env)->AllocObject(env, object) : NULL;
    jobjectArray array = made ? (*env)->NewObjectArray(env, 1, object, made) : NULL;
    jobject kept = array ? (*env)->NewGlobalRef(env, array) : NULL;

    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    return kept;
}

static int start(struct agent *a, JNIEnv *env)
{
    struct heapdump *d = &dump_state;
    jvmtiCapabilities needed = {.can_tag_objects = 1};
    jclass thread;

    d->agent = a;
    d->next_string = first_string;
    d->next_serial = first_serial;
    if ((*a->vm)->GetEnv(a->vm, (void **)&d->jvmti, JVMTI_VERSION_1_2) != JNI_OK ||
        (*d->jvmti)->AddCapabilities(d->jvmti, &needed) != JVMTI_ERROR_NONE ||
        !(d->sentinel = make_sentinel(env)) ||
        (*d->jvmti)->SetTag(d->jvmti, d->sentinel, HEAPDUMP_SENTINEL) != JVMTI_ERROR_NONE) {
        log_error("heap=dump: this VM lets nobody tag objects: there will be no heap dump");
        d->jvmti = NULL;
        return E_UNSUPPORTED;
    }
    d->status =
        mmap(NULL, sizeof(*d->status), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    d->buffer =
        mmap(NULL, HPROF_HEAP_SEGMENT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (d->status == MAP_FAILED || d->buffer == MAP_FAILED) {
        log_error("heap=dump: no memory: there will be no heap dump");
        d->jvmti = NULL;
        return -ENOMEM;
    }
    thread = (*env)->FindClass(env, "java/lang/Thread");
    d->thread_id = thread ? (*env)->GetFieldID(env, thread, "tid", "J") : NULL;
    if ((*env)->ExceptionCheck(env))
        (*env)->ExceptionClear(env);
    if (a->options.fork)
        heapdump_fork_open(d);
    else
        snprintf(d->why_not, sizeof(d->why_not), "fork=n");
    return 0;
}

/* ---- what is known before the pause */

/* The thread's stack as a trace, and its methods, to tell whether it ran on. */
static void take_stack(struct heapdump *d, struct heapdump_thread *t, thread_id id, jthread thread)
{
    struct traces_stack stack;
    trace_id trace;

    t->trace = PROFILE_TRACE_SYSTEM;
    if (traces_take(d->agent, thread, 0, TRACES_DEPTH_MAX, &stack) != 0)
        return;
    trace = traces_of(d->agent, id, &stack);
    if (!trace)
        return;
    t->trace = profile_trace_at(d->agent->profile, trace)->serial;
    t->methods = malloc((size_t)(stack.count + 1) * sizeof(jmethodID));
    if (!t->methods)
        return;
    t->depth = stack.count;
    for (jint i = 0; i < stack.count; i++)
        t->methods[i] = stack.frames[i].method;
}

static void take_threads(struct heapdump *d, JNIEnv *env)
{
    struct agent *a = d->agent;
    jthread *threads = NULL, self = NULL;
    jint count = 0;

    d->thread_count = d->own_thread = 0;
    (*a->jvmti)->GetCurrentThread(a->jvmti, &self);
    if ((*a->jvmti)->GetAllThreads(a->jvmti, &count, &threads) != JVMTI_ERROR_NONE)
        return;
    d->threads = calloc((size_t)count + 1, sizeof(*d->threads));
    for (jint i = 0; i < count && d->threads; i++) {
        struct heapdump_thread *t = &d->threads[d->thread_count];
        struct thread *known = threads_find(a, threads[i]);

        if (!known)
            known = threads_enter(a, env, threads[i], 0);
        if (known && (*d->jvmti)->SetTag(d->jvmti, threads[i], (jlong)++d->thread_count) ==
                         JVMTI_ERROR_NONE) {
            t->serial = known->serial;
            t->ref = known->ref;
            t->id = d->thread_id ? (*env)->GetLongField(env, threads[i], d->thread_id) : 0;
            if ((*env)->IsSameObject(env, threads[i], self))
                d->own_thread = known->serial;
            take_stack(d, t, known->id, threads[i]);
        }
        (*env)->DeleteLocalRef(env, threads[i]);
    }
    (*env)->DeleteLocalRef(env, self);
    (*a->jvmti)->Deallocate(a->jvmti, (unsigned char *)threads);
}

static int take_classes(struct heapdump *d)
{
    struct agent *a = d->agent;

    d->class_count = 0;
    if (d->classes)
        (*a->jvmti)->Deallocate(a->jvmti, (unsigned char *)d->classes);
    d->classes = NULL;
    if ((*a->jvmti)->GetLoadedClasses(a->jvmti, &d->class_count, &d->classes) != JVMTI_ERROR_NONE)
        return E_UNSUPPORTED;
    d->known = arena_alloc(&d->arena, ((size_t)d->class_count + 1) * sizeof(*d->known));
    if (!d->known)
        return -ENOMEM;
    for (jint i = 0; i < d->class_count; i++) {
        class_id id = names_class(a, d->classes[i]);

        if (id) {
            const struct profile_class *c = profile_class_at(a->profile, id);

            d->known[i].name = c->name ? profile_string_at(a->profile, c->name)->bytes : "";
            d->known[i].serial = c->serial;
        }
    }
    return 0;
}

/* The sites of objects are the tags of the environment that watches allocations: its walk shows
 * them. */
static void take_sites(struct heapdump *d)
{
    uint64_t bytes = (d->heap.high - d->heap.low) / 8 * sizeof(*d->sites);

    d->walker = d->jvmti;
    d->sites = NULL;
    if (!d->can_fork || !alloc_env() || !d->agent->options.sites)
        return;
    d->sites = pages_map(bytes);
    if (d->sites &&
        (*alloc_env())->SetTag(alloc_env(), d->sentinel, HEAPDUMP_SENTINEL) == JVMTI_ERROR_NONE)
        d->walker = alloc_env();
}

static int take_memory(struct heapdump *d)
{
    take_sites(d);
    memset(d->status, 0, sizeof(*d->status));
    arena_init(&d->arena, arena_budget);
    d->root_max = ROOTS_MAX;
    d->roots = pages_map((size_t)d->root_max * sizeof(*d->roots));
    return d->roots ? 0 : -ENOMEM;
}

static void forget(struct heapdump *d)
{
    for (uint32_t i = 0; i < d->thread_count; i++)
        free(d->threads[i].methods);
    free(d->threads);
    pages_unmap(d->roots, (size_t)d->root_max * sizeof(*d->roots));
    pages_unmap(d->sites, (d->heap.high - d->heap.low) / 8 * sizeof(*d->sites));
    d->sites = NULL;
    if (d->classes)
        (*d->agent->jvmti)->Deallocate(d->agent->jvmti, (unsigned char *)d->classes);
    arena_done(&d->arena);
    d->threads = NULL;
    d->thread_count = 0;
    d->roots = NULL;
    d->classes = NULL;
    d->known = NULL;
}

/* A file without a name, for the dump alone. */
static int open_own_file(struct heapdump *d)
{
    const char *folder = getenv("TMPDIR");
    char name[PATH_MAX];

    snprintf(name, sizeof(name), "%s/hprof.XXXXXX", folder && folder[0] ? folder : "/tmp");
    d->own_file = mkostemp(name, O_CLOEXEC);
    if (d->own_file < 0) {
        int error = errno;

        snprintf(d->status->why, sizeof(d->status->why), "no file in %.64s: set TMPDIR", name);
        return -error;
    }
    unlink(name);
    d->sink.fd = d->own_file;
    return 0;
}

/* A pipe, a terminal, a device: it has no places to go back to, and takes bytes when it likes. */
static int is_pipe(const struct output *o)
{
    struct stat ours;

    return !o->net && (fstat(o->fd, &ours) != 0 || !S_ISREG(ours.st_mode));
}

/* The sink that the dump goes to: the file, from where it ends now; or a file of its own, which
 * goes the way of all records when it is whole. */
static int open_sink(struct heapdump *d)
{
    struct agent *a = d->agent;
    const struct hprof_out_config *config = &a->output.out.config;
    time_t now = time(NULL);

    d->own_file = -1;
    if (sink_init(&d->sink, a->output.fd) != 0)
        return -ENOMEM;
    d->out = (struct hprof_heap){
        .ops = a->options.format == 'b' ? &hprof_heap_bin : &hprof_heap_text,
        .sink = &d->sink,
        .buffer = d->buffer,
        .id_bytes = a->options.format == 'b'
                        ? config->id_bytes
                        : (uint32_t)options_id_bytes(&a->options, config->large_heap),
        .has_segments = config->large_heap,
        .created_ms = config->created_ms,
    };
    if (!ctime_r(&now, d->out.date))
        strcpy(d->out.date, "(no date)\n");
    /* The length of a record without segments is known at its end. */
    if (a->output.net || (is_pipe(&a->output) && a->options.format == 'b' && !config->large_heap))
        return open_own_file(d);
    return 0;
}

/* ---- the child, seen from here */

static void say_unreachable(const struct heapdump_status *s)
{
    log_note("heap dump: %llu of the objects cannot be reached, %llu of their references led "
             "nowhere, %.1f KB of the heap are no objects",
             (unsigned long long)s->unreachable, (unsigned long long)s->lost_links,
             (double)s->skipped / 1024);
}

/* One line a dump, when its child has ended. */
static void say(struct agent *a)
{
    struct heapdump *d = &dump_state;
    const struct heapdump_status *s = d->status;

    if (!d->jvmti || d->child || !s->is_complete || d->is_told)
        return;
    d->is_told = 1;
    if (d->is_in_pause) {
        log_note("heap dump: pause %.1f ms, all of it inside, %llu objects, %.1f MB written",
                 (double)d->pause_ns / 1e6, (unsigned long long)s->objects,
                 (double)s->file_bytes / 1048576);
        return;
    }
    log_note("heap dump: pause %.1f ms, child %.2f s, copied on write %.1f MB, %llu objects, %.1f "
             "MB written%s%s",
             (double)d->pause_ns / 1e6, (double)s->ns / 1e9, (double)d->child_bytes / 1048576,
             (unsigned long long)s->objects, (double)s->file_bytes / 1048576,
             s->is_walked ? ", sites by a walk" : "",
             s->broken ? ", some references led nowhere" : "");
    if (!a->options.live)
        say_unreachable(s);
    if (s->cut)
        log_error("heap dump: %llu arrays are longer than a record of the format can be: cut",
                  (unsigned long long)s->cut);
}

static void say_failed(const struct heapdump *d, int status)
{
    static const char *const end = "the dump is not in the file, the program goes on";
    const struct heapdump_status *s = d->status;

    if (WIFEXITED(status) && s->error)
        log_error("the heap dump's child could not write it (%s%s%s): %s", err_text(s->error),
                  s->why[0] ? ", " : "", s->why, end);
    else
        log_error("the heap dump's child %s %d%s%s: %s",
                  WIFSIGNALED(status) ? "was ended by signal" : "crashed with status",
                  WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
                  s->why[0] ? ", " : "", s->why, end);
}

/* The file has all that comes before the dump. In the writer's thread. */
static void note_turn(void *arg)
{
    struct heapdump *d = arg;
    off_t at = lseek(d->agent->output.fd, 0, SEEK_CUR);

    d->status->position = at < 0 ? 0 : (uint64_t)at;
    d->status->has_turn = 1;
}

/* The dump goes to the file itself; with a connection it does not wait for its turn. */
static void lend_file(struct heapdump *d)
{
    if (d->own_file < 0) {
        output_set_aside(&d->agent->output);
        output_lend(&d->agent->output, note_turn, d);
    } else {
        d->status->has_turn = 1;
    }
}

static void take_file_back(struct heapdump *d)
{
    struct output *o = &d->agent->output;

    output_bring_back(o);
    o->aside[0] = '\0';
    output_take_back(o);
    output_flush(o);
}

/* What has been written is whole, or it is nothing. */
static void settle_file(struct heapdump *d)
{
    struct output *o = &d->agent->output;

    if (d->own_file >= 0 && d->status->is_complete)
        output_insert_file(o, d->own_file, d->status->file_bytes); /* closes it */
    else if (d->own_file >= 0)
        close(d->own_file);
    else if (!d->status->is_complete && d->status->has_turn)
        output_cut(o, d->status->position);
    d->own_file = -1;
    take_file_back(d);
}

/* The child has ended: the file is ours again. Needs the lock. */
static void take_back(struct heapdump *d, int status)
{

    if (d->status->is_complete) {
        d->next_string = d->status->next_string;
        d->next_serial = d->status->next_serial;
    }
    settle_file(d);
    d->child = 0;
    d->is_told = 0;
    if (!d->status->is_complete)
        say_failed(d, status);
    else if (d->waiter_runs && d->agent->options.verbose)
        say(d->agent);
}

/* What the child holds alone: pages that the program has written since, or the child itself. */
static uint64_t own_memory(pid_t child)
{
    char path[64], text[2048], *line;
    uint64_t bytes = 0;
    ssize_t n;
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)child);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    for (line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "Private_Clean:", 14) == 0 || strncmp(line, "Private_Dirty:", 14) == 0)
            bytes += strtoull(line + 14, NULL, 10) * 1024;
    }
    return bytes;
}

static void stop_child(struct heapdump *d, const char *why)
{
    if (!d->status->why[0])
        snprintf(d->status->why, sizeof(d->status->why), "%s", why);
    kill(d->child, SIGKILL);
}

/* Look after the child, which holds so much memory now (0: not asked); 1 when there is none any
 * more. Needs the lock. */
static int look_after(struct heapdump *d, uint64_t bytes)
{
    uint64_t now, seen;
    int status = 0;

    if (!d->child)
        return 1;
    if (waitpid(d->child, &status, WNOHANG | __WALL) != 0) {
        take_back(d, status);
        return 1;
    }
    if (bytes > d->child_bytes)
        d->child_bytes = bytes;
    if (d->agent->options.fork_bytes && bytes > d->agent->options.fork_bytes)
        stop_child(d, "it needed more memory than forkmem= allows");
    now = clock_monotonic_ns();
    seen = d->status->progress + output_progress(&d->agent->output);
    if (seen != d->child_seen) {
        d->child_seen = seen;
        d->child_seen_ns = now;
    } else if (now - d->child_seen_ns > (uint64_t)STUCK_S * 1000000000u) {
        stop_child(d, "it stood still for 60 seconds");
    }
    return 0;
}

/* The kernel adds that up page by page: not each time. */
static uint64_t own_memory_now_and_then(pid_t child, int turn)
{
    return child && turn % (MEMORY_POLL_MS / POLL_MS) == 1 ? own_memory(child) : 0;
}

static void wait_for_child(struct heapdump *d)
{
    for (int i = 0; !look_after(d, own_memory_now_and_then(d->child, i)); i++)
        usleep(POLL_MS * 1000);
}

/* A thread of its own while a child runs: it knows no Java. */
static void *wait_aside(void *arg)
{
    struct heapdump *d = arg;
    pid_t child = d->child;
    int done = 0;

    for (int i = 0; !done; i++) {
        usleep(POLL_MS * 1000);
        uint64_t bytes = own_memory_now_and_then(child, i);

        agent_lock(d->agent);
        done = d->child != child || look_after(d, bytes);
        agent_unlock(d->agent);
    }
    return NULL;
}

static void start_waiter(struct heapdump *d)
{
    sigset_t all, before;
    pthread_t waiter;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    d->waiter_runs = pthread_create(&waiter, NULL, wait_aside, d) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (d->waiter_runs)
        pthread_detach(waiter);
    else
        wait_for_child(d);
}

/* ---- a dump */

static int write_by_child(struct heapdump *d)
{
    int error;

    lend_file(d);
    d->parent = getpid();
    d->child_bytes = d->child_seen = 0;
    d->child_seen_ns = clock_monotonic_ns();
    error = heapdump_fork_start(d);
    if (error) {
        take_file_back(d);
        return error;
    }
    d->waiter_runs = d->is_in_pause = 0;
    if (d->agent->dying)
        wait_for_child(d);
    else
        start_waiter(d);
    return 0;
}

/* Whoever dumps or ends waits for `dumps`, and nobody else for the file: the lock is free. */
static int wait_for_turn(struct heapdump *d)
{
    struct agent *a = d->agent;
    int error;

    agent_unlock(a);
    error = output_wait_for_turn(&a->output);
    agent_lock(a);
    return error ? error : take_classes(d); /* classes have been loaded meanwhile */
}

static int write_in_pause(struct heapdump *d, JNIEnv *env)
{
    const char *why = d->status->why[0] ? d->status->why : d->why_not;
    struct agent *a = d->agent;
    int error;

    if (a->options.verbose && a->options.fork)
        log_note("the heap dump is made inside the pause: %s", why);
    if (!a->options.live)
        log_error("live=n: inside the pause only objects that can be reached are seen: only they "
                  "are in the dump");
    d->status->has_turn = 0;
    d->status->position = 0;
    /* The whole VM would wait until somebody reads. */
    error = d->own_file < 0 && is_pipe(&a->output) ? open_own_file(d) : 0;
    if (error)
        return error;
    lend_file(d);
    if (d->own_file < 0)
        error = wait_for_turn(d);
    if (!error) {
        d->sink.written = d->status->position;
        agent_unlock(a);
        error = heapdump_pause_write(d, env);
        agent_lock(a);
    }
    settle_file(d);
    d->is_in_pause = 1;
    d->is_told = 0;
    return error;
}

static void write_dump(struct heapdump *d, JNIEnv *env)
{
    struct agent *a = d->agent;
    int error = take_memory(d);

    if (!error)
        error = take_classes(d);
    if (!error && a->options.selftest && d->can_fork)
        heapdump_selftest_run(d);
    if (!error) {
        take_threads(d, env);
        a->output.out.ops->traces(&a->output.out);
        error = open_sink(d);
    }
    if (!error) {
        error = d->can_fork ? write_by_child(d) : E_UNSUPPORTED;
        if (error)
            error = write_in_pause(d, env);
    }
    d->sink.error = -EBADF; /* the child has it, or nobody */
    free(d->sink.buffer);
    d->sink.buffer = NULL;
    if (error)
        log_error("there is no heap dump in %s (%s%s%s): the program goes on", a->output.path,
                  err_text(error), d->status->why[0] ? ", " : "", d->status->why);
    forget(d);
}

static void dump(struct agent *a)
{
    struct heapdump *d = &dump_state;
    JNIEnv *env;

    if (!d->jvmti || (*a->vm)->GetEnv(a->vm, (void **)&env, JNI_VERSION_1_6) != JNI_OK)
        return;
    if ((*env)->PushLocalFrame(env, 64) != JNI_OK)
        return;
    write_dump(d, env);
    (*env)->PopLocalFrame(env, NULL);
}

static int request(struct agent *a, JNIEnv *env, const struct engine_request *r)
{
    if (r->ask != ENGINE_HEAP_DUMP)
        return E_UNSUPPORTED;
    dump(a);
    return 0;
}

/* A child may still be writing. */
static void settle(struct agent *a)
{
    struct heapdump *d = &dump_state;

    for (int i = 0, done = !d->jvmti; !done; i++) {
        uint64_t bytes = own_memory_now_and_then(d->child, i);

        agent_lock(a);
        done = look_after(d, bytes);
        agent_unlock(a);
        if (!done)
            usleep(POLL_MS * 1000);
    }
}

const struct engine engine_heapdump = {
    .name = "heapdump",
    .help = "heap=dump: the objects of the heap and what holds them",
    .dumping = " Java heap ...",
    .wanted = wanted,
    .capabilities = capabilities,
    .prepare = prepare,
    .start = start,
    .settle = settle,
    .dump = dump,
    .request = request,
    .say = say,
    .stop = settle, /* the file is closed behind it */
};
