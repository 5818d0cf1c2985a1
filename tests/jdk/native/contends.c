/*
 * contends.c - waits for locks of native code with known counts, for event=nativelock.
 *
 * Each function below makes one thread wait for another COUNT times, 20 ms and more each time, in
 * the way that its name says. The Java thread that calls it is the one that waits; the owner is a
 * thread of this library, or, in Contends.owned(), the other Java thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <jni.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { HOLD_MS = 20 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore, held;

static void pause_ms(int ms)
{
    struct timespec t = {.tv_nsec = ms * 1000000L};
    while (nanosleep(&t, &t) != 0)
        ;
}

static volatile int waiter; /* number of the thread that is about to wait; 0: none */

/* Until the thread that is about to wait does so, and then some more. */
static void hold(void)
{
    char path[64], text[512];
    ssize_t len = 0;
    sem_post(&held);
    while (waiter == 0)
        pause_ms(1);
    snprintf(path, sizeof(path), "/proc/self/task/%d/stat", waiter);
    for (char *state = NULL; !state || state[2] != 'S';) {
        int fd = open(path, O_RDONLY);
        len = read(fd, text, sizeof(text) - 1);
        close(fd);
        text[len > 0 ? len : 0] = '\0';
        state = strrchr(text, ')');
    }
    pause_ms(HOLD_MS);
}

static void about_to_wait(void)
{
    while (sem_trywait(&held) != 0) /* no wait that is seen */
        pause_ms(1);
    waiter = (int)syscall(SYS_gettid);
}

enum way { MUTEX, READ, WRITE, CONDITION, SEMAPHORE };

static void *holder(void *arg)
{
    switch (*(enum way *)arg) {
    case MUTEX:
        pthread_mutex_lock(&mutex);
        hold();
        pthread_mutex_unlock(&mutex);
        break;
    case READ:
    case WRITE:
        pthread_rwlock_wrlock(&rwlock);
        hold();
        pthread_rwlock_unlock(&rwlock);
        break;
    case CONDITION:
        hold();
        pthread_mutex_lock(&other);
        pthread_cond_signal(&condition);
        pthread_mutex_unlock(&other);
        break;
    case SEMAPHORE:
        hold();
        sem_post(&semaphore);
    }
    return NULL;
}

static void once(enum way way)
{
    pthread_t thread;
    if (way == CONDITION)
        pthread_mutex_lock(&other);
    if (pthread_create(&thread, NULL, holder, &way) != 0)
        _exit(3);
    about_to_wait();
    switch (way) {
    case MUTEX:
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
        break;
    case READ:
        pthread_rwlock_rdlock(&rwlock);
        pthread_rwlock_unlock(&rwlock);
        break;
    case WRITE:
        pthread_rwlock_wrlock(&rwlock);
        pthread_rwlock_unlock(&rwlock);
        break;
    case CONDITION:
        pthread_cond_wait(&condition, &other);
        pthread_mutex_unlock(&other);
        break;
    case SEMAPHORE:
        while (sem_wait(&semaphore) != 0)
            ;
    }
    waiter = 0;
    pthread_join(thread, NULL);
}

JNIEXPORT void JNICALL Java_Contends_way(JNIEnv *env, jclass klass, jint way, jint count)
{
    sem_init(&semaphore, 0, 0);
    sem_init(&held, 0, 0);
    for (int i = 0; i < count; i++)
        once((enum way)way);
}

/* Takes the mutex, which nobody has, and gives it back. */
JNIEXPORT void JNICALL Java_Contends_free(JNIEnv *env, jclass klass, jint count)
{
    for (int i = 0; i < count; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

/* What hooks must leave as it is: the results and errno of calls that fail, and a recursive lock.
 * Returns a text that says what was wrong; "" if nothing was. */
JNIEXPORT jstring JNICALL Java_Contends_check(JNIEnv *env, jclass klass)
{
    pthread_mutexattr_t attributes;
    pthread_mutex_t checked, again;
    struct timespec past = {0}, soon;
    const char *wrong = "";
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checked, &attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&again, &attributes);
    errno = 77;
    if (pthread_mutex_lock(&checked) != 0 || pthread_mutex_lock(&checked) != EDEADLK)
        wrong = "a mutex that checks errors";
    if (pthread_mutex_lock(&again) != 0 || pthread_mutex_lock(&again) != 0 ||
        pthread_mutex_unlock(&again) != 0 || pthread_mutex_unlock(&again) != 0)
        wrong = "a recursive mutex";
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec++;
    if (pthread_mutex_timedlock(&checked, &soon) != EDEADLK)
        wrong = "a timed lock";
    sem_init(&semaphore, 0, 0);
    if (errno != 77)
        wrong = "errno of a mutex";
    if (sem_timedwait(&semaphore, &past) != -1 || errno != ETIMEDOUT)
        wrong = "a semaphore in the past";
    sem_post(&semaphore);
    errno = 78;
    if (sem_wait(&semaphore) != 0 || errno != 78)
        wrong = "errno of a semaphore";
    pthread_mutex_lock(&other);
    if (pthread_cond_timedwait(&condition, &other, &past) != ETIMEDOUT)
        wrong = "a condition in the past";
    pthread_mutex_unlock(&other);
    pthread_mutex_unlock(&checked);
    return (*env)->NewStringUTF(env, wrong);
}

/* One Java thread has the mutex while another one waits for it. */
JNIEXPORT void JNICALL Java_Contends_hold(JNIEnv *env, jclass klass)
{
    pthread_mutex_lock(&mutex);
    hold();
    pthread_mutex_unlock(&mutex);
}

JNIEXPORT void JNICALL Java_Contends_take(JNIEnv *env, jclass klass)
{
    about_to_wait();
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    waiter = 0;
}
