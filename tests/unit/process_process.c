/*
 * process_process.c - a process that a tracer holds, briefly or for long.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/process.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cmocka_all.h"

/* A tracer must be one thread from its first request to its last. */
struct tracer {
    pid_t pid;
    bool is_brief;
    bool has_held; /* the process was held when the other thread looked first */
    sem_t holds, may_go;
};

static void *trace(void *arg)
{
    struct tracer *t = arg;
    int status;
    t->has_held = ptrace(PTRACE_SEIZE, t->pid, NULL, NULL) == 0 &&
                  ptrace(PTRACE_INTERRUPT, t->pid, NULL, NULL) == 0 &&
                  waitpid(t->pid, &status, __WALL) == t->pid;
    sem_post(&t->holds);
    if (t->has_held && t->is_brief)
        usleep(50000);
    else
        sem_wait(&t->may_go);
    ptrace(PTRACE_DETACH, t->pid, NULL, NULL);
    return NULL;
}

/* The lasting state of a process that was held when it was read. */
static char state_of_held(bool is_brief)
{
    struct tracer t = {.pid = fork(), .is_brief = is_brief};
    pthread_t thread;
    struct process p;
    if (t.pid == 0)
        for (;;)
            pause();
    assert_true(t.pid > 0);
    sem_init(&t.holds, 0, 0);
    sem_init(&t.may_go, 0, 0);
    assert_int_equal(pthread_create(&thread, NULL, trace, &t), 0);
    sem_wait(&t.holds);
    if (t.has_held) {
        assert_int_equal(process_read(t.pid, &p), 0);
        p.state = 't'; /* as it was when the tracer began; a brief one may have let it go again */
    }
    char state = t.has_held ? process_lasting_state(&p) : '\0';
    sem_post(&t.may_go);
    pthread_join(thread, NULL);
    kill(t.pid, SIGKILL);
    waitpid(t.pid, NULL, 0);
    if (!t.has_held)
        skip();
    return state;
}

static void a_process_that_is_held_briefly_is_not_stopped(void **state)
{
    (void)state;
    char found = state_of_held(true);
    assert_true(found == 'S' || found == 'R');
}

static void a_process_that_stays_held_is(void **state)
{
    (void)state;
    assert_int_equal(state_of_held(false), 't');
}

static void a_process_that_goes_meanwhile_has_gone(void **state)
{
    (void)state;
    struct process p = {.pid = fork(), .state = 't'};
    if (p.pid == 0)
        _exit(0);
    waitpid(p.pid, NULL, 0);
    assert_int_equal(process_lasting_state(&p), 'X');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_that_is_held_briefly_is_not_stopped),
        cmocka_unit_test(a_process_that_stays_held_is),
        cmocka_unit_test(a_process_that_goes_meanwhile_has_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
