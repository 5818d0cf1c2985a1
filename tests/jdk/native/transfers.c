/*
 * transfers.c - calls for files and sockets with known numbers of bytes, for event=io. Each
 * function reads and writes in a C function of its own name. SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <jni.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "imports/imports_library.c" /* the folder is an option of the compiler */
#include "hooked.h"

#define APART __attribute__((noinline, noclone))

enum { BYTES = 1000, COUNT = 100, MESSAGES = 4 };

static char block[BYTES];
static int file, other;

static void expect(bool is_right)
{
    if (!is_right)
        abort();
}

static void sleep_ms(long ms)
{
    const struct timespec time = {.tv_nsec = ms * 1000000};
    nanosleep(&time, NULL);
}

APART void transfers_plain(void)
{
    for (int i = 0; i < COUNT; i++) {
        expect(pwrite(file, block, BYTES, (off_t)i * BYTES) == BYTES);
        expect(pread(file, block, BYTES, (off_t)i * BYTES) == BYTES);
    }
}

APART void transfers_vectors(void)
{
    const struct iovec two[] = {{block, BYTES / 2}, {block + BYTES / 2, BYTES / 2}};
    for (int i = 0; i < COUNT; i++) {
        expect(pwritev(file, two, 2, 0) == BYTES);
        expect(preadv(file, two, 2, 0) == BYTES);
    }
}

APART void transfers_messages(void)
{
    int pair[2];
    struct iovec part = {block, BYTES / MESSAGES};
    struct mmsghdr some[MESSAGES] = {0};
    struct msghdr one = {.msg_iov = &part, .msg_iovlen = 1};
    expect(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
    for (int i = 0; i < MESSAGES; i++)
        some[i].msg_hdr = one;
    for (int i = 0; i < COUNT / 2; i++) {
        expect(sendmmsg(pair[0], some, MESSAGES, 0) == MESSAGES);
        expect(recvmmsg(pair[1], some, MESSAGES, 0, NULL) == MESSAGES);
    }
    part.iov_len = BYTES;
    for (int i = 0; i < COUNT / 2; i++) {
        expect(sendmsg(pair[0], &one, 0) == BYTES);
        expect(recvmsg(pair[1], &one, 0) == BYTES);
    }
    close(pair[0]);
    close(pair[1]);
}

/* From a file by a pipe to another, and back by one call; a socket gets the same. */
APART void transfers_moved(void)
{
    int ends[2], pair[2];
    expect(pipe(ends) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    for (int i = 0; i < COUNT; i++) {
        loff_t from = 0, to = 0;
        off_t at = 0;
        expect(splice(file, &from, ends[1], NULL, BYTES, 0) == BYTES);
        expect(splice(ends[0], NULL, other, &to, BYTES, 0) == BYTES);
        expect(sendfile(pair[0], file, &at, BYTES) == BYTES);
        expect(recv(pair[1], block, BYTES, MSG_WAITALL) == BYTES);
        from = to = 0;
        expect(copy_file_range(file, &from, other, &to, BYTES, 0) == BYTES);
    }
    close(ends[0]);
    close(ends[1]);
    close(pair[0]);
    close(pair[1]);
}

/* Reads that find nothing are no calls. */
APART void transfers_refused(void)
{
    int ends[2];
    expect(pipe2(ends, O_NONBLOCK) == 0);
    for (int i = 0; i < COUNT; i++)
        expect(read(ends[0], block, BYTES) == -1 && errno == EAGAIN);
    close(ends[0]);
    close(ends[1]);
}

static void *apart(void *unused)
{
    transfers_plain();
    return unused;
}

APART void transfers_thread(void)
{
    pthread_t thread;
    expect(pthread_create(&thread, NULL, apart, NULL) == 0);
    pthread_join(thread, NULL);
}

/* A thread that blocks every signal, also those of faults. */
APART void transfers_masked(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    transfers_plain();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

APART void transfers_handler(int signal)
{
    int saved = errno;
    expect(pwrite(other, block, BYTES, 0) == BYTES);
    errno = saved;
}

static int blocking[2];
static pthread_t reader;

static void *disturb(void *unused)
{
    for (int i = 0; i < COUNT; i++) {
        pthread_kill(reader, SIGUSR2);
        sleep_ms(1);
        expect(write(blocking[1], block, BYTES) == BYTES);
    }
    return unused;
}

/* Handlers that write, by themselves and while the same thread waits in a read. */
APART void transfers_signals(void)
{
    struct sigaction action = {.sa_handler = transfers_handler}, before;
    pthread_t thread;
    sigaction(SIGUSR2, &action, &before);
    for (int i = 0; i < COUNT; i++)
        raise(SIGUSR2);
    expect(pipe(blocking) == 0);
    reader = pthread_self();
    expect(pthread_create(&thread, NULL, disturb, NULL) == 0);
    for (size_t got = 0; got < (size_t)COUNT * BYTES;) {
        ssize_t n = read(blocking[0], block, BYTES);
        expect(n > 0 || errno == EINTR);
        got += n > 0 ? (size_t)n : 0;
    }
    pthread_join(thread, NULL);
    sigaction(SIGUSR2, &before, NULL);
    close(blocking[0]);
    close(blocking[1]);
}

static sigjmp_buf away;

static void leave(int signal)
{
    siglongjmp(away, 1);
}

static void *interrupt(void *unused)
{
    sleep_ms(50);
    pthread_kill(reader, SIGUSR2);
    return unused;
}

/* A read that a handler leaves; then reads that end. */
APART void transfers_left(void)
{
    struct sigaction action = {.sa_handler = leave}, before;
    pthread_t thread;
    int ends[2];
    expect(pipe(ends) == 0);
    sigaction(SIGUSR2, &action, &before);
    reader = pthread_self();
    expect(pthread_create(&thread, NULL, interrupt, NULL) == 0);
    if (sigsetjmp(away, 1) == 0) {
        expect(read(ends[0], block, BYTES) > 0); /* never ends */
        abort();
    }
    pthread_join(thread, NULL);
    sigaction(SIGUSR2, &before, NULL);
    for (int i = 0; i < COUNT; i++)
        expect(pread(file, block, BYTES, 0) == BYTES);
    close(ends[0]);
    close(ends[1]);
}

static void *wait_for_ever(void *fd)
{
    expect(read(*(int *)fd, block, BYTES) > 0);
    return NULL;
}

/* Threads that are cancelled in a read: their stacks are unwound through the hook. */
APART void transfers_cancelled(void)
{
    int ends[2];
    expect(pipe(ends) == 0);
    for (int i = 0; i < 4; i++) {
        pthread_t thread;
        void *result;
        expect(pthread_create(&thread, NULL, wait_for_ever, &ends[0]) == 0);
        sleep_ms(20);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        expect(result == PTHREAD_CANCELED);
    }
    close(ends[0]);
    close(ends[1]);
}

/* What a forked child writes is not the program's. Returns whether the child ended well. */
APART int transfers_forked(void)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        transfers_plain();
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* Loads a library, which writes COUNT times, and unloads it, `count` times. */
APART int transfers_loaded(const char *path, int count)
{
    int well = 0, before = hooked();
    for (int i = 0; i < count; i++) {
        void *library = dlopen(path, RTLD_LAZY);
        int (*use)(int, int, int) =
            library ? (int (*)(int, int, int))dlsym(library, "late_write") : NULL;
        /* the agent finds the first; the others come and go before it does */
        for (int ms = 0; i == 0 && hooked() == before && ms < 20000; ms += 20)
            sleep_ms(20);
        well += use && use(other, COUNT, BYTES) == COUNT;
        if (library)
            dlclose(library);
    }
    return well;
}

JNIEXPORT jint JNICALL Java_Io_transfers(JNIEnv *env, jclass self, jstring path, jstring late,
                                         jint loads)
{
    const char *name = (*env)->GetStringUTFChars(env, path, NULL);
    const char *library = (*env)->GetStringUTFChars(env, late, NULL);
    int well;
    file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    other = open("other.bin", O_RDWR | O_CREAT | O_TRUNC, 0600);
    expect(file >= 0 && other >= 0);
    transfers_plain();
    transfers_vectors();
    transfers_messages();
    transfers_moved();
    transfers_refused();
    transfers_thread();
    transfers_masked();
    transfers_signals();
    transfers_left();
    transfers_cancelled();
    well = transfers_forked();
    well += transfers_loaded(library, loads);
    close(file);
    close(other);
    (*env)->ReleaseStringUTFChars(env, path, name);
    (*env)->ReleaseStringUTFChars(env, late, library);
    return well;
}

JNIEXPORT jint JNICALL Java_Io_hooked(JNIEnv *env, jclass self)
{
    return hooked();
}
