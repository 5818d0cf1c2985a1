/*
 * walkbench.c - what one stack costs, walker by walker, in one process (tests/bench/walk.py).
 *
 * -agentpath:libwalkbench.so=walkvm=OFFSET,evict=KB,rounds=N,alone=1. The program calls
 * Walk.begin() on the thread to be measured, and runs; every 4 ms that thread gets a signal, and in
 * the handler one walker in turn takes the first ("cold") walk, then all of them take N (5) more
 * ("warm"). Before the first walk evict KB of memory are read, which takes the place of what the
 * program would do with the caches in between. Walk.end() prints the medians (percent=N:
 * another percentile, such as 10 where the machine is busy). The third walker is
 * async-profiler's, a function that its library does not export: walk.py reads its offset from the
 * symbol table, and that library has to be loaded and started too. alone=1 runs ours only, for a
 * profiler to look at. SPDX-License-Identifier: Apache-2.0
 */
#include "../jdk/walker/asgct.h"
#include "hotspot/hotspot.h"
#include "hotspot/hotspot_self.h"
#include "safe/hs_names.h"
#include "safe/mem_self.h"
#include "safe/walk_vm.h"
#include <errno.h>
#include <jvmti.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    FRAMES_MAX = 4096,
    TIMES_MAX = 4096,
    /* A crash protection slot of async-profiler that none of its few samples uses; what its
     * default, cstack=vm, sets: mixed stacks. */
    PEER_SLOT = 15,
    PEER_FEATURES = 8,
};

typedef int (*peer_walk)(void *ucontext, struct asgct_frame *frames, int max, int slot,
                         unsigned short features, int event);

enum { OURS, ASGCT, PEER, WALKERS };
static const char *const names[] = {"hprof", "AsyncGetCallTrace", "async-profiler"};

static jvmtiEnv *ti;
static struct hotspot *vm;
static struct hs_names method_names;
static asgct_function asgct;
static peer_walk peer;
static uint64_t peer_offset, env_offset;
static int evict_kb, warm_rounds, is_alone;
static unsigned percent;
static unsigned char *ballast;
static volatile unsigned sink;

static JNIEnv *measured_env;
static pid_t measured_tid;
static volatile bool is_running;
static pthread_t ticker;
static unsigned turn;
static struct {
    uint32_t times[TIMES_MAX];
    uint32_t count;
} cold[WALKERS], warm[WALKERS];
static int depth[WALKERS];
static uint32_t failed[WALKERS];
static struct asgct_frame frames[FRAMES_MAX];
static struct walk_frame our_frames[FRAMES_MAX];

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Frames, <= 0 none; *ret_ns the time. */
static int walk(int walker, void *ucontext, uint64_t *ret_ns)
{
    struct asgct_trace trace = {measured_env, 0, frames};
    struct walk_request request = {.ucontext = ucontext, .jni_env = measured_env};
    bool cut;
    int n;
    request.java_thread = (uint64_t)measured_env - env_offset;
    uint64_t start = now_ns();
    if (walker == OURS) {
        n = walk_vm.walk(&request, our_frames, FRAMES_MAX, &cut);
        walk_vm.leave(&request);
    } else if (walker == ASGCT) {
        asgct(&trace, FRAMES_MAX, ucontext);
        n = trace.count;
    } else {
        n = peer(ucontext, frames, FRAMES_MAX, PEER_SLOT, PEER_FEATURES, 0);
    }
    *ret_ns = now_ns() - start;
    return n;
}

static void measure(int walker, void *ucontext, bool is_cold)
{
    uint64_t ns;
    int n = walk(walker, ucontext, &ns);
    if (n <= 0) {
        failed[walker]++;
        return;
    }
    uint32_t i = is_cold ? cold[walker].count : warm[walker].count;
    if (i == TIMES_MAX)
        return;
    if (is_cold)
        cold[walker].times[cold[walker].count++] = (uint32_t)ns;
    else
        warm[walker].times[warm[walker].count++] = (uint32_t)ns;
    depth[walker] = n;
}

static void on_signal(int sig, siginfo_t *info, void *ucontext)
{
    int saved_errno = errno, walkers = is_alone ? ASGCT : peer ? WALKERS : PEER;
    if (!is_running)
        return;
    for (int i = 0; i < evict_kb * 1024; i += 64)
        sink += ballast[i];
    measure((int)(turn++ % (unsigned)walkers), ucontext, 1);
    for (int round = 0; round < warm_rounds; round++) {
        for (int walker = 0; walker < walkers; walker++)
            measure(walker, ucontext, 0);
    }
    errno = saved_errno;
}

static void *tick(void *arg)
{
    while (is_running) {
        usleep(4000);
        syscall(SYS_tgkill, getpid(), measured_tid, SIGPROF);
    }
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static double percentile(uint32_t *times, uint32_t count)
{
    qsort(times, count, sizeof(*times), by_value);
    return count == 0 ? 0 : times[count * percent / 100];
}

/* What javac -h would write. */
JNIEXPORT void JNICALL Java_Walk_begin(JNIEnv *env, jclass klass);
JNIEXPORT void JNICALL Java_Walk_end(JNIEnv *env, jclass klass);

JNIEXPORT void JNICALL Java_Walk_begin(JNIEnv *env, jclass klass)
{
    memset(cold, 0, sizeof(cold));
    memset(warm, 0, sizeof(warm));
    memset(failed, 0, sizeof(failed));
    measured_env = env;
    measured_tid = (pid_t)syscall(SYS_gettid);
    is_running = true;
    pthread_create(&ticker, NULL, tick, NULL);
}

JNIEXPORT void JNICALL Java_Walk_end(JNIEnv *env, jclass klass)
{
    is_running = false;
    pthread_join(ticker, NULL);
    for (int i = 0; i < WALKERS; i++) {
        if (cold[i].count > 0)
            printf("%s frames %d cold_ns %.0f warm_ns %.0f cold_walks %u failed %u\n", names[i],
                   depth[i], percentile(cold[i].times, cold[i].count),
                   percentile(warm[i].times, warm[i].count), cold[i].count, failed[i]);
    }
    fflush(stdout);
}

static int find_peer(struct dl_phdr_info *info, size_t size, void *arg)
{
    if (peer_offset != 0 && strstr(info->dlpi_name, "libasyncProfiler"))
        peer = (peer_walk)(info->dlpi_addr + peer_offset);
    return 0;
}

static void JNICALL on_vm_init(jvmtiEnv *t, JNIEnv *env, jthread thread)
{
    const char *missing;
    jclass k = (*env)->FindClass(env, "java/lang/Thread");
    jfieldID eetop = (*env)->GetFieldID(env, k, "eetop", "J");
    if (hotspot_self_open(&vm, &missing) < 0 || mem_self_open(MEM_SELF_HANDLER, 0) < 0) {
        fprintf(stderr, "walkbench: no reader: %s\n", missing);
        exit(1);
    }
    env_offset =
        hotspot_env_offset(vm, (uint64_t)env, (uint64_t)(*env)->GetLongField(env, thread, eetop));
    make_method_ids(ti, env);
    size_t names_bytes = hs_names_bytes(20000);
    hs_names_init(&method_names, &vm->layout, calloc(1, names_bytes), names_bytes);
    walk_vm_prepare(&vm->memory, &method_names);
    dl_iterate_phdr(find_peer, NULL);
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGPROF, &action, NULL);
}

static uint64_t option(const char *options, const char *name, int base, uint64_t otherwise)
{
    const char *at = !options ? NULL : strstr(options, name);
    return at ? strtoull(at + strlen(name), NULL, base) : otherwise;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *jvm, char *options, void *reserved)
{
    peer_offset = option(options, "walkvm=", 16, 0);
    evict_kb = (int)option(options, "evict=", 10, 0);
    warm_rounds = (int)option(options, "rounds=", 10, 5);
    percent = (unsigned)option(options, "percent=", 10, 50) % 100;
    is_alone = (int)option(options, "alone=", 10, 0);
    ballast = calloc(1024, (size_t)evict_kb + 1);
    for (int i = 0; i < evict_kb * 1024; i += 4096)
        ballast[i] = 1;
    asgct = find_asgct();
    if ((*jvm)->GetEnv(jvm, (void **)&ti, JVMTI_VERSION_1_1) != 0 || !asgct)
        return 1;
    jvmtiEventCallbacks calls = {
        .VMInit = on_vm_init, .ClassLoad = on_class_load, .ClassPrepare = on_class_prepare};
    (*ti)->SetEventCallbacks(ti, &calls, sizeof(calls));
    static const jvmtiEvent events[] = {JVMTI_EVENT_VM_INIT, JVMTI_EVENT_CLASS_PREPARE,
                                        JVMTI_EVENT_CLASS_LOAD};
    for (unsigned i = 0; i < 3; i++)
        (*ti)->SetEventNotificationMode(ti, JVMTI_ENABLE, events[i], NULL);
    return 0;
}
