/*
 * oracle.c - an agent that doubts the walker:
 * -agentpath:liboracle.so=interval_us=1000,fuzz=0,safepoint_ms=20
 *
 * In each SIGPROF it walks the interrupted thread and asks AsyncGetCallTrace in the same handler;
 * an ordinary thread suspends threads in turn and compares GetStackTrace with a walk from the
 * anchor. With fuzz=N it walks N times per signal from damaged registers: nothing may crash. At the
 * end it prints a table.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/verify/verify_frames.h"
#include "asgct.h"
#include "record.h"
#include "hotspot/hotspot.h"
#include "hotspot/hotspot_self.h"
#include "hotspot/layout.h"
#include "safe/hs_code.h"
#include "safe/hs_frame.h"
#include "safe/hs_top.h"
#include "safe/hs_names.h"
#include "safe/mem_self.h"
#include "safe/regs.h"
#include "safe/walk_vm.h"
#include <errno.h>
#include <jvmti.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum {
    FRAMES_MAX = 1024,
    EXAMPLES = 24,
    TRUST_COUNT = 5,
};

static asgct_function asgct;
static jvmtiEnv *ti;
static struct hotspot *vm;
static uint64_t env_offset;
static __thread JNIEnv *my_env __attribute__((tls_model("initial-exec")));
static __thread int in_handler __attribute__((tls_model("initial-exec")));

static int interval_us = 1000, fuzz_count, safepoint_ms = 20, verbose;
static volatile bool is_running;
static char record_path[1024]; /* where the memory image of a few walks goes */

static uint64_t samples, complete, truncated, by_cause[WALK_CAUSE_COUNT], by_trust[TRUST_COUNT];
static uint64_t frames_walked, walk_ns, asgct_ns, asgct_ok, asgct_only, both_ok;
static uint64_t no_env, results[VERIFY_KIND_COUNT], interpreted_top_bci, fuzz_walks, fuzz_complete;
static uint64_t asgct_code[16];
static uint64_t gst_stacks, gst_frames, gst_results[VERIFY_KIND_COUNT], gst_fail[WALK_CAUSE_COUNT];
static uint64_t gst_skipped, read_ns, name_checks, name_errors, line_checks, line_errors;
static struct hs_names names;
static char name_example[512];

/* Nanoseconds per frame of the first walks, for the median: a mean counts preemptions. */
enum { TIMES_MAX = 1 << 16 };
static uint32_t our_times[TIMES_MAX], asgct_times[TIMES_MAX];
static uint32_t our_time_count, asgct_time_count;
static uint32_t first_times[TIMES_MAX], asgct_first_times[TIMES_MAX];
static uint32_t first_time_count, asgct_first_count;
static uint32_t warm_times[TIMES_MAX], warm_time_count; /* the same stack again and again */

static void keep_time(uint32_t *times, uint32_t *count, uint64_t ns)
{
    uint32_t i = __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
    if (i < TIMES_MAX)
        times[i] = (uint32_t)ns;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t median(uint32_t *times, uint32_t count)
{
    uint32_t n = count < TIMES_MAX ? count : TIMES_MAX;
    qsort(times, n, sizeof(*times), by_value);
    return n == 0 ? 0 : times[n / 2];
}

static const char *const kind_words[VERIFY_KIND_COUNT] = {
    "same", "top bci", "bci", "cut", "skips", "walk cut", "walk skips", "methods"};

struct example {
    enum verify_kind result;
    uint32_t at;
    int our_count, their_count, is_safepoint;
    struct regs regs;
    uint32_t state;
    struct walk_frame ours[80];
    struct verify_frame theirs[80];
    int cause; /* of a failed walk, -1 none */
    uint64_t stack[48];
    unsigned char code[32];
    struct hs_blob blob;
    struct walk_frame last[4]; /* of a failed walk: how far it came */
    int last_count;
    uint64_t stuck_pc, stuck_sp, stuck_fp, old_pc, old_sp;
    int start_count, stuck_trust;
};
static struct example examples[EXAMPLES];
static unsigned example_count;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#define ADD(counter, n) __atomic_fetch_add(&(counter), (n), __ATOMIC_RELAXED)

static void keep_example(const struct example *e, const struct walk_frame *ours,
                         const struct verify_frame *theirs)
{
    unsigned i = ADD(example_count, 1);
    if (i >= EXAMPLES)
        return;
    examples[i] = *e;
    struct mem_view view = {.mem = &mem_self};
    mem_read(&mem_self, e->regs.pc - 8, examples[i].code, 32);
    hs_code_find(&view, &vm->layout, e->regs.pc, &examples[i].blob);
    if (e->cause >= 0) {
        int n = 0;
        while (n < FRAMES_MAX && ours[n].method != 0)
            n++;
        examples[i].last_count = n;
        for (int k = 0; k < 4 && k < n; k++)
            examples[i].last[k] = ours[n - 1 - k];
    }
    for (unsigned k = 0; k < 48; k++) {
        struct mem_view v = {.mem = &mem_self};
        examples[i].stack[k] = mem_view_u8(&v, e->regs.sp + k * 8);
    }
    for (int k = 0; k < 80 && k < e->our_count; k++)
        examples[i].ours[k] = ours[k];
    for (int k = 0; k < 80 && k < e->their_count; k++)
        examples[i].theirs[k] = theirs[k];
}

/* Walk the starts of a failed sample once more and keep where the longest stopped. */
static void diagnose(uint64_t thread, struct example *e)
{
    struct mem_view v = {.mem = &mem_self};
    struct hs_cursor c;
    struct hs_starts starts = {.count = 0};
    uint32_t most = 0;
    if (!hs_cursor_init(&c, &v, &vm->memory, thread, e->regs.sp))
        return;
    if (hs_cursor_at_anchor(&c, thread + (uint64_t)vm->layout.thread_anchor))
        hs_top_add(&starts, (struct hs_start){.pc = c.pc, .sp = c.sp, .fp = c.fp});
    if (hs_code_contains(&vm->layout, e->regs.pc))
        hs_top_cpus[vm->layout.cpu]->find(&c, &e->regs, &starts);
    else
        hs_top_cpus[vm->layout.cpu]->find_native(&c, &e->regs, &starts);
    e->start_count = (int)starts.count;
    for (uint32_t i = 0; i < starts.count; i++) {
        uint64_t old_pc = 0, old_sp = 0;
        c.pc = starts.list[i].pc;
        c.sp = starts.list[i].sp;
        c.fp = starts.list[i].fp;
        c.count = 0;
        for (int n = 0; n < 1000; n++) {
            uint64_t pc = c.pc, sp = c.sp;
            if (hs_frame_step(&c) != HS_STEP_MORE)
                break;
            old_pc = pc;
            old_sp = sp;
        }
        if (i == 0 || c.count > most) {
            most = c.count;
            e->stuck_pc = c.pc;
            e->stuck_sp = c.sp;
            e->stuck_fp = c.fp;
            e->old_pc = old_pc;
            e->old_sp = old_sp;
            e->stuck_trust = starts.list[i].trust;
        }
    }
}

static __thread uint64_t seed __attribute__((tls_model("initial-exec")));
static uint64_t next_random(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed ^ (seed >> 29);
}

static uint64_t damage(uint64_t value, uint64_t near)
{
    uint64_t x = next_random();
    switch (x & 7) {
    case 0:
        return x >> 3;
    case 1:
        return value + (x >> 56) - 128;
    case 2:
        return value + ((x >> 40) & 0xffff) - 0x8000;
    case 3:
        return near + ((x >> 40) & 0xfff8);
    case 4:
        return vm->layout.heaps[(x >> 8) % vm->layout.heap_count].low + ((x >> 32) & 0xffffff);
    case 5:
        return 0;
    default:
        return value;
    }
}

static void fuzz(uint64_t thread, const struct regs *regs)
{
    struct walk_frame frames[64];
    bool cut;
    if (seed == 0)
        seed = now_ns() ^ thread;
    for (int i = 0; i < fuzz_count; i++) {
        struct regs r = *regs;
        r.pc = damage(r.pc, r.pc);
        r.sp = damage(r.sp, regs->sp);
        r.fp = damage(r.fp, regs->sp);
        r.r[REGS_RBX] = damage(r.r[REGS_RBX], r.r[REGS_RBX]);
        r.r[REGS_R13] = damage(r.r[REGS_R13], regs->sp);
        r.r[REGS_RAX] = damage(r.r[REGS_RAX], regs->pc);
        ADD(fuzz_walks, 1);
        if (walk_vm_thread(&vm->memory, thread, &r, NULL, frames, 64, &cut) >= 0)
            ADD(fuzz_complete, 1);
    }
}

/* What the handler works on: one of a few, taken by the first that comes. */
static struct scratch {
    int taken;
    struct walk_frame ours[FRAMES_MAX];
    struct asgct_frame frames[FRAMES_MAX];
    struct verify_frame theirs[FRAMES_MAX], same[FRAMES_MAX]; /* same: ours, to be compared */
} scratches[8];

static void take_ours(struct mem_view *v, const struct walk_frame *ours, int count,
                      struct verify_frame *ret_frames)
{
    for (int i = 0; i < count; i++)
        ret_frames[i] = (struct verify_frame){
            .id = verify_frames_id_of(v, &vm->layout, ours[i].method), .bci = ours[i].bci};
}

static void sample(void *ucontext, uint64_t thread, struct scratch *s)
{
    struct walk_request request = {.ucontext = ucontext, .jni_env = my_env, .java_thread = thread};
    struct regs regs;
    bool cut = 0;
    memset(s->ours, 0, 128 * sizeof(*s->ours));
    struct asgct_trace trace = {my_env, 0, s->frames};
    int n, they_first = ADD(samples, 1) & 1; /* who comes second finds warm caches */
    uint64_t t0 = now_ns();
    if (they_first)
        asgct(&trace, FRAMES_MAX, ucontext);
    uint64_t t1 = now_ns();
    n = walk_vm.walk(&request, s->ours, FRAMES_MAX, &cut);
    walk_vm.leave(&request);
    uint64_t t2 = now_ns();
    if (!they_first)
        asgct(&trace, FRAMES_MAX, ucontext);
    uint64_t our_ns = t2 - t1, asgct_took = they_first ? t1 - t0 : now_ns() - t2;
    regs_of_ucontext(ucontext, &regs);
    struct mem_view v = {.mem = &mem_self};
    struct example e = {.regs = regs, .our_count = n, .their_count = trace.count, .cause = -1};
    e.state =
        hs_layout_state(&vm->layout, mem_view_u4(&v, thread + (uint64_t)vm->layout.thread_state));
    if (n >= 0) {
        ADD(complete, 1);
        ADD(truncated, (uint64_t)cut);
        ADD(frames_walked, (uint64_t)n);
        ADD(walk_ns, our_ns);
        keep_time(our_times, &our_time_count, our_ns / (uint64_t)(n + !n));
        if (!they_first)
            keep_time(first_times, &first_time_count, our_ns / (uint64_t)(n + !n));
        if (n > 0 && s->ours[0].flags < TRUST_COUNT)
            ADD(by_trust[s->ours[0].flags], 1);
    } else {
        ADD(by_cause[-n - 1], 1);
    }
    if (trace.count > 0) {
        ADD(asgct_ok, 1);
        ADD(asgct_ns, asgct_took);
        keep_time(asgct_times, &asgct_time_count, asgct_took / (uint64_t)trace.count);
        if (they_first)
            keep_time(asgct_first_times, &asgct_first_count, asgct_took / (uint64_t)trace.count);
        for (int i = 0; i < trace.count; i++)
            s->theirs[i] =
                (struct verify_frame){.id = (uint64_t)s->frames[i].method, .bci = s->frames[i].bci};
    } else if (trace.count > -16) {
        ADD(asgct_code[-trace.count], 1);
    }
    if (n <= 0 && (trace.count > 0 || n != -(1 + WALK_NO_JAVA_FRAME))) {
        if (trace.count > 0)
            ADD(asgct_only, 1);
        e.cause = n < 0 ? -n - 1 : 0;
        diagnose(thread, &e);
        keep_example(&e, s->ours, s->theirs);
    }
    if (n > 0 && trace.count > 0 && trace.count < FRAMES_MAX && !cut) {
        ADD(both_ok, 1);
        take_ours(&v, s->ours, n, s->same);
        e.result = verify_compare(s->same, (uint32_t)n, s->theirs, (uint32_t)trace.count, &e.at);
        ADD(results[e.result], 1);
        if (e.result == VERIFY_SAME && record_path[0] != 0)
            record_walk(thread, &regs, s->ours, n);
        if (e.result == VERIFY_TOP_BCI && s->ours[0].kind == WALK_KIND_INTERPRETED)
            ADD(interpreted_top_bci, 1);
        else if (e.result != VERIFY_SAME && (e.result != VERIFY_TOP_BCI || verbose))
            keep_example(&e, s->ours, s->theirs);
    }
    if (fuzz_count > 0)
        fuzz(thread, &regs);
}

static void on_prof(int sig, siginfo_t *info, void *ucontext)
{
    int saved_errno = errno;
    if (!is_running || in_handler)
        return;
    in_handler = 1;
    if (!my_env) {
        ADD(no_env, 1);
    } else {
        for (unsigned i = 0; i < 8; i++) {
            if (__atomic_exchange_n(&scratches[i].taken, 1, __ATOMIC_ACQUIRE) == 0) {
                sample(ucontext, (uint64_t)my_env - env_offset, &scratches[i]);
                __atomic_store_n(&scratches[i].taken, 0, __ATOMIC_RELEASE);
                break;
            }
        }
    }
    in_handler = 0;
    errno = saved_errno;
}

static void JNICALL on_thread_start(jvmtiEnv *t, JNIEnv *env, jthread thread)
{
    my_env = env;
}

static void JNICALL on_thread_end(jvmtiEnv *t, JNIEnv *env, jthread thread)
{
    my_env = NULL;
}

static uint64_t java_thread_of(JNIEnv *env, jthread thread)
{
    static jfieldID eetop;
    if (!eetop) {
        jclass k = (*env)->FindClass(env, "java/lang/Thread");
        eetop = (*env)->GetFieldID(env, k, "eetop", "J");
    }
    return (uint64_t)(*env)->GetLongField(env, thread, eetop);
}

static int same_text(const char *text, uint32_t len, const char *theirs, size_t their_len)
{
    return len == their_len && memcmp(text, theirs, len) == 0;
}

/* Names and line of one frame against JVM TI's. */
static void check_names(JNIEnv *env, uint64_t method, jvmtiFrameInfo info)
{
    struct mem_view v = {.mem = &mem_self};
    struct hs_names_method m;
    char *name = NULL, *signature = NULL, *klass_name = NULL, *source = NULL;
    jclass klass = NULL;
    jint count = 0, line = -1;
    jvmtiLineNumberEntry *lines = NULL;
    struct hs_names_visit visit;
    hs_names_enter(&names, &v, &visit);
    uint32_t index = hs_names_find(&visit, &v, method);
    hs_names_leave(&visit);
    if (index == 0 || !hs_names_get(&names, index, &m)) {
        name_errors++;
        return;
    }
    if ((*ti)->GetMethodName(ti, info.method, &name, &signature, NULL) != 0 ||
        (*ti)->GetMethodDeclaringClass(ti, info.method, &klass) != 0 ||
        (*ti)->GetClassSignature(ti, klass, &klass_name, NULL) != 0)
        return;
    (*ti)->GetSourceFileName(ti, klass, &source);
    name_checks++;
    /* JVM TI writes hidden classes with a dot where the VM has a plus */
    uint32_t klass_len = (uint32_t)strlen(klass_name);
    int good = same_text(m.name, m.name_len, name, strlen(name)) &&
               same_text(m.signature, m.signature_len, signature, strlen(signature)) &&
               klass_len == m.class_name_len + 2 &&
               (strchr(klass_name, '.') ||
                same_text(m.class_name, m.class_name_len, klass_name + 1, klass_len - 2)) &&
               same_text(m.source_file, m.source_file_len, source ? source : "",
                         source ? strlen(source) : 0);
    if (!good) {
        name_errors++;
        snprintf(name_example, sizeof(name_example), "%.*s.%.*s%.*s (%.*s) against %s %s %s (%s)",
                 (int)m.class_name_len, m.class_name, (int)m.name_len, m.name, (int)m.signature_len,
                 m.signature, (int)m.source_file_len, m.source_file, klass_name, name, signature,
                 source);
    }
    if (info.location >= 0 && (*ti)->GetLineNumberTable(ti, info.method, &count, &lines) == 0) {
        jlocation best = -1;
        for (jint i = 0; i < count; i++) {
            if (lines[i].start_location <= info.location && lines[i].start_location >= best) {
                best = lines[i].start_location;
                line = lines[i].line_number;
            }
        }
        line_checks++;
        if (hs_names_line(&names, index, (int32_t)info.location) != line) {
            line_errors++;
            snprintf(name_example, sizeof(name_example), "%s.%s @%ld line %d, ours %d", klass_name,
                     name, (long)info.location, line,
                     hs_names_line(&names, index, (int32_t)info.location));
        }
    }
    (*ti)->Deallocate(ti, (unsigned char *)lines);
    (*ti)->Deallocate(ti, (unsigned char *)name);
    (*ti)->Deallocate(ti, (unsigned char *)signature);
    (*ti)->Deallocate(ti, (unsigned char *)klass_name);
    (*ti)->Deallocate(ti, (unsigned char *)source);
    (*env)->DeleteLocalRef(env, klass);
}

static void compare_at_safepoint(JNIEnv *env, jthread thread)
{
    static jvmtiFrameInfo infos[FRAMES_MAX];
    static struct walk_frame ours[FRAMES_MAX];
    static struct verify_frame theirs[FRAMES_MAX], same[FRAMES_MAX];
    jint count = 0;
    bool cut;
    if ((*ti)->SuspendThread(ti, thread) != 0)
        return;
    uint64_t jt = java_thread_of(env, thread);
    if (jt != 0 && (*ti)->GetStackTrace(ti, thread, 0, FRAMES_MAX, infos, &count) == 0 &&
        count > 0) {
        memset(ours, 0, 128 * sizeof(*ours));
        int n = walk_vm_thread(&vm->memory, jt, NULL, NULL, ours, FRAMES_MAX, &cut);
        if (n < 0) {
            ADD(gst_fail[-n - 1], 1);
            struct example e = {.their_count = count, .is_safepoint = 1, .cause = -n - 1};
            struct mem_view v = {.mem = &mem_self};
            uint64_t anchor = jt + (uint64_t)vm->layout.thread_anchor;
            e.state = hs_layout_state(&vm->layout,
                                      mem_view_u4(&v, jt + (uint64_t)vm->layout.thread_state));
            e.regs.sp = mem_view_u8(&v, anchor);
            e.regs.pc = mem_view_u8(&v, anchor + 8);
            e.regs.fp = mem_view_u8(&v, anchor + 16);
            for (int i = 0; i < count; i++)
                theirs[i] = (struct verify_frame){.id = (uint64_t)infos[i].method,
                                                  .bci = (int32_t)infos[i].location};
            keep_example(&e, ours, theirs);
        } else {
            struct mem_view v = {.mem = &mem_self};
            for (int i = 0; i < count; i++)
                theirs[i] = (struct verify_frame){.id = (uint64_t)infos[i].method,
                                                  .bci = (int32_t)infos[i].location};
            for (int i = 0; i < n; i++) /* native: -3 here, -1 there */
                if (ours[i].bci == -3)
                    ours[i].bci = -1;
            struct example e = {
                .our_count = n, .their_count = count, .is_safepoint = 1, .cause = -1};
            take_ours(&v, ours, n, same);
            e.result = verify_compare(same, (uint32_t)n, theirs, (uint32_t)count, &e.at);
            gst_stacks++;
            gst_frames += (uint64_t)count;
            gst_results[e.result]++;
            if (gst_stacks % 4 == 0 && n > 4 && ours[0].kind != WALK_KIND_INTERPRETED) {
                static struct walk_frame again[FRAMES_MAX];
                uint64_t t0 = now_ns();
                for (int i = 0; i < 20; i++)
                    walk_vm_thread(&vm->memory, jt, NULL, NULL, again, FRAMES_MAX, &cut);
                keep_time(warm_times, &warm_time_count, (now_ns() - t0) / 20 / (uint64_t)n);
            }
            if (e.result == VERIFY_SAME && record_path[0] != 0 && gst_stacks % 7 == 0)
                record_walk(jt, NULL, ours, n);
            if (e.result == VERIFY_SAME)
                for (int i = 0; i < n; i++)
                    check_names(env, ours[i].method, infos[i]);
            if (e.result != VERIFY_SAME)
                keep_example(&e, ours, theirs);
        }
    } else {
        gst_skipped++;
    }
    (*ti)->ResumeThread(ti, thread);
}

static void JNICALL safepoint_loop(jvmtiEnv *t, JNIEnv *env, void *arg)
{
    while (is_running) {
        jthread *threads, self;
        jint count;
        usleep((unsigned)safepoint_ms * 1000);
        if ((*ti)->GetAllThreads(ti, &count, &threads) != 0)
            return;
        (*ti)->GetCurrentThread(ti, &self);
        for (jint i = 0; i < count; i++) {
            if (is_running && !(*env)->IsSameObject(env, threads[i], self))
                compare_at_safepoint(env, threads[i]);
            (*env)->DeleteLocalRef(env, threads[i]);
        }
        (*env)->DeleteLocalRef(env, self);
        (*ti)->Deallocate(ti, (unsigned char *)threads);
    }
}

static void measure_reads(void)
{
    uint64_t t0 = now_ns(), word;
    for (int i = 0; i < 1000000; i++)
        mem_self_read_word((uint64_t)&vm->layout, &word);
    read_ns = (now_ns() - t0) / 1000;
}

static void start_safepoint_thread(JNIEnv *env)
{
    jclass k = (*env)->FindClass(env, "java/lang/Thread");
    jmethodID init = (*env)->GetMethodID(env, k, "<init>", "(Ljava/lang/String;)V");
    jobject thread = (*env)->NewObject(env, k, init, (*env)->NewStringUTF(env, "oracle"));
    (*ti)->RunAgentThread(ti, thread, safepoint_loop, NULL, JVMTI_THREAD_NORM_PRIORITY);
}

static void JNICALL on_vm_init(jvmtiEnv *t, JNIEnv *env, jthread thread)
{
    const char *missing;
    uint64_t t0 = now_ns();
    int error = hotspot_self_open(&vm, &missing);
    if (error < 0) {
        fprintf(stderr, "oracle: no reader: error %d, missing: %s\n", error, missing);
        return;
    }
    fprintf(stderr,
            "oracle: JDK %u, check %d safefetch %lx, %u code heaps, groups %x, opened in %.1f ms\n",
            vm->layout.version, vm->layout.checks_jni, (unsigned long)vm->layout.safefetch,
            vm->layout.heap_count, layout_groups(&vm->layout), (double)(now_ns() - t0) / 1e6);
    env_offset = hotspot_env_offset(vm, (uint64_t)env, java_thread_of(env, thread));
    my_env = env;
    make_method_ids(ti, env);
    measure_reads();
    size_t names_bytes = hs_names_bytes(20000);
    hs_names_init(&names, &vm->layout, calloc(1, names_bytes), names_bytes);
    walk_vm_prepare(&vm->memory, NULL);
    if (record_path[0] != 0 && !record_open(vm))
        fprintf(stderr, "oracle: the layout cannot be recorded\n");
    is_running = true;
    struct sigaction action = {.sa_sigaction = on_prof, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGPROF, &action, NULL);
    struct itimerval timer = {{0, interval_us}, {0, interval_us}};
    setitimer(ITIMER_PROF, &timer, NULL);
    if (safepoint_ms > 0)
        start_safepoint_thread(env);
}

static void print_method(uint64_t method, int64_t bci, const char *tail)
{
    struct mem_view v = {.mem = &mem_self};
    struct hs_method_symbols s;
    char klass[200], name[100];
    if (!hs_method_symbols(&v, &vm->layout, method, &s)) {
        fprintf(stderr, "    ? %lx @%ld%s\n", (unsigned long)method, (long)bci, tail);
        return;
    }
    int a = hs_method_symbol_text(&v, &vm->layout, s.class_name, klass, sizeof(klass));
    int b = hs_method_symbol_text(&v, &vm->layout, s.name, name, sizeof(name));
    fprintf(stderr, "    %.*s.%.*s @%ld%s\n", a, klass, b, name, (long)bci, tail);
}

static void print_id(struct verify_frame f)
{
    char *name = NULL, *sig = NULL;
    jclass k;
    if (f.id == 0 || (*ti)->GetMethodName(ti, (jmethodID)f.id, &name, NULL, NULL) != 0) {
        fprintf(stderr, "    ?id %lx @%ld\n", (unsigned long)f.id, (long)f.bci);
        return;
    }
    if ((*ti)->GetMethodDeclaringClass(ti, (jmethodID)f.id, &k) == 0)
        (*ti)->GetClassSignature(ti, k, &sig, NULL);
    fprintf(stderr, "    %s.%s @%ld\n", sig ? sig : "?", name, (long)f.bci);
}

static void print_bytes(uint64_t pc)
{
    struct mem_view v = {.mem = &mem_self};
    fprintf(stderr, "\n      bytes:");
    for (int i = -8; i < 24; i++)
        fprintf(stderr, "%s%02x", i == 0 ? " | " : " ", mem_view_u1(&v, pc + (uint64_t)(int64_t)i));
}

static void print_place(uint64_t pc)
{
    struct mem_view v = {.mem = &mem_self};
    struct hs_blob b;
    char name[64] = "";
    if (pc - vm->layout.interp_low < vm->layout.interp_high - vm->layout.interp_low) {
        fprintf(stderr, "interpreter+%lx", (unsigned long)(pc - vm->layout.interp_low));
        print_bytes(pc);
    } else if (hs_code_find(&v, &vm->layout, pc, &b)) {
        mem_read(&mem_self, mem_view_u8(&v, b.start + (uint64_t)vm->layout.blob_name), name, 40);
        fprintf(stderr, "blob '%s' kind %d code+%lx frame_size %d complete %d", name, b.kind,
                (unsigned long)(pc - b.code), b.frame_size, b.frame_complete);
        print_bytes(pc);
        if (b.kind == HS_BLOB_NMETHOD || b.kind == HS_BLOB_NATIVE) {
            fprintf(stderr, "\n");
            print_method(mem_view_u8(&v, b.start + (uint64_t)vm->layout.nmethod_method), 0,
                         " <- nmethod");
        }
    } else {
        Dl_info info;
        if (dladdr((void *)pc, &info) && info.dli_fname)
            fprintf(
                stderr, "%s %s+%lx", info.dli_fname, info.dli_sname ? info.dli_sname : "",
                (unsigned long)(pc - (uint64_t)(info.dli_sname ? info.dli_saddr : info.dli_fbase)));
    }
}

static void print_example(const struct example *e)
{
    fprintf(stderr, "%s %s at %d, state %u, ours %d theirs %d, pc %lx sp %lx fp %lx: ",
            e->is_safepoint ? "safepoint" : "async",
            e->cause >= 0 ? walk_cause_word((enum walk_cause)e->cause) : kind_words[e->result],
            e->at, e->state, e->our_count, e->their_count, (unsigned long)e->regs.pc,
            (unsigned long)e->regs.sp, (unsigned long)e->regs.fp);
    if (e->regs.pc != 0)
        print_place(e->regs.pc);
    if (e->cause >= 0 || verbose) {
        fprintf(stderr, "\n   rax %lx rbx %lx rsi %lx r13 %lx r14 %lx\n",
                (unsigned long)e->regs.r[0], (unsigned long)e->regs.r[3],
                (unsigned long)e->regs.r[6], (unsigned long)e->regs.r[13],
                (unsigned long)e->regs.r[14]);
        for (int i = 0; i < 48; i++)
            fprintf(stderr, "%s%lx%s", i % 8 == 0 ? "\n   stack " : " ", (unsigned long)e->stack[i],
                    hs_code_contains(&vm->layout, e->stack[i]) ? "*" : "");
    }
    if (e->cause >= 0) {
        fprintf(stderr, "\n   code then:");
        for (int i = 0; i < 32; i++)
            fprintf(stderr, "%s%02x", i == 8 ? " | " : " ", e->code[i]);
        fprintf(stderr,
                "\n   blob then: kind %d frame %d complete %d size %lu; came %d frames far:\n",
                e->blob.kind, e->blob.frame_size, e->blob.frame_complete,
                (unsigned long)(e->blob.end - e->blob.start), e->last_count);
        for (int i = 0; i < 4 && i < e->last_count; i++)
            print_method(e->last[i].method, e->last[i].bci,
                         e->last[i].kind == 1 ? " interpreted" : " compiled");
        fprintf(stderr,
                "   %d starts, stuck (trust %d) at pc %lx sp %lx fp %lx after pc %lx sp %lx: ",
                e->start_count, e->stuck_trust, e->stuck_pc, e->stuck_sp, e->stuck_fp, e->old_pc,
                e->old_sp);
        print_place(e->stuck_pc);
        fprintf(stderr, "\n  before it: ");
        print_place(e->old_pc);
    }
    fprintf(stderr, "\n  ours:\n");
    int from = e->cause >= 0 ? e->last_count - 3 : (int)e->at - 2;
    if (from < 0)
        from = 0;
    for (int i = from; i < e->our_count && i < from + 6 && i < 80; i++) {
        char tail[64];
        snprintf(tail, sizeof(tail), " kind %d level %d trust %d", e->ours[i].kind,
                 e->ours[i].level, e->ours[i].flags);
        print_method(e->ours[i].method, e->ours[i].bci, tail);
    }
    fprintf(stderr, "  theirs:\n");
    for (int i = from; i < e->their_count && i < from + 6 && i < 80; i++)
        print_id(e->theirs[i]);
}

static double percent(uint64_t a, uint64_t b)
{
    return b == 0 ? 0 : 100.0 * (double)a / (double)b;
}

static void JNICALL on_vm_death(jvmtiEnv *t, JNIEnv *env)
{
    const struct hs_names_half *first = &names.half[names.generation & 1];
    if (!vm)
        return;
    is_running = false;
    usleep(50000);
    if (record_path[0] != 0 && record_write(record_path) != 0)
        fprintf(stderr, "oracle: cannot write %s\n", record_path);
    uint64_t no_frame = by_cause[WALK_NO_JAVA_FRAME];
    fprintf(stderr,
            "ORACLE JDK %u: samples %lu (with Java frames %lu), complete %.3f%%, truncated %lu\n",
            vm->layout.version, samples, samples - no_frame, percent(complete, samples - no_frame),
            truncated);
    fprintf(stderr, "  asgct ok %.2f%%, asgct only %lu, not Java threads %lu\n  failures:",
            percent(asgct_ok, samples - no_frame), asgct_only, no_env);
    for (int i = 0; i < WALK_CAUSE_COUNT; i++)
        if (by_cause[i] != 0)
            fprintf(stderr, " %s %lu", walk_cause_word((enum walk_cause)i), by_cause[i]);
    fprintf(stderr, "\n  asgct failures:");
    for (int i = 0; i < 16; i++)
        if (asgct_code[i] != 0)
            fprintf(stderr, " %d:%lu", -i, asgct_code[i]);
    fprintf(stderr,
            "\n  trust: anchor %lu exact %lu decoded %lu shifted %lu scanned %lu\n  both ok %lu:",
            by_trust[0], by_trust[1], by_trust[2], by_trust[3], by_trust[4], both_ok);
    for (int i = 0; i < VERIFY_KIND_COUNT; i++)
        fprintf(stderr, " %s %lu (%.2f%%)", kind_words[i], results[i],
                percent(results[i], both_ok));
    fprintf(stderr, " (top bci, interpreted %lu)\n", interpreted_top_bci);
    fprintf(stderr, "  safepoint stacks %lu frames %lu:", gst_stacks, gst_frames);
    for (int i = 0; i < VERIFY_KIND_COUNT; i++)
        fprintf(stderr, " %s %lu (%.2f%%)", kind_words[i], gst_results[i],
                percent(gst_results[i], gst_stacks));
    fprintf(stderr, " skipped %lu failed", gst_skipped);
    for (int i = 0; i < WALK_CAUSE_COUNT; i++)
        if (gst_fail[i] != 0)
            fprintf(stderr, " %s %lu", walk_cause_word((enum walk_cause)i), gst_fail[i]);
    fprintf(stderr,
            "\n  median ns per frame %u (first %u, warm %u); asgct %u (first %u); mean ns per walk "
            "%.0f, asgct %.0f; guarded load "
            "%.2f\n",
            median(our_times, our_time_count), median(first_times, first_time_count),
            median(warm_times, warm_time_count), median(asgct_times, asgct_time_count),
            median(asgct_first_times, asgct_first_count),
            (double)walk_ns / (double)(complete + !complete),
            (double)asgct_ns / (double)(asgct_ok + !asgct_ok), (double)read_ns / 1000);
    fprintf(stderr,
            "  names: %lu checked, %lu wrong; lines %lu checked, %lu wrong %s\n  %lu methods in "
            "%lu bytes\n",
            name_checks, name_errors, line_checks, line_errors, name_example,
            (unsigned long)first->count, (unsigned long)(first->next - first->first));
    fprintf(stderr, "  frames per walk %.1f; fuzz walks %lu complete %.2f%%\n",
            (double)frames_walked / (double)(complete + !complete), fuzz_walks,
            percent(fuzz_complete, fuzz_walks));
    for (unsigned i = 0; i < example_count && i < EXAMPLES; i++)
        print_example(&examples[i]);
}

static void read_option(const char *options, const char *name, int *value)
{
    const char *at = !options ? NULL : strstr(options, name);
    if (at)
        *value = atoi(at + strlen(name));
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *jvm, char *options, void *reserved)
{
    read_option(options, "interval_us=", &interval_us);
    read_option(options, "fuzz=", &fuzz_count);
    read_option(options, "safepoint_ms=", &safepoint_ms);
    read_option(options, "verbose=", &verbose);
    const char *record = !options ? NULL : strstr(options, "record=");
    if (record)
        snprintf(record_path, sizeof(record_path), "%s", record + strlen("record="));
    asgct = find_asgct();
    if ((*jvm)->GetEnv(jvm, (void **)&ti, JVMTI_VERSION_1_1) != 0 || !asgct)
        return 1;
    jvmtiCapabilities caps = {
        .can_suspend = 1, .can_get_line_numbers = 1, .can_get_source_file_name = 1};
    (*ti)->AddCapabilities(ti, &caps);
    jvmtiEventCallbacks calls = {.VMInit = on_vm_init,
                                 .VMDeath = on_vm_death,
                                 .ThreadStart = on_thread_start,
                                 .ThreadEnd = on_thread_end,
                                 .ClassLoad = on_class_load,
                                 .ClassPrepare = on_class_prepare};
    (*ti)->SetEventCallbacks(ti, &calls, sizeof(calls));
    static const jvmtiEvent events[] = {JVMTI_EVENT_VM_INIT,       JVMTI_EVENT_VM_DEATH,
                                        JVMTI_EVENT_THREAD_START,  JVMTI_EVENT_THREAD_END,
                                        JVMTI_EVENT_CLASS_PREPARE, JVMTI_EVENT_CLASS_LOAD};
    for (unsigned i = 0; i < 6; i++)
        (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, events[i], NULL);
    return 0;
}
