/*
 * doctor_live.c - see doctor_live.h.
 *
 * Source of the names of threads: HotSpot gcThread names (workerThread.cpp, g1ConcurrentMark.cpp,
 * zWorkers.cpp, shenandoahWorkerPolicy.cpp), compileBroker.cpp; the kernel cuts them to 15 bytes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "doctor/doctor_live.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "attach/jvms.h"
#include "base/err.h"
#include "doctor/doctor_setup.h"
#include "doctor/doctor_threads.h"
#include "hotspot/loaded_classes.h"
#include "hotspot/vm_flags.h"
#include "jvm/heap_counters.h"
#include "jvm/stack_print.h"
#include "mem/mem_live.h"
#include "mem/proc_stat.h"
#include "metrics/metric_vm.h"
#include "perfdata/perfdata.h"
#include "process/process.h"
#include "process/process_room.h"
#include "process/task_times.h"
#include "safe/clock.h"
#include "snapshot/snapshot.h"

enum { FRAMES_MAX = 256, TEXT_MAX = 16 << 10, CAUSE = 96 };

/* ---- from the metrics */

static bool has_label(const struct metric_sample *s, const char *part)
{
    for (int i = 0; i < METRIC_LABELS && s->labels[i].name; i++)
        if (strstr(s->labels[i].value, part))
            return true;
    return false;
}

/* The metrics that are facts as they are: all samples with this word in a label are added. */
static const struct {
    enum metric_id metric;
    enum doctor_fact_id fact;
    const char *label; /* NULL: any */
} same[] = {
    {METRIC_UPTIME, DOCTOR_UPTIME, NULL},
    {METRIC_CPU_TIME, DOCTOR_CPU_TIME, NULL},
    {METRIC_CPU_COUNT, DOCTOR_CPUS, NULL},
    {METRIC_GC_DURATION, DOCTOR_GC_PAUSE, NULL},
    {METRIC_HEAP_USED, DOCTOR_HEAP_USED, NULL},
    {METRIC_MEMORY_USED, DOCTOR_HEAP_OLD, "d Gen"}, /* Old, Tenured */
    {METRIC_ALLOCATED, DOCTOR_ALLOCATED, NULL},
    {METRIC_CLASS_COUNT, DOCTOR_CLASSES, NULL},
    {METRIC_CLASS_LOADED, DOCTOR_CLASSES_LOADED, NULL},
    {METRIC_MEMORY_USED, DOCTOR_METASPACE, "Metaspace"},
    {METRIC_MEMORY_USED, DOCTOR_CLASS_SPACE, "Compressed Class Space"},
    {METRIC_BUFFER_USED, DOCTOR_DIRECT, "direct"},
    {METRIC_MEMORY_COMMITTED, DOCTOR_CODE, "Code"},
    {METRIC_COMPILE_LOST, DOCTOR_INVALIDATED, "invalidated"},
    {METRIC_THREAD_COUNT, DOCTOR_THREADS, NULL},
    {METRIC_THREAD_STARTED, DOCTOR_THREADS_STARTED, NULL},
    {METRIC_TASKS, DOCTOR_TASKS, NULL},
    {METRIC_SAFEPOINT_NOW, DOCTOR_SAFEPOINT_NOW, NULL},
    {METRIC_SAFEPOINT_TIME, DOCTOR_SAFEPOINT_SYNC, "sync"},
    {METRIC_FILES_OPEN, DOCTOR_FILES, NULL},
    {METRIC_FILES_LIMIT, DOCTOR_FILES_LIMIT, NULL},
    {METRIC_RESIDENT, DOCTOR_RSS, NULL},
    {METRIC_FAULTS, DOCTOR_MAJOR_FAULTS, "major"},
    {METRIC_GROUP_WORKING_SET, DOCTOR_GROUP_SET, NULL},
    {METRIC_GROUP_LIMIT, DOCTOR_GROUP_LIMIT, NULL},
    {METRIC_GROUP_AVAILABLE, DOCTOR_GROUP_LEFT, NULL},
};

static void read_metrics(struct doctor_live *l, bool is_first)
{
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        double sum = NAN;
        for (uint32_t n = 0; n < l->set.count; n++) {
            const struct metric_sample *s = &l->set.samples[n];
            if (s->id == same[i].metric && (!same[i].label || has_label(s, same[i].label)))
                sum = isnan(sum) ? s->value : sum + s->value;
        }
        doctor_fact_set(&l->facts, same[i].fact, sum, is_first);
    }
}

/* ---- from the counters */

/* Z, Shenandoah and CMS collect the whole heap beside the program, again and again. */
static bool has_whole_collections(const struct perfdata *p)
{
    static const char *const others[] = {"Z", "Shenandoah", "CMS"};
    size_t len;
    const char *name = perfdata_text_of(p, "sun.gc.collector.1.name", &len);
    for (size_t i = 0; name && i < sizeof(others) / sizeof(others[0]); i++)
        if (memmem(name, len, others[i], strlen(others[i])))
            return false;
    return name != NULL;
}

static void read_counters(struct doctor_live *l, bool is_first)
{
    char text[CAUSE];
    size_t len;
    if (!l->jvm.has_counters)
        return;
    const struct perfdata *p = l->jvm.counters.data;
    if (has_whole_collections(p))
        doctor_fact_set(&l->facts, DOCTOR_GC_MAJOR,
                        (double)perfdata_number_of(p, "sun.gc.collector.1.invocations", 0),
                        is_first);
    const char *cause = heap_counters_cause(p, &len);
    if (cause && len > 0 && len < sizeof(text)) {
        memcpy(text, cause, len);
        text[len] = '\0';
        doctor_fact_set(&l->facts, DOCTOR_GC_CAUSE,
                        (double)(perfdata_number_of(p, "sun.gc.collector.0.invocations", 0) +
                                 perfdata_number_of(p, "sun.gc.collector.1.invocations", 0) +
                                 perfdata_number_of(p, "sun.gc.collector.2.invocations", 0)),
                        is_first);
        doctor_fact_say(&l->facts, DOCTOR_GC_CAUSE, "%s", text);
    }
    const char *info = perfdata_text_of(p, "java.property.java.vm.info", &len);
    if (info)
        doctor_fact_set(&l->facts, DOCTOR_INTERPRETED,
                        memmem(info, len, "interpreted mode", 16) != NULL, is_first);
}

/* ---- from /proc */

static bool begins_with_one_of(const char *name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(name, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

/* The CPU time of threads of collectors and of compilers. Threads that have ended are missing: so
 * the sums may shrink, and then nothing is known of the time between. */
static void read_tasks(struct doctor_live *l, bool is_first)
{
    static const char *const collectors[] = {"GC Thread",       "G1 ",     "ZWorker",    "ZDriver",
                                             "ZDirector",       "XWorker", "Shenandoah", "ParGC",
                                             "Concurrent Mark", "CMS "};
    static const char *const compilers[] = {"C1 CompilerThre", "C2 CompilerThre",
                                            "JVMCI CompilerT"};
    struct task_times times;
    uint64_t gc_ns = 0, jit_ns = 0, named = 0;
    if (task_times_read(l->jvm.about.pid, &times) < 0) {
        task_times_done(&times);
        return;
    }
    for (uint32_t i = 0; i < times.count; i++) {
        char name[PROCESS_THREAD_NAME];
        if (!process_thread_name(l->jvm.about.pid, times.rows[i].tid, name))
            continue;
        bool is_gc = begins_with_one_of(name, collectors, sizeof(collectors) / sizeof(*collectors));
        bool is_jit = begins_with_one_of(name, compilers, sizeof(compilers) / sizeof(*compilers));
        gc_ns += is_gc ? times.rows[i].cpu_ns : 0;
        jit_ns += is_jit ? times.rows[i].cpu_ns : 0;
        named += is_jit || strncmp(name, "VM Thread", 9) == 0;
    }
    task_times_done(&times);
    if (named == 0)
        return; /* JDK 8 gives its threads no names */
    doctor_fact_set(&l->facts, DOCTOR_GC_CPU, (double)gc_ns / NS_PER_S, is_first);
    doctor_fact_set(&l->facts, DOCTOR_JIT_CPU, (double)jit_ns / NS_PER_S, is_first);
}

static void read_state(struct doctor_live *l, bool is_first)
{
    struct process p;
    if (process_read(l->jvm.about.pid, &p) < 0)
        return;
    bool is_frozen = process_is_frozen(p.pid);
    p.state = process_lasting_state(&p);
    bool is_stopped = p.state == 'T' || p.state == 't';
    doctor_fact_set(&l->facts, DOCTOR_STOPPED, is_stopped || is_frozen, is_first);
    if (is_stopped || is_frozen)
        doctor_fact_say(&l->facts, DOCTOR_STOPPED, "%s",
                        is_frozen        ? "its control group is frozen"
                        : p.state == 'T' ? "by a signal"
                                         : "by a debugger");
}

static void read_process(struct doctor_live *l, bool is_first)
{
    char *text;
    struct process_room room;
    struct doctor_facts *f = &l->facts;
    if (process_file(l->jvm.about.pid, "status", TEXT_MAX, &text) >= 0) {
        const char *swap = strstr(text, "\nVmSwap:");
        doctor_fact_set(f, DOCTOR_SWAP, swap ? 1024.0 * (double)strtoull(swap + 8, NULL, 10) : NAN,
                        is_first);
        free(text);
    }
    process_room_read(l->jvm.about.pid, &room);
    if (room.periods > 0) {
        doctor_fact_set(f, DOCTOR_PERIODS, (double)room.periods, is_first);
        doctor_fact_set(f, DOCTOR_THROTTLED, (double)room.throttled, is_first);
    }
    if (room.tasks_limit > 0) {
        doctor_fact_set(f, DOCTOR_TASKS_ROOM, (double)room.tasks, is_first);
        doctor_fact_set(f, DOCTOR_TASKS_LIMIT, (double)room.tasks_limit, is_first);
    }
    doctor_fact_set(f, DOCTOR_GROUP_KILLS, (double)room.oom_kills, is_first);
    read_state(l, is_first);
    read_tasks(l, is_first);
}

/* ---- from the memory of the VM */

static double flag_of(const struct metric_vm *vm, const char *name, size_t size)
{
    uint64_t value = vm_flags_number(&vm->target, name, size, UINT64_MAX);
    return value == UINT64_MAX ? NAN : (double)value;
}

static int see_class(void *arg, const struct loaded_class *c)
{
    struct doctor_live *l = arg;
    char name[CAUSE];
    if (c->is_boots && oops_klass_name(&l->jvm.vm->oops, c->klass, name, sizeof(name)) > 0 &&
        strcmp(name, "java/lang/ref/Finalizer") == 0)
        l->finalizer = c->klass;
    return l->finalizer != 0;
}

/* The number of objects whose finalizers have not run yet: ReferenceQueue.queueLength. */
static void read_finalizers(struct doctor_live *l, bool is_first)
{
    struct metric_vm *vm = l->jvm.vm;
    uint32_t broken;
    const char *missing;
    if (!vm->has_oops)
        return;
    if (l->finalizer == 0)
        loaded_classes_each(&vm->target, see_class, l, &broken, &missing);
    uint64_t queue = l->finalizer != 0 ? oops_get_static(&vm->oops, l->finalizer, "queue") : 0;
    if (queue != 0)
        doctor_fact_set(&l->facts, DOCTOR_REFERENCE_QUEUE,
                        (double)oops_get_number(&vm->oops, queue, "queueLength", 8), is_first);
}

/* java.nio.Bits has the limit once a buffer was made; a flag of 0 means the size of the heap. */
static double direct_limit(const struct metric_vm *vm)
{
    uint64_t limit;
    if (vm->bits != 0 &&
        (oops_get_static_number(&vm->oops, vm->bits, "MAX_MEMORY", 8, &limit) ||
         oops_get_static_number(&vm->oops, vm->bits, "maxMemory", 8, &limit)) &&
        limit > 0 && limit < INT64_MAX)
        return (double)limit;
    return NAN;
}

static void read_vm(struct doctor_live *l, bool is_first)
{
    struct doctor_facts *f = &l->facts;
    const struct metric_vm *vm = l->jvm.vm;
    if (!vm)
        return;
    double metaspace = flag_of(vm, "MaxMetaspaceSize", 8);
    doctor_fact_set(f, DOCTOR_HEAP_MAX, flag_of(vm, "MaxHeapSize", 8), is_first);
    if (metaspace < 1e15)
        doctor_fact_set(f, DOCTOR_METASPACE_LIMIT, metaspace, is_first);
    doctor_fact_set(f, DOCTOR_CLASS_SPACE_LIMIT, flag_of(vm, "CompressedClassSpaceSize", 8),
                    is_first);
    doctor_fact_set(f, DOCTOR_CODE_LIMIT, flag_of(vm, "ReservedCodeCacheSize", 8), is_first);
    doctor_fact_set(f, DOCTOR_DIRECT_LIMIT, direct_limit(vm), is_first);
    double compiler = flag_of(vm, "UseCompiler", 1);
    doctor_fact_set(f, DOCTOR_COMPILER_OFF, isnan(compiler) ? NAN : compiler == 0, is_first);
    read_finalizers(l, is_first);
    doctor_setup_read(f, l->jvm.about.pid, l->jvm.version, &vm->target, is_first);
}

/* The stacks, as `hprof stack --no-stop` reads and prints them. */
static int read_threads(struct doctor_live *l)
{
    struct mem_live live;
    struct snapshot s = {0};
    const char *missing;
    char *text = NULL;
    size_t len = 0;
    int error = mem_live_open(l->jvm.about.pid, &live);
    if (error == 0)
        error = snapshot_open(&s, &live.image, false, &missing);
    if (error == 0)
        error = snapshot_take(&s, SNAPSHOT_JAVA, FRAMES_MAX);
    FILE *out = error == 0 ? open_memstream(&text, &len) : NULL;
    if (out) {
        snapshot_name_frames(&s);
        fputs("Full thread dump\n", out);
        stack_print_text(out, &s);
        if (fclose(out) == 0)
            error = dumpset_read_text(&l->dumps, l->facts.target, text, len);
        free(text);
    }
    snapshot_close(&s);
    mem_live_close(&live);
    l->is_hidden = l->is_hidden || error < 0;
    return error == -ENOMEM ? error : 0;
}

static int look(struct doctor_live *l, bool is_first)
{
    metric_set_reset(&l->set);
    if (!metric_jvm_read(&l->jvm, &l->set)) {
        l->has_ended = true;
        return -ESRCH;
    }
    read_metrics(l, is_first);
    read_counters(l, is_first);
    read_process(l, is_first);
    read_vm(l, is_first);
    return read_threads(l);
}

void doctor_live_open(const struct jvm *jvm, struct doctor_live *l)
{
    memset(l, 0, sizeof(*l));
    metric_set_init(&l->set);
    doctor_fact_init(&l->facts);
    metric_jvm_open(jvm, &l->jvm);
    l->facts.pid = jvm->process.pid;
    snprintf(l->facts.target, sizeof(l->facts.target), "%s", l->jvm.about.main);
    snprintf(l->facts.version, sizeof(l->facts.version), "%s", l->jvm.version);
    l->looked_ns = clock_monotonic_ns();
    look(l, true);
}

int doctor_live_look(struct doctor_live *l)
{
    uint64_t now_ns = clock_monotonic_ns();
    if (l->has_ended)
        return -ESRCH;
    int error = look(l, false);
    l->facts.seconds = (double)(now_ns - l->looked_ns) / NS_PER_S;
    if (error == 0 && l->dumps.count > 0)
        error = doctor_threads_judge(&l->dumps, &l->facts);
    return error == E_RANGE ? 0 : error;
}

void doctor_live_close(struct doctor_live *l)
{
    dumpset_done(&l->dumps);
    metric_set_done(&l->set);
    metric_jvm_close(&l->jvm);
}
