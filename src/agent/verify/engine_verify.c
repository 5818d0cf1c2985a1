/*
 * engine_verify.c - verify=FILE: checks the stack walker while the program runs.
 *
 * The timers and slots of cpu=samples raise the signals, but this engine's walker compares stacks
 * and gives no frames. A thread of the agent compares stacks at safepoints. docs/verify.md
 * describes the layers, the numbers and the report. The command is `hprof verify`.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/engine/engine.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/log.h"
#include "agent/names/frame_native.h"
#include "agent/names/threads.h"
#include "agent/sampling/slots.h"
#include "agent/stack_source/stack_source.h"
#include "agent/timer/timer.h"
#include "agent/verify/verify.h"
#include "agent/verify/verify_frames.h"
#include "agent/verify/verify_numbers.h"
#include "agent/verify/verify_sample.h"
#include "agent/verify/verify_shadow.h"
#include "agent/verify/verify_table.h"
#include "base/err.h"
#include "hotspot/hotspot.h"
#include "hotspot/hotspot_self.h"
#include "options/options_verify.h"
#include "safe/bell.h"
#include "safe/clock.h"
#include "safe/hs_names.h"
#include "safe/tick.h"
#include "vm/vm_env.h"
#include "vm/vm_names.h"
#include "vm/vmself.h"

enum {
    RATE_DEFAULT = 1000,
    RATE_MAX = 100000,
    ENTRIES_PER_SECOND = 200,
    ROUND_MS = 10,
    SAMPLES = 1024,
    NAMES_BYTES = 128 << 20,
    STOP_WAIT_MS = 5000,
    QUIET_WAIT_MS = 500,
};

static struct vm_threads_row per_thread = {.bytes = sizeof(struct tick_slot *)};

static struct {
    struct tick tick;
    struct slots slots;
    struct hotspot *vm;
    struct hs_names names;
    const struct stack_source *agct;
    const struct timer_source *source;
    struct bell stopped;
    _Atomic int stop;
    int running, thread_runs;
    uint64_t end_ns; /* 0: verify until the program ends */
    jvmtiEnv *stopper;
} verify;

/*
 * The engine suspends threads, also virtual ones. Only one environment of all agents can do this.
 */
static const struct engine_need needs[] = {
    {.what = VM_CAN_SUSPEND,
     .env = &verify.stopper,
     .refused = "verify=: this VM lets nobody stop a thread (%s)"},
    {.what = VM_CAN_SUPPORT_VIRTUAL_THREADS, .env = &verify.stopper},
};

static int load(struct agent *a)
{
    vmself_turn_on("DebugNonSafepoints");
    verify_stops_open(verify.stopper);
    return 0;
}

static void *map(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static void wake(void)
{
}

static int make_tick(void)
{
    size_t payload = tick_sample_bytes(1);
    size_t bytes = ring_bytes(SAMPLES, payload);
    void *cells = map(bytes);
    verify.tick.slots = map(TICK_SLOTS * sizeof(*verify.tick.slots));
    verify.tick.slot_of_fd = map(TICK_FDS * sizeof(*verify.tick.slot_of_fd));
    if (!cells || !ring_init(&verify.tick.ring, cells, bytes, payload) || !verify.tick.slots ||
        !verify.tick.slot_of_fd)
        return -ENOMEM;
    verify.tick.signal = SIGPROF;
    verify.tick.depth = 0;
    verify.tick.wake = wake;
    verify.tick.walker = &verify_sample_walker;
    return 0;
}

static int prepare_walkers(struct agent *a, JNIEnv *env)
{
    const char *missing = "";
    int error = hotspot_self_open(&verify.vm, &missing);
    void *memory;
    if (error) {
        log_error("there is nothing to verify: this VM cannot be read (%s)",
                  missing[0] ? missing : err_text(error));
        return E_UNSUPPORTED;
    }
    memory = map(NAMES_BYTES);
    if (!memory || verify_sample_prepare(&verify.vm->memory,
                                         (uint64_t)options_verify_of(&a->options)->random) != 0) {
        log_error("no memory to verify with");
        return -ENOMEM;
    }
    hs_names_init(&verify.names, &verify.vm->layout, memory, NAMES_BYTES);
    verify_frames_prepare(&verify.vm->layout, &verify.names);
    verify_stops_prepare(a, env, &verify.vm->memory);
    verify.agct = stack_source_prepare(a, env, "agct", &verify.tick.ring);
    return verify.agct ? 0 : E_UNSUPPORTED;
}

static void JNICALL loop(jvmtiEnv *jvmti, JNIEnv *env, void *argument)
{
    struct agent *a = argument;
    verify.slots.agent_tid = gettid();
    while (!verify.stop) {
        slots_look(&verify.slots);
        while (ring_peek(&verify.tick.ring)) /* all results are in the table */
            ring_release(&verify.tick.ring);
        if (frame_native_is_wanted())
            frame_native_refresh();
        verify_stops_round(a, env);
        verify_virtual_round(a, env);
        if (!verify.stop)
            verify_stops_after_sample(a, env);
        if (verify.end_ns && clock_monotonic_ns() >= verify.end_ns) {
            verify.end_ns = 0;
            log_note("verified for as long as was asked: ending the program");
            kill(getpid(), SIGTERM); /* as its user would */
        }
        usleep(ROUND_MS * 1000);
        tick_reinstall();
    }
    bell_ring(&verify.stopped);
}

static long rate_of(const struct options_verify *o)
{
    long rate = o->rate > 0 ? o->rate : RATE_DEFAULT;
    return rate < RATE_MAX ? rate : RATE_MAX;
}

static int prepare(const struct options *o)
{
    int error;
    verify.source = timer_choose("", SIGPROF);
    error = verify.source ? verify.source->probe() : E_NOT_FOUND;
    if (error == 0)
        error = make_tick();
    if (error)
        log_error("cannot prepare the sampling signal (%s)", err_text(error));
    return error;
}

static int start(struct agent *a, JNIEnv *env)
{
    const struct options_verify *o = options_verify_of(&a->options);
    int error = prepare_walkers(a, env);
    if (error)
        return error;
    /*
     * Write this line before anything of ours can go wrong: if a report has no end, this JVM died.
     */
    error = verify_table_begin(o->report);
    if (error) {
        log_error("cannot write %s (%s)", o->report, err_text(error));
        return error;
    }
    verify_virtual_start(a, env);
    if (o->share > 0 && verify_inject_start(a, env, (unsigned)o->share) == 0)
        verify_entry_start(a->vm.main, &verify.vm->layout, ENTRIES_PER_SECOND);
    slots_init(&verify.slots, &verify.tick, verify.source, &per_thread,
               NS_PER_S / (uint64_t)rate_of(o));
    error = tick_install(&verify.tick);
    if (error) {
        log_error("cannot install the SIGPROF handler (%s)", err_text(error));
        return error;
    }
    if (o->seconds > 0)
        verify.end_ns = clock_monotonic_ns() + (uint64_t)o->seconds * NS_PER_S;
    verify.running = 1;
    verify.thread_runs = agent_run_thread(a, env, "HPROF verify thread", loop, a) == 0;
    return 0;
}

static void thread_start(struct agent *a, struct thread *thread)
{
    if (verify.running)
        slots_enter(&verify.slots, thread);
}

static void thread_end(struct agent *a, struct thread *thread)
{
    slots_leave(&verify.slots, thread);
    verify_shadow_end();
}

/* ---- the end */

static int name_by_index(const struct verify_frame *f, char *text, int size)
{
    struct hs_names_method m;
    if (!f->name || !hs_names_get(&verify.names, f->name, &m))
        return 0;
    return snprintf(text, (size_t)size, "%.*s.%.*s", (int)m.class_name_len, m.class_name,
                    (int)m.name_len, m.name);
}

static int name_by_id(struct agent *a, const struct verify_frame *f, char *text, int size)
{
    jmethodID id = (jmethodID)(uintptr_t)f->id;
    JNIEnv *env = vm_jni(&a->vm);
    struct vm_names_method m;
    size_t class_len;
    if (!id || !env || !vm_names_method(a->vm.main, env, id, &m))
        return 0;
    const char *class_name = vm_names_class(m.signature, &class_len);
    int len = snprintf(text, (size_t)size, "%.*s.%s", (int)class_len, class_name, m.name);

    vm_names_done(a->vm.main, env, &m);
    return len;
}

static void name_frame(void *context, const struct verify_frame *f, char *text, int size)
{
    static const char *const kinds[] = {"java", "interpreted", "C1", "C2", "inlined", "native"};
    static const char *const trusts[] = {"anchor", "exact", "decoded", "shifted", "scanned"};
    struct agent *a = context;
    int len;
    if (f->kind == VERIFY_FRAME_SHADOW) {
        verify_numbers_name((uint32_t)f->id, text, (size_t)size);
        return;
    }
    len = name_by_index(f, text, size);
    if (len == 0)
        len = name_by_id(a, f, text, size);
    if (len == 0)
        len = snprintf(text, (size_t)size, "(no name: id %#llx)", (unsigned long long)f->id);
    if (len >= size)
        return;
    len += snprintf(text + len, (size_t)(size - len), " @%d", f->bci);
    if (len < size && f->kind > 0 && f->kind < sizeof(kinds) / sizeof(kinds[0]) &&
        f->trust < sizeof(trusts) / sizeof(trusts[0]))
        snprintf(text + len, (size_t)(size - len), " %s, %s", kinds[f->kind], trusts[f->trust]);
}

/* Count comparisons whose verdict waits for entries that never ended. */
static void count_open(enum verify_count compared, const enum verify_count *judged, int count,
                       enum verify_count open)
{
    uint64_t sum = 0, all;
    for (int i = 0; i < count; i++)
        sum += verify_table_get(judged[i]);
    all = verify_table_get(compared);
    verify_table_add(open, all > sum ? all - sum : 0);
}

static void count_all_open(void)
{
    static const enum verify_count entry[] = {VERIFY_ENTRY_AGREED, VERIFY_ENTRY_WRONG,
                                              VERIFY_ENTRY_UNWOUND, VERIFY_ENTRY_OPEN};
    static const enum verify_count shadow[] = {VERIFY_SHADOW_AGREED, VERIFY_SHADOW_WRONG,
                                               VERIFY_SHADOW_UNWOUND, VERIFY_SHADOW_MOVED,
                                               VERIFY_SHADOW_OPEN};
    count_open(VERIFY_ENTRY_COMPARED, entry, 4, VERIFY_ENTRY_OPEN);
    count_open(VERIFY_SHADOW_COMPARED, shadow, 5, VERIFY_SHADOW_OPEN);
}

static void stop(struct agent *a)
{
    int error;
    if (!verify.running)
        return;
    verify_entry_stop();
    verify_inject_stop();
    tick_stop();
    for (int ms = 0; ms < QUIET_WAIT_MS && !tick_is_quiet(); ms++)
        usleep(1000);
    slots_stop(&verify.slots);
    verify.stop = 1;
    if (verify.thread_runs)
        bell_wait(&verify.stopped, STOP_WAIT_MS);
    tick_uninstall();
    count_all_open();
    error = verify_table_write(options_verify_of(&a->options)->report, verify.vm->layout.version,
                               name_frame, a);
    if (error)
        log_error("cannot write %s (%s)", options_verify_of(&a->options)->report, err_text(error));
}

const struct engine engine_verify = {
    .name = "verify",
    .help = "verify=: compares the stack walker with other sources of stacks",
    .options = &options_verify,
    .owns = {.needs = needs,
             .need_count = sizeof(needs) / sizeof(needs[0]),
             .per_thread = &per_thread},
    .sharing = {.alone = "a thread has one timer"},
    .prepare = prepare,
    .load = load,
    .start = start,
    .thread_start = thread_start,
    .thread_end = thread_end,
    .stop = stop,
};
