/*
 * asgst_helper.c - see asgst_helper.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "asgst/asgst_helper.h"
#include <asgst_ready.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "asgst/asgst_code.h"
#include "asgst/asgst_vm.h"
#include "safe/bell.h"
#include "safe/clock.h"

enum {
    STACK_BYTES = 512 << 10,
    STARTING_MS = 1,
    SLOW_START_MS = 20, /* how often the thread looks for the VM after SLOW_AFTER looks */
    SLOW_AFTER = 10000,
    COMPLETE_MS = 20,
    IDLE_MS = 1000,
    /* The time from a ring of the bell to the look at the queues. A handler rings before it
     * returns, and the element that it appended belongs to it until it has returned. */
    NAP_NS = 2000000,
};

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t works_lock = PTHREAD_MUTEX_INITIALIZER;
/* a new work becomes the head of the list; no work is removed */
static struct asgst_helper_work *_Atomic works;
static bool is_running;
static struct bell wake;
static atomic_int is_stopping;
static atomic_int is_calling; /* the thread is inside a work, which may call user code */
static _Atomic pid_t self_tid;

static uint32_t sooner(uint32_t a_ms, uint32_t b_ms)
{
    return b_ms != 0 && b_ms < a_ms ? b_ms : a_ms;
}

/* Run all works. Returns after how many ms the first of them is to run again. */
static uint32_t do_works(void)
{
    uint32_t wait_ms = IDLE_MS;
    atomic_store(&is_calling, 1);
    for (struct asgst_helper_work *w = atomic_load(&works); w && !atomic_load(&is_stopping);
         w = w->next)
        wait_ms = sooner(wait_ms, w->run());
    atomic_store(&is_calling, 0);
    return wait_ms;
}

static void *run(void *unused)
{
    enum asgst_vm_state vm = ASGST_VM_NONE;
    atomic_store(&self_tid, (pid_t)syscall(SYS_gettid));
    for (unsigned looks = 0; !atomic_load(&is_stopping); looks++) {
        vm = asgst_vm_try();
        if (vm == ASGST_VM_READY || vm == ASGST_VM_UNKNOWN)
            break;
        bell_wait(&wake, looks < SLOW_AFTER ? STARTING_MS : SLOW_START_MS);
    }
    while (vm == ASGST_VM_READY && !atomic_load(&is_stopping)) {
        uint32_t wait_ms = do_works();
        if (!asgst_vm_complete())
            wait_ms = sooner(wait_ms, COMPLETE_MS);
        asgst_code_refresh();
        if (bell_wait(&wake, wait_ms))
            nanosleep(&(struct timespec){0, NAP_NS}, NULL);
    }
    return NULL;
}

static int start(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t all, old;
    int error = pthread_attr_init(&attr);
    if (error != 0)
        return -error;
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    /* A guarded load that fails raises one of these two signals, which must reach its handler. */
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    error = pthread_create(&thread, &attr, run, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return -error;
}

int asgst_helper_start(void)
{
    int error = 0;
    pthread_mutex_lock(&start_lock);
    if (!is_running) {
        error = start();
        is_running = error == 0;
    }
    pthread_mutex_unlock(&start_lock);
    return error;
}

void asgst_helper_wake(void)
{
    bell_ring(&wake);
}

bool asgst_helper_is_self(void)
{
    pid_t tid = atomic_load(&self_tid);
    return tid != 0 && tid == (pid_t)syscall(SYS_gettid);
}

/* Stop the thread at exit(). stop() runs before the destructors of the library that registered a
 * handler, because it was registered with atexit() after them. */
static void stop(void)
{
    struct timespec pause = {0, NS_PER_MS};
    atomic_store(&is_stopping, 1);
    for (int ms = 0; ms < 2000 && atomic_load(&is_calling) && !asgst_helper_is_self(); ms++)
        nanosleep(&pause, NULL);
}

void asgst_helper_add(struct asgst_helper_work *work)
{
    static bool is_registered;
    pthread_mutex_lock(&works_lock);
    if (!is_registered)
        is_registered = atexit(stop) == 0;
    if (!work->is_added) {
        work->is_added = true;
        work->next = atomic_load(&works);
        atomic_store(&works, work);
    }
    pthread_mutex_unlock(&works_lock);
}

/* Start the thread if a VM is in this process, or will be soon. */
__attribute__((constructor)) static void begin(void)
{
    if (asgst_code_is_mapped("libjvm.so") || asgst_code_is_mapped("libjli.so"))
        asgst_helper_start();
}

/* ---- wait until walks work */

int ASGST_WaitUntilReady(int timeout_ms)
{
    if (asgst_helper_start() < 0)
        return 0;
    for (int ms = 0;; ms++) {
        enum asgst_vm_state vm = asgst_vm_try();
        if (vm == ASGST_VM_READY || vm == ASGST_VM_UNKNOWN)
            return vm == ASGST_VM_READY ? 1 : -1;
        if (timeout_ms >= 0 && ms >= timeout_ms)
            return 0;
        nanosleep(&(struct timespec){0, NS_PER_MS}, NULL);
    }
}
