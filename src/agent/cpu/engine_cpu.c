/*
 * engine_cpu.c - cpu=samples: where the threads spend their CPU time.
 *
 * Signal handlers leave samples in a ring (safe/tick.h); a thread of the agent drains it into the
 * model ten times a second, or when it is a quarter full, and looks for new threads. Everything
 * that the table does not show is counted and goes into the file with it: docs/sampling.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/engine.h"
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/cpu/cpu_share.h"
#include "agent/frame/frame_kernel.h"
#include "agent/frame/frame_native.h"
#include "agent/frame/frame_room.h"
#include "agent/kernels.h"
#include "agent/log.h"
#include "agent/recording.h"
#include "agent/sample_room.h"
#include "agent/slots.h"
#include "agent/threads.h"
#include "agent/timer/rival.h"
#include "agent/timer/timer.h"
#include "agent/stack_source/stack_source.h"
#include "base/err.h"
#include "base/lock.h"
#include "options/options_cpu.h"
#include "options/options_signal.h"
#include "safe/bell.h"
#include "safe/clock.h"
#include "safe/own_class.h"
#include "safe/tick.h"
#include "vm/vm_event.h"
#include "vm/vmself.h"

extern const struct engine engine_cpu;

enum {
    DRAIN_MS = 100,
    RIVAL_MS = 4,          /* so often it is looked whether a rival has come, */
    RIVALS_COME_MS = 3000, /* for so long from the start on */
    STOP_WAIT_MS = 2000,
    QUIET_WAIT_MS = 200,
};

static struct {
    struct tick tick;
    struct slots slots;
    const struct timer_source *source;
    const struct stack_source *stacks;
    int running;
    struct sample_room room;
    struct bell wake, stopped;
    _Atomic int stop;
    int thread_runs;
    int keeps_signal; /* signal= says which: it is taken back from whom takes it */
    int told_taken, told_refused;
    uint32_t early_ms;                      /* waited since the start, up to RIVALS_COME_MS */
    struct cpu_share *of[AGENT_RECORDINGS]; /* by their places; NULL: has no samples */
    struct {
        struct tick_counts counts;
        uint64_t other[SLOTS_ROLE_COUNT];
    } known; /* what has been counted for recordings */
    uint64_t agent_cpu_ns;
} cpu;

static struct vm_threads_row per_thread = {.bytes = sizeof(struct tick_slot *)};

static void on_compiled_method(void *data, jmethodID method, jint code_size, const void *code,
                               jint map_length, const jvmtiAddrLocationMap *map, const void *info)
{
}

/*
 * Debug information for every instruction, not only for safepoints: by the VM's own flag, or else
 * by an event that has it as a side effect (and makes a jmethodID for every method compiled). A VM
 * that has neither is sampled all the same.
 */
static int load(struct agent *a)
{
    static struct vm_event_subscriber only_to_be_on = {.event = VM_EVENT_COMPILED_METHOD,
                                                       .on.compiled_method = on_compiled_method};

    if (vmself_turn_on("DebugNonSafepoints") != 0)
        vm_event_add(&only_to_be_on, NULL);
    return 0;
}

static void wake(void)
{
    bell_ring(&cpu.wake);
}

/* A trace loses no frame to a tracker that lies on top of it. */
static uint32_t walked_depth(uint32_t depth)
{
    return depth + OWN_CLASS_FRAMES;
}

/* No handler runs. */
static void use_room(const struct sample_room *room, uint32_t depth)
{
    cpu.room = *room;
    ring_init(&cpu.tick.ring, room->ring, room->ring_bytes, room->payload_bytes);
    cpu.tick.depth = depth;
}

static int make_tick(const struct options *o)
{
    struct sample_room room;
    uint32_t depth = walked_depth((uint32_t)o->depth);
    int error = sample_room_map(o, depth, &room);

    if (error)
        return error;
    /* Kept for ever: signals that are late know their slot. */
    if (!cpu.tick.slots)
        cpu.tick.slots = sample_room_pages(TICK_SLOTS * sizeof(*cpu.tick.slots));
    if (!cpu.tick.slot_of_fd)
        cpu.tick.slot_of_fd = sample_room_pages(TICK_FDS * sizeof(*cpu.tick.slot_of_fd));
    if (!cpu.tick.slots || !cpu.tick.slot_of_fd) {
        sample_room_unmap(&room);
        log_error("no memory for the list of threads");
        return -ENOMEM;
    }
    use_room(&room, depth);
    cpu.tick.wake = wake;
    return 0;
}

/* The recording that gets samples, from place *at on; NULL at the end. */
static struct recording *sampled(const struct agent *a, int *at)
{
    struct recording *r;

    do
        r = engine_recording(a, &engine_cpu, at);
    while (r && !cpu.of[r->place]); /* with depth=0 */
    return r;
}

/* The frames of one sample, which are in cpu.room. */
struct taken {
    int64_t depth;    /* -1: the model's memory is used up */
    uint32_t unnamed; /* frames that nobody could name */
};

static struct taken take_frames(struct agent *a, const struct tick_sample *s)
{
    struct taken taken = {0};
    uint32_t depth = 0;

    for (int32_t i = 0; i < s->result; i++) {
        struct frame_found found = frame_room_find(a, cpu.tick.walker->names, &s->frames[i]);

        if (found.is_lost)
            return (struct taken){.depth = -1, .unnamed = taken.unnamed};
        if (!found.frame) {
            taken.unnamed++; /* keeps its place in the stack */
            found.frame = frame_room_unknown(a);
        }
        /* Where the kernel names nothing, one frame says so, not one for each call. */
        if (found.is_blank && depth > 0 && cpu.room.frames[depth - 1] == found.frame)
            continue;
        if (found.is_own)
            depth = 0;
        else if (found.frame)
            cpu.room.frames[depth++] = found.frame;
    }
    taken.depth = depth;
    return taken;
}

/* The stack of a sample that has none, as it is by now. */
static struct tick_sample *ask_stack(struct agent *a, const struct tick_sample *s)
{
    struct tick_sample *late = cpu.room.late;

    *late = *s;
    late->result = cpu.stacks->stack(a, s->serial, late->frames, cpu.tick.depth);
    return late;
}

/* The sample counts for `r`, with `weight` of its own intervals. */
static void count_for(struct agent *a, struct recording *r, const struct tick_sample *s,
                      const struct taken *taken, uint32_t weight)
{
    struct cpu_quality *q = &cpu.of[r->place]->quality;
    uint32_t depth = taken->depth > 0 ? (uint32_t)taken->depth : 0,
             most = (uint32_t)r->options.depth;
    thread_id thread = profile_thread_by_serial(a->profile, s->serial);
    struct event event = {
        .kind = EVENT_SAMPLE, .thread = thread, .time_ns = s->time_ns, .value = {weight}};

    q->unnamed_frames += taken->unnamed;
    if (taken->depth == 0) {
        q->nameless += weight;
        return;
    }
    if (taken->depth > 0)
        event.trace = profile_trace(a->profile, r->options.thread ? thread : 0, cpu.room.frames,
                                    depth < most ? depth : most);
    if (!event.trace || recording_count(a, r, &event) != 0) {
        q->no_memory += weight;
        return;
    }
    if (s->truncated || depth > most)
        q->truncated += weight;
    cpu_quality_add_walked(q, s, weight, options_cpu_of(&a->options)->native);
}

/* One sample of the ring becomes ticks of traces. Needs the lock. */
static void take_in(struct agent *a, struct tick_sample *s)
{
    struct taken taken = {0};
    bool has_frames = false;
    struct recording *r;

    if (s->result >= 0 && cpu.stacks->stack)
        s = ask_stack(a, s);
    for (int at = 0; (r = sampled(a, &at)) != NULL;) {
        struct cpu_quality *q = &cpu.of[r->place]->quality;
        uint32_t weight =
            cpu_share_take(cpu.of[r->place], s->serial, s->weight * cpu.slots.interval_ns);

        if (weight > q->largest)
            q->largest = weight;
        if (s->serial == 0) /* with native=y only */
            q->other_samples += weight;
        if (s->result < 0) {
            q->failed[-s->result - 1] += weight;
            continue;
        }
        if (weight && !has_frames)
            taken = take_frames(a, s);
        if (weight)
            count_for(a, r, s, &taken, weight);
        has_frames |= weight > 0;
    }
}

/* What has become no sample since the last time counts for all that sample now. */
static void count_outside(struct agent *a)
{
    struct tick_counts now = tick_counts(&cpu.tick), before = cpu.known.counts;
    uint64_t other[SLOTS_ROLE_COUNT], ns = cpu.slots.interval_ns;
    struct recording *r;

    slots_ticks(&cpu.slots, other);
    for (int at = 0; (r = sampled(a, &at)) != NULL;) {
        struct cpu_outside *to = &cpu.of[r->place]->quality.outside;

        to->lost_ns += (now.lost - before.lost) * ns;
        to->ended_ns += (now.ended - before.ended) * ns;
        to->blocked_ns += (now.blocked - before.blocked) * ns;
        to->missed_ns += (now.missed - before.missed) * ns;
        to->stale_ns += (now.kernel_stale - before.kernel_stale) * ns;
        to->signals += now.signals - before.signals;
        to->early += now.early - before.early;
        to->foreign += now.foreign - before.foreign;
        for (int i = 0; i < SLOTS_ROLE_COUNT; i++)
            to->other_ns[i] += (other[i] - cpu.known.other[i]) * ns;
    }
    cpu.known.counts = now;
    memcpy(cpu.known.other, other, sizeof(other));
}

static void drain(struct agent *a)
{
    struct tick_sample *s;
    /* What is there now: the lock must not be held as long as samples keep coming. */
    uint64_t end = ring_end(&cpu.tick.ring);

    while (!ring_is_read(&cpu.tick.ring, end) && (s = ring_peek(&cpu.tick.ring)) != NULL) {
        take_in(a, s);
        ring_release(&cpu.tick.ring);
    }
    if (cpu.stacks->read)
        cpu.stacks->read(&cpu.tick.ring);
}

/*
 * Somebody has put a handler of their own in our place: a profiler that came later. It keeps the
 * signal, and we take another. Only where none is free, or signal= says which, is it shared.
 */
static void get_signal(struct agent *a)
{
    int next = cpu.keeps_signal ? 0 : rival_free_signal();
    char before[RIVAL_NAME], after[RIVAL_NAME];

    rival_signal_name(cpu.tick.signal, before);
    if (next && slots_use_signal(&cpu.slots, next) == 0) {
        rival_signal_name(next, after);
        if (a->options.verbose)
            log_note("another handler took %s; sampling goes on with %s", before, after);
    } else if (tick_reinstall()) {
        slots_restart(&cpu.slots);
        if (a->options.verbose && !cpu.told_taken)
            log_note("the application took %s; took it back, its handler still gets its own "
                     "signals",
                     before);
        cpu.told_taken = 1;
    }
}

/* Samples that will be missing are an error, not only a number in the file. */
static void say_refused(void)
{
    int error = cpu.slots.refused_error;

    if (!error || cpu.told_refused)
        return;
    cpu.told_refused = 1;
    if (error == -EAGAIN)
        log_error("a thread has no timer (%s: too many pending signals, see ulimit -i): its "
                  "samples are missing",
                  err_text(error));
    else
        log_error("a thread has no timer (%s): its samples are missing", err_text(error));
}

/*
 * Until the bell rings, for DRAIN_MS at most. While two profilers use one signal, a timer of either
 * dies when both fire at once, for of two pending signals the kernel keeps one. Rivals mostly come
 * with the start of the program, so there the look for them is a quick one.
 */
static void wait_a_lap(void)
{
    uint32_t waited = 0;

    while (cpu.early_ms < RIVALS_COME_MS && waited < DRAIN_MS) {
        if (bell_wait(&cpu.wake, RIVAL_MS) || !tick_has_signal())
            return;
        cpu.early_ms += RIVAL_MS;
        waited += RIVAL_MS;
    }
    if (waited < DRAIN_MS)
        bell_wait(&cpu.wake, DRAIN_MS);
}

static void JNICALL drain_loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    struct agent *a = argument;
    jthread self = NULL;

    cpu.slots.agent_tid = gettid();
    if ((*jvmti)->GetCurrentThread(jvmti, &self) == JVMTI_ERROR_NONE) {
        agent_lock(a);
        threads_enter_agent(a, self);
        agent_unlock(a);
    }
    while (!cpu.stop) {
        slots_look(&cpu.slots);
        wait_a_lap();
        if (options_cpu_of(&a->options)->native || frame_native_is_wanted())
            frame_native_look();
        if (cpu.tick.kernel_page)
            frame_kernel_load();
        agent_lock(a);
        if (!cpu.stop)
            drain(a);
        agent_unlock(a);
        if (!tick_has_signal())
            get_signal(a);
        say_refused();
        cpu.agent_cpu_ns = clock_thread_cpu_ns();
    }
    bell_ring(&cpu.stopped);
}

/*
 * The drain thread has to wait for the agent's lock like everybody else. Where many threads begin
 * or end on few processors at once, it may not get it for seconds: then who has it does the work.
 */
static void help_drain(struct agent *a)
{
    if (ring_is_filling(&cpu.tick.ring))
        drain(a);
}

static void thread_start(struct agent *a, struct thread *thread)
{
    if (!cpu.running)
        return;
    slots_enter(&cpu.slots, thread);
    help_drain(a);
}

static void thread_end(struct agent *a, struct thread *thread)
{
    slots_leave(&cpu.slots, thread);
    if (cpu.running)
        help_drain(a);
}

/* The name has been checked with the options. */
static int choose_signal(const struct options_cpu *own)
{
    const char *why;
    int signal = options_signal_named(own->signal, &why);

    cpu.keeps_signal = signal != 0;
    if (signal == 0)
        signal = rival_free_signal();
    return signal ? signal : SIGPROF;
}

static const struct timer_source *choose_timer(const struct options_cpu *own, int signal)
{
    const struct timer_source *source = timer_choose(own->timer, signal);
    int error;

    if (!source) {
        log_error(
            "no timer works here: there can be no samples. A container's seccomp rules may "
            "forbid perf_event_open, and ulimit -i (pending signals) timer_create: allow one");
        return NULL;
    }
    if (options_signal_is_realtime(signal) && !source->has_realtime) {
        log_error("timer=%s cannot raise the real-time signal %s: leave one of them out",
                  source->name, own->signal);
        return NULL;
    }
    error = source->probe();
    if (error) {
        log_error("timer=%s does not work here (%s): leave timer= out to have the best that does",
                  source->name, err_text(error));
        return NULL;
    }
    return source;
}

/* Kernel frames belong to the moment of the signal, and only perf tells them. */
static int check_kernel(const struct options_cpu *own)
{
    if (own->kernel && own->timer[0] && !cpu.source->probe_kernel) {
        log_error("timer=%s has no kernel frames: leave kernel=y or timer= out", own->timer);
        return E_UNSUPPORTED;
    }
    if (own->kernel && strcmp(own->walker, "jvmti") == 0) {
        log_error("walker=jvmti has no kernel frames: leave kernel=y or walker= out");
        return E_UNSUPPORTED;
    }
    return 0;
}

static int prepare(const struct options *o)
{
    const struct options_cpu *own = options_cpu_of(o);
    int signal;

    if (o->depth == 0)
        return 0;
    if (own->native && own->walker[0] && !stack_source_has_native(own->walker)) {
        log_error("walker=%s has no native frames: leave native=y or walker= out", own->walker);
        return E_UNSUPPORTED;
    }
    signal = choose_signal(own);
    cpu.tick.signal = signal;
    cpu.source = choose_timer(own, signal);
    if (!cpu.source || check_kernel(own) != 0)
        return E_UNSUPPORTED;
    return make_tick(o);
}

static int start(struct agent *a, JNIEnv *env)
{
    int error, free_signal;

    if (a->options.depth == 0)
        return 0; /* as in the original: no depth, no samples */
    cpu.stacks = stack_source_prepare(a, env, options_cpu_of(&a->options)->walker);
    if (!cpu.stacks)
        return E_UNSUPPORTED;
    cpu.tick.walker = cpu.stacks->walker;
    if (options_cpu_of(&a->options)->native) {
        if (!cpu.stacks->native_walker) {
            log_error("walker=%s has no native frames: leave native=y or walker= out",
                      cpu.stacks->name);
            return E_UNSUPPORTED;
        }
        frame_native_refresh();
        cpu.tick.walker = cpu.stacks->native_walker;
        cpu.tick.walks_all = 1;
    }
    if (options_cpu_of(&a->options)->kernel && !cpu.tick.walker->is_later &&
        kernels_can(cpu.source))
        cpu.tick.kernel_page = (size_t)sysconf(_SC_PAGESIZE);
    free_signal = cpu.keeps_signal ? 0 : rival_free_signal();
    if (free_signal)
        cpu.tick.signal = free_signal; /* another agent may have started before us */
    slots_init(&cpu.slots, &cpu.tick, cpu.source, &per_thread, a->options.interval_ns);
    error = tick_install(&cpu.tick);
    if (error) {
        log_error("cannot install the handler of signal %d (%s): no samples are taken",
                  cpu.tick.signal, err_text(error));
        return error;
    }
    if (a->options.verbose && !cpu.keeps_signal && cpu.tick.signal != SIGPROF) {
        char name[RIVAL_NAME];

        rival_signal_name(cpu.tick.signal, name);
        log_note("SIGPROF has another handler: sampling with %s", name);
    }
    cpu.running = 1;
    cpu.thread_runs = agent_run_thread(a, env, "HPROF cpu sampling thread", drain_loop, a) == 0;
    return 0;
}

/* One line on stderr: how good the profile is. */
static void say_quality(struct recording *r)
{
    uint32_t count;
    const struct profile_quality *quality = tally_quality(r->tally, &count);
    char line[2048];
    size_t n = 0;

    for (uint32_t i = 0; i < count && n + 80 < sizeof(line); i++)
        if (quality[i].count && !engine_claims_count(quality[i].name))
            n += (size_t)snprintf(line + n, sizeof(line) - n, " %s=%llu", quality[i].name,
                                  (unsigned long long)quality[i].count);
    log_note("cpu=samples by %s, walker %s:%s", cpu.source->name, cpu.tick.walker->name,
             n ? line : " no samples");
}

static void write_table(struct agent *a, struct recording *r)
{
    if (cpu.running && cpu.of[r->place]) {
        struct cpu_quality quality;

        drain(a);
        count_outside(a);
        quality = cpu.of[r->place]->quality;
        quality.agent_cpu_ns = cpu.agent_cpu_ns - quality.agent_cpu_ns;
        cpu_quality_write(&quality, a, r, &cpu.tick, &cpu.slots, cpu.stacks);
    }
    hprof_out_samples(&r->output.out);
    r->output.out.ops->quality(&r->output.out);
}

static void dump(struct agent *a, struct recording *r)
{
    write_table(a, r);
    hprof_out_next_samples(&r->output.out);
}

/* Returns whether none runs, after waiting a while. After tick_stop(). */
static int wait_for_handlers(void)
{
    for (int ms = 0; ms < QUIET_WAIT_MS && !tick_is_quiet(); ms++)
        usleep(1000);
    return tick_is_quiet();
}

/*
 * The samples that are there keep their depth, those that come have the new one; and timers go on
 * with the new interval, from where they were in the old one.
 */
static int change(struct agent *a, uint32_t shown, uint64_t interval_ns)
{
    uint32_t depth = walked_depth(shown);
    struct sample_room before = cpu.room, room;
    bool is_deeper = depth != cpu.tick.depth, is_quiet;
    int error = is_deeper ? sample_room_map(&a->options, depth, &room) : 0;

    if (error)
        return error;
    tick_stop();
    is_quiet = wait_for_handlers();
    if (is_quiet) {
        drain(a);
        count_outside(a);
        if (is_deeper)
            use_room(&room, depth);
        slots_use_interval(&cpu.slots, interval_ns);
    } else {
        log_error("depth and interval stay as they are: a signal handler did not end in time");
    }
    tick_go_on(&cpu.tick);
    slots_restart(&cpu.slots); /* what came in between was swallowed */
    if (is_deeper)
        sample_room_unmap(is_quiet ? &before : &room);
    return is_quiet ? 0 : -ETIMEDOUT;
}

static int set_depth(struct agent *a, struct recording *r, uint32_t shown)
{
    int error;

    if (shown == 0) {
        log_error("a depth of 0 takes no samples: sampling can be switched off instead");
        return -EINVAL;
    }
    error = walked_depth(shown) == cpu.tick.depth ? 0 : change(a, shown, cpu.slots.interval_ns);
    if (!error)
        r->options.depth = (int)shown;
    return error;
}

static int join(struct agent *a, struct recording *r)
{
    if (r->options.depth == 0)
        return 0;
    if (!cpu.running) {
        log_error("cpu=samples: nothing is sampled, for another recording has begun with depth=0");
        return E_VM_STATE;
    }
    drain(a);
    count_outside(a);
    cpu.of[r->place] = cpu_share_new(r->options.interval_ns, clock_monotonic_ns());
    if (!cpu.of[r->place]) {
        log_error("no memory for another recording of samples");
        return -ENOMEM;
    }
    cpu.of[r->place]->quality.agent_cpu_ns = cpu.agent_cpu_ns;
    return 0;
}

static void part(struct agent *a, struct recording *r)
{
    free(cpu.of[r->place]);
    cpu.of[r->place] = NULL;
}

static int retune(struct agent *a)
{
    if (!cpu.running || (walked_depth((uint32_t)a->options.depth) == cpu.tick.depth &&
                         a->options.interval_ns == cpu.slots.interval_ns))
        return 0;
    return change(a, (uint32_t)a->options.depth, a->options.interval_ns);
}

static int turn_sampling(struct agent *a, uint64_t object, int is_on)
{
    struct thread *thread = object ? threads_by_object(a, object) : NULL;

    if (object && !thread) {
        log_error("there is no thread obj=%llx: its sampling cannot be switched",
                  (unsigned long long)object);
        return E_NOT_FOUND;
    }
    drain(a);
    slots_turn(&cpu.slots, thread, is_on);
    return 0;
}

static int write_samples(struct agent *a, struct recording *r, const struct net_command *c)
{
    double cutoff = r->output.out.config.cutoff;

    if (!cpu.running)
        return E_UNSUPPORTED;
    r->output.out.config.cutoff = (double)c->cutoff;
    write_table(a, r);
    r->output.out.config.cutoff = cutoff;
    return 0;
}

static int switch_sampling(struct agent *a, struct recording *r, const struct net_command *c)
{
    return cpu.running ? turn_sampling(a, c->thread, c->op == NET_COMMAND_SAMPLING_ON)
                       : E_UNSUPPORTED;
}

static int clear_samples(struct agent *a, struct recording *r, const struct net_command *c)
{
    if (!cpu.running)
        return E_UNSUPPORTED;
    drain(a);
    hprof_out_next_samples(&r->output.out);
    return 0;
}

static int change_depth(struct agent *a, struct recording *r, const struct net_command *c)
{
    return cpu.running ? set_depth(a, r, c->depth) : E_UNSUPPORTED;
}

static const struct engine_command commands[] = {
    {NET_COMMAND_SAMPLES, 0, "cpu samples", write_samples},
    {NET_COMMAND_CONTROL, NET_COMMAND_SAMPLING_ON, "sampling on", switch_sampling},
    {NET_COMMAND_CONTROL, NET_COMMAND_SAMPLING_OFF, "sampling off", switch_sampling},
    {NET_COMMAND_CONTROL, NET_COMMAND_CLEAR_SAMPLES, "clear samples", clear_samples},
    {NET_COMMAND_CONTROL, NET_COMMAND_SET_DEPTH, "set depth", change_depth},
};

static void say(struct agent *a, struct recording *r)
{
    if (cpu.running)
        say_quality(r);
}

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    const struct cpu_quality *q;

    if (!cpu.running || !cpu.of[r->place])
        return;
    drain(a);
    count_outside(a);
    q = &cpu.of[r->place]->quality;
    snprintf(ret, ENGINE_STATUS, "samples=%llu lost=%llu", (unsigned long long)q->walked,
             (unsigned long long)(q->outside.lost_ns / r->options.interval_ns + q->no_memory));
}

static void stop(struct agent *a)
{
    if (!cpu.running)
        return;
    tick_stop();
    /* A handler that runs now reads its slot's descriptor: it must not be another file by then. */
    wait_for_handlers();
    slots_stop(&cpu.slots);
    cpu.stop = 1;
    bell_ring(&cpu.wake);
    if (cpu.thread_runs && bell_wait(&cpu.stopped, STOP_WAIT_MS))
        cpu.thread_runs = 0;
    tick_uninstall(); /* last: the drain thread takes the signal back when it sees it gone */
}

/* What a late handler or the drain thread may still read stays; so do slots, and a signal's. */
static int release(struct agent *a, JNIEnv *env)
{
    struct tick_slot *slots = cpu.tick.slots;
    _Atomic uint32_t *slot_of_fd = cpu.tick.slot_of_fd;

    if (cpu.running) {
        if (cpu.thread_runs || !wait_for_handlers()) {
            log_error("cpu=samples: %s did not end in time",
                      cpu.thread_runs ? "the sampling thread" : "a signal handler");
            return -EBUSY;
        }
        lock_done(&cpu.slots.lock);
    }
    if (cpu.stacks && cpu.stacks->release)
        cpu.stacks->release();
    sample_room_unmap(&cpu.room);
    memset(&cpu, 0, sizeof(cpu));
    cpu.tick.slots = slots;
    cpu.tick.slot_of_fd = slot_of_fd;
    return 0;
}

const struct engine engine_cpu = {
    .name = "cpu",
    .help = "cpu=samples: CPU time by stack trace",
    .begun = "CPU samples",
    .dumping = " CPU usage by sampling running threads ...",
    .options = &options_cpu,
    .owns = {.commands = commands,
             .command_count = sizeof(commands) / sizeof(commands[0]),
             .per_thread = &per_thread},
    .prepare = prepare,
    .load = load,
    .start = start,
    .thread_start = thread_start,
    .thread_end = thread_end,
    .sharing = {.join = join, .part = part, .retune = retune},
    .dump = dump,
    .say = say,
    .status = status,
    .stop = stop,
    .release = release,
};
