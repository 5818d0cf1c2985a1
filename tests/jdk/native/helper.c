/*
 * helper.c - what the test programs do in C: forks, signals of their own, blocking reads.
 *
 * Loaded by class Helper. Its signal is SIGPROF, raised by ITIMER_PROF, or the one whose number
 * HELPER_SIGNAL has, raised by a POSIX timer. With HELPER_EARLY=1 in the environment and in
 * LD_PRELOAD it puts the handler and the timer in before the JVM starts. At exit it says whether
 * the signal is its own again. SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <jni.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static _Atomic int from_timer, others;
static int installed;

static void on_prof(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    if (info->si_code == SI_KERNEL ||
        (info->si_code == SI_TIMER && info->si_value.sival_ptr == &from_timer))
        atomic_fetch_add(&from_timer, 1);
    else
        atomic_fetch_add(&others, 1);
}

static int own(void)
{
    const char *number = getenv("HELPER_SIGNAL");
    return number ? atoi(number) : SIGPROF;
}

static void raise_often(void)
{
    struct itimerval every = {{0, 10000}, {0, 10000}};
    struct itimerspec as_often = {{0, 10000000}, {0, 10000000}};
    struct sigevent event = {
        .sigev_notify = SIGEV_SIGNAL, .sigev_signo = own(), .sigev_value.sival_ptr = &from_timer};
    timer_t timer;
    if (own() == SIGPROF)
        setitimer(ITIMER_PROF, &every, NULL);
    else if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) == 0)
        timer_settime(timer, 0, &as_often, NULL);
}

static void install(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = on_prof;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(own(), &action, NULL);
    raise_often();
    installed = 1;
}

__attribute__((constructor)) static void early(void)
{
    const char *wish = getenv("HELPER_EARLY");
    if (wish && wish[0] == '1')
        install();
}

__attribute__((destructor)) static void late(void)
{
    struct sigaction now;
    if (!installed)
        return;
    sigaction(own(), NULL, &now);
    fprintf(stderr, "helper: the signal is %s at exit\n",
            (now.sa_flags & SA_SIGINFO) && now.sa_sigaction == on_prof ? "mine" : "not mine");
}

JNIEXPORT void JNICALL Java_Helper_install(JNIEnv *env, jclass klass)
{
    install();
}

JNIEXPORT void JNICALL Java_Helper_ignore(JNIEnv *env, jclass klass)
{
    signal(own(), SIG_IGN);
}

/* The calling thread blocks the signal, or no longer. */
static void mask(int how)
{
    sigset_t profiling;
    sigemptyset(&profiling);
    sigaddset(&profiling, own());
    pthread_sigmask(how, &profiling, NULL);
}

JNIEXPORT void JNICALL Java_Helper_block(JNIEnv *env, jclass klass)
{
    mask(SIG_BLOCK);
}

JNIEXPORT void JNICALL Java_Helper_unblock(JNIEnv *env, jclass klass)
{
    mask(SIG_UNBLOCK);
}

/* Does the signal do what install() or ignore() have asked for? */
JNIEXPORT jboolean JNICALL Java_Helper_isMine(JNIEnv *env, jclass klass)
{
    struct sigaction now;
    sigaction(own(), NULL, &now);
    return (now.sa_flags & SA_SIGINFO) ? now.sa_sigaction == on_prof : now.sa_handler == SIG_IGN;
}

JNIEXPORT void JNICALL Java_Helper_stopTimer(JNIEnv *env, jclass klass)
{
    struct itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_PROF, &never, NULL);
}

JNIEXPORT jint JNICALL Java_Helper_fromTimer(JNIEnv *env, jclass klass)
{
    return atomic_load(&from_timer);
}

JNIEXPORT jint JNICALL Java_Helper_others(JNIEnv *env, jclass klass)
{
    return atomic_load(&others);
}

/* The kernel numbers a process's POSIX timers from 0 on. */
enum { TIMERS_MAX = 4096 };

/* All POSIX timers stand still, as they do when a signal is lost. How many there were. */
JNIEXPORT jint JNICALL Java_Helper_stopTimers(JNIEnv *env, jclass klass)
{
    const struct itimerspec never = {{0, 0}, {0, 0}};
    int count = 0;
    for (int i = 0; i < TIMERS_MAX; i++)
        count += syscall(SYS_timer_settime, i, 0, &never, NULL) == 0;
    return count;
}

/* How many are going. */
JNIEXPORT jint JNICALL Java_Helper_timersGoing(JNIEnv *env, jclass klass)
{
    struct itimerspec now;
    int count = 0;
    for (int i = 0; i < TIMERS_MAX; i++)
        count += syscall(SYS_timer_gettime, i, &now) == 0 &&
                 (now.it_interval.tv_sec != 0 || now.it_interval.tv_nsec != 0);
    return count;
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* `count` children, each of them uses 20 ms of CPU time and ends with status 7; how many did. */
JNIEXPORT jint JNICALL Java_Helper_fork(JNIEnv *env, jclass klass, jint count)
{
    int good = 0;
    for (int i = 0; i < count; i++) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            double end = cpu_seconds() + 0.02;
            while (cpu_seconds() < end)
                continue;
            _exit(7);
        }
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
        good += WIFEXITED(status) && WEXITSTATUS(status) == 7;
    }
    return good;
}

static int pipe_ends[2];

/* A byte each 20 ms, `count` times; then the end of the file. */
JNIEXPORT void JNICALL Java_Helper_write(JNIEnv *env, jclass klass, jint count)
{
    struct timespec pause = {0, 20000000};
    for (int i = 0; i < count; i++) {
        while (nanosleep(&pause, &pause) != 0)
            continue;
        pause.tv_nsec = 20000000;
        if (write(pipe_ends[1], "x", 1) != 1)
            abort();
    }
    close(pipe_ends[1]);
}

JNIEXPORT void JNICALL Java_Helper_pipe(JNIEnv *env, jclass klass)
{
    if (pipe(pipe_ends) != 0)
        abort();
}

/* Reads to the end; the bytes, or minus the number of reads that were interrupted. */
JNIEXPORT jint JNICALL Java_Helper_read(JNIEnv *env, jclass klass)
{
    int bytes = 0, interrupted = 0;
    char byte;
    for (;;) {
        ssize_t n = read(pipe_ends[0], &byte, 1);
        if (n == 0)
            return interrupted ? -interrupted : bytes;
        if (n == 1)
            bytes++;
        else if (errno == EINTR)
            interrupted++;
        else
            abort();
    }
}
