/*
 * engine_heapdump.c - heap=dump: the objects of the heap, their contents, and the references to
 * them.
 *
 * The engine uses the frozen heap (agent/frozen/frozen.h): the child writes the dump, or the walk
 * inside the pause does. While a child writes, the recording's other records wait in memory. A
 * second dump, of this recording or of another one, waits for the first. See docs/heap-dump.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/engine.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/engine/crew_dump.h"
#include "agent/heapdump/heapdump.h"
#include "agent/log.h"
#include "base/err.h"
#include "base/pages.h"
#include "base/plural.h"
#include "options/options_frozen.h"
#include "options/options_group.h"
#include "options/options_heapdump.h"
#include "options/options_testing.h"
#include "safe/clock.h"

enum { PAUSE_NS = 1400, STAND_NS = 100 }; /* docs/measurements/heap-dump.md */

static const uint64_t first_string = 0xa8000000u; /* larger than any id of the model */
static const uint32_t first_serial = 0x40000000u; /* for classes that only the child has met */

static struct heapdump dump_state;

static int prepare(const struct options *o)
{
    return 0;
}

/* ---- a use of the frozen heap */

static int note_stacks(struct heapdump *d)
{
    int error = heapdump_sites_take(d);
    return error ? error : heapdump_names_note_stacks(d);
}

static int prepare_dump(void *self, JNIEnv *env)
{
    struct heapdump *d = self;
    struct frozen *f = &d->frozen;
    int error = heapdump_names_take(d);
    if (!error && options_testing_of(&d->agent->options)->selftest && f->vm.can_fork &&
        !frozen_vm_is_copied(&f->vm))
        heapdump_selftest_run(f);
    if (!error) {
        /* A text file has no place for the thread of a trace. */
        bool names_stacks = d->recording->options.format == 'b';

        frozen_threads_take(&f->threads, d->agent, &f->vm, env, names_stacks);
        error = note_stacks(d);
    }
    if (!error)
        error = heapdump_file_open(d);
    if (error)
        return error;
    f->keep_fd = d->file.sink.fd;
    if (f->vm.can_fork)
        heapdump_file_set_aside(d);
    return 0;
}

static void locate(void *self)
{
    heapdump_names_locate(self);
}

/* The child would wait for its turn in the agent's file, whose first part is written after the
 * fork. */
static int stand(void *self)
{
    struct heapdump *d = self;
    int error = d->file.own < 0 ? heapdump_file_beside(d) : 0;
    d->frozen.keep_fd = d->file.sink.fd;
    d->file.turn->has = 1;
    return error;
}

static void forked(void *self)
{
    struct heapdump *d = self;
    heapdump_names_announce(d, true);
    heapdump_file_lend(d);
    d->is_in_pause = false;
}

static int work(void *self, const char **ret_why)
{
    return heapdump_write_run(self, ret_why);
}

/* The agent's lock is given back while this thread waits for the file. A thread that wants to dump
 * or end waits for agent.dumps, so no other thread waits for the file. */
static int wait_for_turn(struct heapdump *d, JNIEnv *env)
{
    struct agent *a = d->agent;
    struct frozen *f = &d->frozen;
    agent_unlock(a);
    int error = output_wait_for_turn(&d->recording->output);

    agent_lock(a);
    if (!error) /* classes may have been loaded meanwhile */
        error = frozen_classes_take(&f->classes, a->vm.main, env, &f->arena);
    if (!error)
        error = heapdump_names_take(d);
    return error ? error : note_stacks(d);
}

/* Reports arrays that were cut, because a reader of the file cannot see that a record is not
 * complete. */
static void tell_cuts(struct heapdump *d)
{
    const struct hprof_heap_cuts *cuts = &d->result->cuts;
    if (!d->is_whole || cuts->count == 0)
        return;
    for (uint64_t i = 0; i < cuts->count && i < HPROF_HEAP_CUTS; i++)
        log_note("heap dump: the %s with id 0x%llx has %u elements, the file has the first %u: a "
                 "record of the format holds no more",
                 cuts->first[i].name, (unsigned long long)cuts->first[i].object,
                 cuts->first[i].full, cuts->first[i].written);
    if (cuts->count > HPROF_HEAP_CUTS)
        log_note("heap dump: so %llu arrays are cut", (unsigned long long)cuts->count);
    recording_set_quality(d->recording, QUALITY_HEAPDUMP_ARRAYS_CUT, cuts->count);
    recording_put_quality(d->recording);
}

static void say_in_pause(const struct options *o, const char *why)
{
    if (o->verbose && options_frozen_of(o)->fork)
        log_note("the heap dump is made inside the pause: %s", why);
    if (!o->live)
        log_note("live=n: inside the pause only objects that can be reached are seen: only they "
                 "are in the dump");
}

static int write_in_pause(void *self, JNIEnv *env, const char *why)
{
    struct heapdump *d = self;
    struct agent *a = d->agent;
    int error = 0;
    if (d->frozen.vm.can_fork)
        output_bring_back(&d->recording->output);
    snprintf(d->why_in_pause, sizeof(d->why_in_pause), "%s", why);
    say_in_pause(&d->recording->options, why);
    *d->file.turn = (struct heapdump_turn){0};
    /* The whole VM would wait for the reader of the pipe. */
    if (d->file.own < 0 && heapdump_file_is_pipe(d))
        error = heapdump_file_own(d);
    if (error)
        return error;
    heapdump_names_announce(d, false);
    heapdump_file_set_aside(d);
    heapdump_file_lend(d);
    if (d->file.own < 0)
        error = wait_for_turn(d, env);
    if (!error) {
        d->file.sink.written = d->file.turn->position;
        agent_unlock(a);
        error = heapdump_pause_write(d, env);
        agent_lock(a);
    }
    d->is_whole = !error;
    if (!error)
        heapdump_names_note_written(d);
    heapdump_file_settle(d, d->is_whole);
    tell_cuts(d);
    d->is_in_pause = true;
    d->is_told = false;
    return error;
}

static void refused(void *self)
{
    struct heapdump *d = self;
    output_end_aside(&d->recording->output);
    if (d->file.own >= 0)
        close(d->file.own);
    d->file.own = -1;
}

/* The file may fail while the child waits for its turn. Bytes that the file takes count as
 * progress. */
static uint64_t look(void *self)
{
    struct heapdump *d = self;
    if (!d->file.turn->has)
        d->file.turn->never = output_error(&d->recording->output);
    return output_progress(&d->recording->output);
}

/* If the file has been removed, the dump is not wanted any more, because nobody could read it. */
static const char *unwanted(void *self)
{
    const struct heapdump *d = self;
    const struct output *o = &d->recording->output;
    struct stat st;
    if (recording_is_left(d->recording))
        return "nobody waits for it any more";
    if (o->held.is_unnamed)
        return NULL;
    return d->file.own < 0 && o->is_ours && fstat(o->fd, &st) == 0 && st.st_nlink == 0
               ? "its file has been removed"
               : NULL;
}

static void say_dumped(struct heapdump *d);

static void ended(void *self, bool is_complete)
{
    struct heapdump *d = self;
    struct agent *a = d->agent;
    if (is_complete) {
        d->next->string = d->result->next_string;
        d->next->serial = d->result->next_serial;
    }
    d->is_whole = is_complete;
    d->is_told = false;
    heapdump_names_settle(d, is_complete);
    heapdump_file_settle(d, is_complete);
    tell_cuts(d);
    if (!crew_dump_written(a) && d->frozen.watch.has_thread && d->recording->options.verbose)
        say_dumped(d);
}

static const struct frozen_use heapdump_use = {
    .what = "heap dump",
    .is_lost = "the dump is not in the file, the program goes on",
    .pause_ns = PAUSE_NS,
    .stand_ns = STAND_NS,
    .prepare = prepare_dump,
    .stand = stand,
    .locate = locate,
    .forked = forked,
    .work = work,
    .in_pause = write_in_pause,
    .refused = refused,
    .look = look,
    .unwanted = unwanted,
    .ended = ended,
};

/* ---- the engine */

static void *map_shared(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static int start(struct agent *a, JNIEnv *env)
{
    struct heapdump *d = &dump_state;
    d->agent = a;
    d->frozen.agent = a;
    d->frozen.use = &heapdump_use;
    d->frozen.self = d;
    d->result = map_shared(sizeof(*d->result));
    d->file.turn = map_shared(sizeof(*d->file.turn));
    d->file.buffer = pages_map(HPROF_HEAP_SEGMENT);
    int error =
        d->result && d->file.turn && d->file.buffer ? frozen_open(&d->frozen, env) : -ENOMEM;

    if (error == E_UNSUPPORTED)
        log_error("heap=dump: this VM lets nobody tag objects: there will be no heap dump");
    else if (error)
        log_error("heap=dump: no memory: there will be no heap dump");
    return error;
}

/* The file of a new recording has no names and classes yet. */
static int join(struct agent *a, struct recording *r)
{
    if (dump_state.recording == r) /* an earlier recording had this place in memory */
        dump_state.is_whole = false;
    dump_state.all_next[r->place] = (struct heapdump_next){first_string, first_serial};
    return 0;
}

static void dump_heap(struct heapdump *d, JNIEnv *env)
{
    const char *why = d->frozen.status->why;
    memset(d->result, 0, sizeof(*d->result));
    d->frozen.with_unreachable = !d->recording->options.live && !frozen_vm_is_copied(&d->frozen.vm);
    d->frozen.pause = frozen_pause_of(options_frozen_of(&d->recording->options)->in_pause);
    d->frozen.fork_bytes = options_frozen_of(&d->recording->options)->fork_bytes;
    if (d->frozen.vm.can_fork && !d->recording->options.live && !d->frozen.with_unreachable)
        log_note("live=n: a copy of ZGC's heap is not searched for what nobody can reach: only "
                 "objects that can be reached are in the dump");
    d->frozen.sites.are_wanted =
        options_group_marks(&d->recording->options) & OPTIONS_MARK_OBJECT_SITES;
    d->is_whole = false;
    int error = frozen_take(&d->frozen, env);

    heapdump_file_leave(d);
    bool never = error && d->frozen.is_refused && d->frozen.pause == FROZEN_PAUSE_NEVER;
    if (never && d->frozen.fork.no_room && !d->frozen.stand.is_on &&
        !frozen_vm_is_copied(&d->frozen.vm))
        log_error("there is no heap dump, because there is no room for a child while the program "
                  "runs (%s): with forkmem=0, 'hprof dump-heap --fork --stand', the program stands "
                  "still meanwhile, and less is enough",
                  why);
    else if (never)
        log_error("there is no heap dump, because it would stop the program for long (%s): the "
                  "JVM's own, 'hprof dump-heap' without --fork, stops it for less",
                  why);
    else if (error && d->frozen.is_refused)
        log_error("there is no heap dump, because it would stop the program for long (%s): the "
                  "JVM's own, 'jcmd %d GC.heap_dump FILE', stops it for less; inpause=y makes this "
                  "one all the same",
                  why, (int)getpid());
    else if (error)
        agent_missed(d->agent, error)("there is no heap dump in %s (%s%s%s): the program goes on",
                                      d->recording->output.path, err_text(error),
                                      why[0] ? ", " : "", why);
}

static void dump(struct agent *a, struct recording *r)
{
    struct heapdump *d = &dump_state;
    JNIEnv *env = vm_jni(&a->vm);
    d->recording = r;
    d->next = &d->all_next[r->place];

    if (d->frozen.vm.jvmti && env)
        dump_heap(d, env);
}

static int answer(struct agent *a, struct recording *r, const struct net_command *c)
{
    dump(a, r);
    return 0;
}

static const struct engine_command command = {NET_COMMAND_HEAP_DUMP, 0, "heap dump", answer};

static void settle(struct agent *a)
{
    frozen_settle(&dump_state.frozen);
}

static bool is_pending(struct agent *a)
{
    return dump_state.frozen.watch.child > 0;
}

static void say_unreachable(const struct heapdump_result *r)
{
    log_note("heap dump: %llu of the objects cannot be reached, %llu of their references led "
             "nowhere, %.1f KB of the heap are no objects",
             (unsigned long long)r->unreachable, (unsigned long long)r->lost_links,
             (double)r->skipped / 1024);
}

static void say_by_child(const struct heapdump *d)
{
    const struct frozen *f = &d->frozen;
    const struct heapdump_result *r = d->result;
    char in_pause[FROZEN_PAUSE_TEXT];
    log_note(
        "heap dump: pause %.1f ms%s, child %.2f s, copied on write %.1f MB, %llu object%s, %.1f "
        "MB written%s%s",
        (double)f->fork.pause_ns / 1e6, frozen_pause_text(f, in_pause), (double)f->status->ns / 1e9,
        (double)f->watch.bytes / 1048576, (unsigned long long)r->objects, plural_s(r->objects),
        (double)r->file_bytes / 1048576, f->status->is_walked ? ", sites by a walk" : "",
        r->broken ? ", some references led nowhere" : "");
    if (f->with_unreachable)
        say_unreachable(r);
    if (f->status->walk_errno)
        log_error("heap dump: objects have no sites in this dump: they need a walk of the VM in "
                  "the child, and seccomp, which ends it, is refused (%s)",
                  strerror(f->status->walk_errno));
    if (f->status->is_siteless)
        log_error("heap dump: the VM's table of allocation tags could not be read: objects have no "
                  "sites in this dump; the next one finds them by a walk");
}

/* Prints one line for each dump, when its child has ended. */
static void say_dumped(struct heapdump *d)
{
    if (!d->frozen.vm.jvmti || d->frozen.watch.child || !d->is_whole || d->is_told)
        return;
    d->is_told = true;
    if (d->is_in_pause)
        log_note("heap dump: pause %.1f ms, all of it inside, %llu object%s, %.1f MB written",
                 (double)d->pause_ns / 1e6, (unsigned long long)d->result->objects,
                 plural_s(d->result->objects), (double)d->result->file_bytes / 1048576);
    else
        say_by_child(d);
}

static void say(struct agent *a, struct recording *r)
{
    say_dumped(&dump_state);
}

/* Tells about the recording's last dump, if no other recording has made a dump since. */
static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    const struct heapdump *d = &dump_state;
    const struct frozen *f = &d->frozen;
    const struct heapdump_result *result = d->result;
    int n;
    if (d->recording != r || !d->is_whole)
        return;
    n = snprintf(ret, ENGINE_STATUS,
                 "heap_pause_us=%llu heap_child_ms=%llu heap_objects=%llu heap_bytes=%llu "
                 "heap_live=%c",
                 (unsigned long long)(d->is_in_pause ? d->pause_ns : f->fork.pause_ns) / 1000,
                 (unsigned long long)(d->is_in_pause ? 0 : f->status->ns) / NS_PER_MS,
                 (unsigned long long)result->objects, (unsigned long long)result->file_bytes,
                 d->is_in_pause || !f->with_unreachable ? 'y' : 'n');
    if (result->cuts.count > 0)
        n += snprintf(ret + n, (size_t)(ENGINE_STATUS - n),
                      " heap_cut=%llu heap_cut_id=%llu heap_cut_class=\"%s\" heap_cut_full=%u "
                      "heap_cut_written=%u",
                      (unsigned long long)result->cuts.count,
                      (unsigned long long)result->cuts.first[0].object, result->cuts.first[0].name,
                      result->cuts.first[0].full, result->cuts.first[0].written);
    if (!d->is_in_pause && f->stand.is_on)
        n += snprintf(ret + n, (size_t)(ENGINE_STATUS - n), " heap_stood=y");
    if (d->is_in_pause)
        snprintf(ret + n, (size_t)(ENGINE_STATUS - n), " heap_inside=\"%s\"", d->why_in_pause);
}

static int release(struct agent *a, JNIEnv *env)
{
    struct heapdump *d = &dump_state;
    frozen_close(&d->frozen, env);
    heapdump_names_done(d);
    heapdump_sites_done(d);
    if (d->result)
        munmap(d->result, sizeof(*d->result));
    if (d->file.turn)
        munmap(d->file.turn, sizeof(*d->file.turn));
    pages_unmap(d->file.buffer, HPROF_HEAP_SEGMENT);
    memset(d, 0, sizeof(*d));
    return 0;
}

const struct engine engine_heapdump = {
    .name = "heapdump",
    .help = "heap=dump: the objects of the heap and what holds them",
    .begun = "heap dumps",
    .dumping = " Java heap ...",
    .options = &options_heapdump,
    .owns = {.commands = &command, .command_count = 1, .counts = "heapdump_"},
    .sharing = {.join = join},
    .prepare = prepare,
    .start = start,
    .settle = settle,
    .dump = dump,
    .is_pending = is_pending,
    .say = say,
    .status = status,
    .stop = settle, /* the file is closed after this */
    .release = release,
};
