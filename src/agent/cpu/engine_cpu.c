/*
 * engine_cpu.c - cpu=samples: where the threads spend their CPU time.
 *
 * Signal handlers put samples into a ring (safe/tick.h). A thread of the agent (cpu_loop.c) drains
 * the ring into the model (cpu_drain.c). Everything that the table does not show is counted, and
 * these counts are written into the file: see docs/sampling.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/engine.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/cpu/cpu_sampler.h"
#include "agent/log.h"
#include "agent/names/frame_native.h"
#include "agent/names/threads.h"
#include "agent/recording/recording.h"
#include "agent/stack_source/stack_source.h"
#include "agent/timer/rival.h"
#include "agent/timer/timer.h"
#include "base/err.h"
#include "base/lock.h"
#include "base/plural.h"
#include "options/options_cpu.h"
#include "safe/clock.h"
#include "vm/vm_event.h"
#include "vm/vmself.h"

enum { STOP_WAIT_MS = 2000 };

static struct cpu_sampler cpu;
static struct vm_threads_row per_thread = {.bytes = sizeof(struct tick_slot *)};

static void on_compiled_method(void *data, jmethodID method, jint code_size, const void *code,
                               jint map_length, const jvmtiAddrLocationMap *map, const void *info)
{
}

/*
 * Asks the VM for debug information at every instruction, and not only at safepoints. The VM has a
 * flag for it. If the flag cannot be set, the engine subscribes to an event that has the same
 * effect (and makes a jmethodID for every compiled method). A VM that has neither is sampled
 * without this information.
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

/*
 * The sampling thread has to wait for the agent's lock like all other threads. When many threads
 * begin or end at once on few processors, it may not get the lock for seconds. In this case the
 * thread that has the lock drains the ring.
 */
static void help_drain(void)
{
    if (ring_is_filling(&cpu.tick.ring))
        cpu_drain(&cpu);
}

static void thread_start(struct agent *a, struct thread *thread)
{
    if (!cpu.running)
        return;
    slots_enter(&cpu.slots, thread);
    help_drain();
}

static void thread_end(struct agent *a, struct thread *thread)
{
    slots_leave(&cpu.slots, thread);
    if (cpu.running)
        help_drain();
}

static int prepare(const struct options *o)
{
    int error;
    if (o->depth == 0)
        return 0;
    cpu.tick.wake = wake;
    error = cpu_choose(&cpu, options_cpu_of(o));
    return error ? error : cpu_tick_make(&cpu, o);
}

static int start(struct agent *a, JNIEnv *env)
{
    int error, free_signal;
    if (a->options.depth == 0)
        return 0; /* as in the JDK's old hprof: without depth there are no samples */
    cpu.agent = a;
    cpu.stacks = stack_source_prepare(a, env, options_cpu_of(&a->options)->walker, &cpu.tick.ring);
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
        cpu_choose_kernel(cpu.source))
        cpu.tick.kernel_page = (size_t)sysconf(_SC_PAGESIZE);
    free_signal = cpu.keeps_signal ? 0 : rival_free_signal();
    if (free_signal)
        cpu.tick.signal = free_signal; /* another agent may have taken the signal since prepare() */
    slots_init(&cpu.slots, &cpu.tick, cpu.source, &per_thread, a->options.interval_ns);
    error = tick_install(&cpu.tick);
    if (error) {
        log_error("cannot install the handler of signal %d (%s): no samples are taken",
                  cpu.tick.signal, err_text(error));
        return error;
    }
    cpu.running = 1;
    cpu.thread_runs = agent_run_thread(a, env, "HPROF cpu sampling thread", cpu_loop, &cpu) == 0;
    return 0;
}

static uint64_t count_of(struct recording *r, enum quality which)
{
    uint32_t count;
    const struct profile_quality *rows = tally_quality(r->tally, &count);
    return quality_among(rows, count, which);
}

/* Prints one line about the quality of the profile. The file has all counts. */
static void say(struct agent *a, struct recording *r)
{
    uint64_t samples = count_of(r, QUALITY_SAMPLES), walked = count_of(r, QUALITY_WALKED);
    if (!cpu.running)
        return;
    if (samples == 0)
        log_note("cpu=samples by %s: no samples", cpu.source->name);
    else
        log_note("cpu=samples by %s: %llu sample%s of %g ms, %.2f%% with their stack",
                 cpu.source->name, (unsigned long long)samples, plural_s(samples),
                 (double)r->options.interval_ns / 1e6, 100.0 * (double)walked / (double)samples);
}

static void write_table(struct agent *a, struct recording *r, double cutoff)
{
    if (cpu.running && cpu.of[r->place]) {
        struct cpu_quality quality;
        cpu_drain(&cpu);
        cpu_drain_outside(&cpu);
        quality = cpu.of[r->place]->quality;
        quality.agent_cpu_ns = cpu.agent_cpu_ns - quality.agent_cpu_ns;
        cpu_quality_write(&quality, a, r, &cpu.tick, &cpu.slots, cpu.stacks);
    }
    recording_table_as(r, &(struct writer_sums){.kind = KIND_SAMPLE, .cutoff = cutoff});
    recording_put_quality(r);
}

static void dump(struct agent *a, struct recording *r)
{
    write_table(a, r, r->options.cutoff);
    recording_next_table(r, KIND_SAMPLE);
}

/* Tells the handler which threads no recording wants; the handler ignores these threads. */
static void apply_turns(void)
{
    bool is_any = false;
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        is_any |= cpu.of[i] && cpu_share_is_on(cpu.of[i], 0);
    slots_turn(&cpu.slots, NULL, is_any);
    for (struct thread *t = threads_next(NULL); t; t = threads_next(t)) {
        bool is_on = false;
        for (int i = 0; i < AGENT_RECORDINGS; i++)
            is_on |= cpu.of[i] && cpu_share_is_on(cpu.of[i], t->serial);
        if (is_on != is_any)
            slots_turn(&cpu.slots, t, is_on);
    }
}

static int join(struct agent *a, struct recording *r)
{
    if (r->options.depth == 0)
        return 0;
    if (!cpu.running) {
        log_error("cpu=samples: nothing is sampled, for another recording has begun with depth=0");
        return E_VM_STATE;
    }
    cpu_drain(&cpu);
    cpu_drain_outside(&cpu);
    cpu.of[r->place] = cpu_share_new(r->options.interval_ns, clock_monotonic_ns());
    if (!cpu.of[r->place]) {
        log_error("no memory for another recording of samples");
        return -ENOMEM;
    }
    cpu.of[r->place]->quality.agent_cpu_ns = cpu.agent_cpu_ns;
    apply_turns();
    return 0;
}

static void part(struct agent *a, struct recording *r)
{
    free(cpu.of[r->place]);
    cpu.of[r->place] = NULL;
    if (cpu.running)
        apply_turns();
}

static int retune(struct agent *a)
{
    if (!cpu.running || (cpu_tick_depth((uint32_t)a->options.depth) == cpu.tick.depth &&
                         a->options.interval_ns == cpu.slots.interval_ns))
        return 0;
    return cpu_tick_change(&cpu, (uint32_t)a->options.depth, a->options.interval_ns);
}

static int write_samples(struct agent *a, struct recording *r, const struct net_command *c)
{
    if (!cpu.running)
        return E_UNSUPPORTED;
    write_table(a, r, (double)c->cutoff);
    return 0;
}

static int switch_sampling(struct agent *a, struct recording *r, const struct net_command *c)
{
    struct thread *thread = c->thread ? threads_by_object(a, c->thread) : NULL;
    if (!cpu.running || !cpu.of[r->place])
        return E_UNSUPPORTED;
    if (c->thread && !thread) {
        log_error("there is no thread obj=%llx: its sampling cannot be switched",
                  (unsigned long long)c->thread);
        return E_NOT_FOUND;
    }
    cpu_drain(&cpu);
    if (!cpu_share_turn(cpu.of[r->place], thread ? thread->serial : 0,
                        c->op == NET_COMMAND_SAMPLING_ON)) {
        log_error("the sampling of %d threads has been switched one by one: switch that of all",
                  CPU_SHARE_TURNED);
        return E_LIMIT;
    }
    apply_turns();
    return 0;
}

static int clear_samples(struct agent *a, struct recording *r, const struct net_command *c)
{
    if (!cpu.running)
        return E_UNSUPPORTED;
    cpu_drain(&cpu);
    recording_next_table(r, KIND_SAMPLE);
    return 0;
}

static int change_depth(struct agent *a, struct recording *r, const struct net_command *c)
{
    if (!cpu.running)
        return E_UNSUPPORTED;
    if (c->depth == 0) {
        log_error("a depth of 0 takes no samples: sampling can be switched off instead");
        return -EINVAL;
    }
    return 0;
}

static const struct engine_command commands[] = {
    {NET_COMMAND_SAMPLES, 0, "cpu samples", write_samples},
    {NET_COMMAND_CONTROL, NET_COMMAND_SAMPLING_ON, "sampling on", switch_sampling},
    {NET_COMMAND_CONTROL, NET_COMMAND_SAMPLING_OFF, "sampling off", switch_sampling},
    {NET_COMMAND_CONTROL, NET_COMMAND_CLEAR_SAMPLES, "clear samples", clear_samples},
    {NET_COMMAND_CONTROL, NET_COMMAND_SET_DEPTH, "set depth", change_depth},
};

static void status(struct agent *a, struct recording *r, char ret[ENGINE_STATUS])
{
    const struct cpu_quality *q;
    if (!cpu.running || !cpu.of[r->place])
        return;
    cpu_drain(&cpu);
    cpu_drain_outside(&cpu);
    q = &cpu.of[r->place]->quality;
    uint64_t lost = q->outside.lost_ns / r->options.interval_ns + q->no_memory;

    snprintf(ret, ENGINE_STATUS, "samples=%llu lost=%llu", (unsigned long long)q->walked,
             (unsigned long long)lost);
}

static void stop(struct agent *a)
{
    if (!cpu.running)
        return;
    tick_stop();
    /* A handler that runs now reads the file descriptor of its slot. Wait for the handler, because
     * the number may soon belong to another file. */
    cpu_tick_settle();
    slots_stop(&cpu.slots);
    cpu.stop = 1;
    bell_ring(&cpu.wake);
    if (cpu.thread_runs && bell_wait(&cpu.stopped, STOP_WAIT_MS))
        cpu.thread_runs = 0;
    tick_uninstall(); /* this must come last: the sampling thread takes the signal back when it
                         finds it gone */
}

/* Memory that a late handler or the sampling thread may still read stays. The slots and the table
 * slot_of_fd are kept for ever. */
static int release(struct agent *a, JNIEnv *env)
{
    struct tick_slot *slots = cpu.tick.slots;
    _Atomic uint32_t *slot_of_fd = cpu.tick.slot_of_fd;
    if (cpu.running) {
        if (cpu.thread_runs || !cpu_tick_settle()) {
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
