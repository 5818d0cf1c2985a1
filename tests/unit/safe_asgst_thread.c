/*
 * safe_asgst_thread.c - the threads of a VM, in lists as HotSpot keeps them before and since
 * JDK 10. SPDX-License-Identifier: Apache-2.0
 */
#include "safe/asgst_thread.h"
#include "cmocka_all.h"
#include "safe/mem_self.h"
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { THREADS = 3, KEYS_BEFORE = 40 };

/* What a JavaThread and a ThreadsList are to us. */
static struct thread {
    uint64_t object, next, osthread;
} threads[THREADS];
static struct osthread {
    uint64_t pthread_id;
    int32_t tid;
} osthreads[THREADS];
static uint64_t array[THREADS], first;
static struct {
    uint64_t threads;
    uint32_t length;
} list;
static uint64_t list_at;

static int read_here(struct mem *m, uint64_t addr, void *dst, size_t len)
{
    (void)m;
    memcpy(dst, (const void *)addr, len);
    return 0;
}
static const struct mem_ops here_ops = {.read = read_here};
static struct mem here = {.ops = &here_ops};

/* All with an object. */
static struct hs_layout layout_of(bool has_smr)
{
    struct hs_layout l = {
        .thread_object = offsetof(struct thread, object),
        .thread_next = offsetof(struct thread, next),
        .thread_osthread = offsetof(struct thread, osthread),
        .osthread_id = offsetof(struct osthread, tid),
        .osthread_pthread = offsetof(struct osthread, pthread_id),
        .thread_list = (uint64_t)&first,
        .smr_thread_list = has_smr ? (uint64_t)&list_at : 0,
    };
    l.smr_threads = (int32_t)((char *)&list.threads - (char *)&list);
    l.smr_length = (int32_t)((char *)&list.length - (char *)&list);
    list_at = (uint64_t)&list;
    list.threads = (uint64_t)array;
    list.length = THREADS;
    first = (uint64_t)&threads[0];
    for (int i = 0; i < THREADS; i++) {
        threads[i].object = 1;
        threads[i].osthread = (uint64_t)&osthreads[i];
        threads[i].next = i + 1 < THREADS ? (uint64_t)&threads[i + 1] : 0;
        array[i] = (uint64_t)&threads[i];
    }
    return l;
}

static uint32_t count(const struct hs_layout *l, uint32_t max)
{
    struct mem_view v = {.mem = &here};
    return asgst_thread_count(&v, l, max);
}

static void threads_are_counted_up_to_the_limit(void **state)
{
    (void)state;
    for (int has_smr = false; has_smr < 2; has_smr++) {
        struct hs_layout l = layout_of(has_smr);
        assert_int_equal(count(&l, 100), THREADS);
        assert_int_equal(count(&l, 2), 2);
    }
}

static void a_thread_that_has_no_object_yet_does_not_count(void **state)
{
    (void)state;
    for (int has_smr = false; has_smr < 2; has_smr++) {
        struct hs_layout l = layout_of(has_smr);
        threads[0].object = threads[1].object = 0;
        assert_int_equal(count(&l, 2), 1);
        threads[0].object = 1;
        assert_int_equal(count(&l, 2), 2);
    }
}

/* The calling thread is the JavaThread of this number, as far as the VM's structures say. */
static void *become(int number)
{
    osthreads[number] = (struct osthread){.pthread_id = (uint64_t)pthread_self(),
                                          .tid = (int32_t)syscall(SYS_gettid)};
    return &threads[number];
}

static struct hs_layout stepped_layout;
static volatile uint64_t steps, wrong_answers;

/* Called at each instruction: the answer is this thread's JavaThread, or none where the value has
 * not been stored yet. */
static void ask(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info, (void)context;
    uint64_t thread = asgst_thread_current(&here, &stepped_layout);
    steps++;
    if (thread != 0 && thread != (uint64_t)&threads[1])
        wrong_answers++;
}

#ifdef __x86_64__
enum { TRAP_FLAG = 0x100 };

static void step(int number, siginfo_t *info, void *context)
{
    ucontext_t *interrupted = context;
    (void)info;
    if (number == SIGUSR1)
        interrupted->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
    else
        interrupted->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

static void *set_stepwise(void *key)
{
    void *thread = become(1);
    raise(SIGUSR1);
    int error = pthread_setspecific(*(pthread_key_t *)key, thread);
    raise(SIGUSR2);
    return error == 0 ? pthread_getspecific(*(pthread_key_t *)key) : NULL;
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&action.sa_mask);
    assert_int_equal(sigaction(number, &action, NULL), 0);
}

/* A key that is used for the second time: its slots in new threads have another sequence number
 * than the key. */
static pthread_key_t used_key(void)
{
    pthread_key_t key;
    assert_int_equal(pthread_key_create(&key, NULL), 0);
    assert_int_equal(pthread_key_delete(key), 0);
    assert_int_equal(pthread_key_create(&key, NULL), 0);
    return key;
}

static void check_key(pthread_key_t key)
{
    pthread_t stepped;
    void *value;
    memset(osthreads, 0, sizeof(osthreads));
    stepped_layout = layout_of(1);
    assert_int_equal(pthread_setspecific(key, become(0)), 0);
    assert_true(asgst_thread_find_slot(&mem_self, &stepped_layout));
    assert_int_equal(asgst_thread_current(&here, &stepped_layout), (uint64_t)&threads[0]);
    steps = wrong_answers = 0;
    assert_int_equal(pthread_create(&stepped, NULL, set_stepwise, &key), 0);
    assert_int_equal(pthread_join(stepped, &value), 0);
    assert_true(steps > 10);
    assert_int_equal(wrong_answers, 0);
    assert_ptr_equal(value, &threads[1]);
    assert_int_equal(pthread_setspecific(key, NULL), 0);
    assert_int_equal(asgst_thread_current(&here, &stepped_layout), 0);
}

/* glibc keeps the first 32 keys in the thread's own structure, the others in tables beside it. */
static void asking_at_each_instruction_of_a_set_takes_nothing_from_the_vm(void **state)
{
    (void)state;
    handle(SIGTRAP, ask);
    handle(SIGUSR1, step);
    handle(SIGUSR2, step);
    pthread_key_t key = used_key();
    check_key(key);
    for (int i = 0; i < KEYS_BEFORE; i++) {
        pthread_key_t other;
        assert_int_equal(pthread_key_create(&other, NULL), 0);
    }
    check_key(used_key());
}
#else
static void asking_at_each_instruction_of_a_set_takes_nothing_from_the_vm(void **state)
{
    (void)state, (void)ask;
    print_message("no single steps on this CPU\n");
    skip();
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(asking_at_each_instruction_of_a_set_takes_nothing_from_the_vm),
        cmocka_unit_test(threads_are_counted_up_to_the_limit),
        cmocka_unit_test(a_thread_that_has_no_object_yet_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
