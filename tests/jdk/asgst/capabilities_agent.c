/*
 * capabilities_agent.c - asks for the capabilities in a signal handler that interrupts the library
 * itself, while it looks for a VM that is not ready.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <asgst.h>
#include <jvmti.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

enum { WANTED = 2000 };

static volatile sig_atomic_t answered, wrong;

static void on_alarm(int sig)
{
    answered++;
    wrong += (ASGST_Capabilities() & ASGST_REGISTER_QUEUE) == 0;
}

static void on_element(ASGST_Iterator *it, void *queue_arg, void *arg)
{
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
    struct sigaction action;
    struct itimerval timer = {{0, 50}, {0, 50}};
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_alarm;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    int queues = 0;
    while (answered < WANTED)
        queues += ASGST_RegisterQueue(NULL, 1, 0, on_element, NULL) != NULL;
    memset(&timer, 0, sizeof(timer));
    setitimer(ITIMER_REAL, &timer, NULL);
    printf("%s: %d queues, %d wrong\n", queues == 0 && wrong == 0 ? "ok" : "not ok", queues,
           (int)wrong);
    fflush(stdout);
    return JNI_OK;
}
