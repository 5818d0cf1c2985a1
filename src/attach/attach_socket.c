/*
 * attach_socket.c - see attach_socket.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "attach/attach_socket.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "safe/clock.h"

enum {
    FIRST_SLEEP_NS = 200 * 1000,
    LONGEST_SLEEP_NS = 20 * 1000 * 1000,
    SOCKET_NAME = 32,
    /* number of a system call that older headers lack; the same on every CPU */
    PIDFD_SEND_SIGNAL = 424,
};

static enum attach_cause failed(struct attach_socket *s, int error)
{
    s->error = -error;
    return ATTACH_SYSTEM;
}

/* Whether the process itself is at the other end of the connection, as the kernel says. */
static bool is_of_process(int fd, const struct process *p)
{
    struct ucred peer;
    socklen_t len = sizeof(peer);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0)
        return false;
    /* The pid is 0 if the peer is in a namespace of processes that we do not see. */
    return peer.uid == p->uid && (peer.pid == p->pid || peer.pid == 0);
}

static void put_name(const struct attach_socket *s, char name[SOCKET_NAME])
{
    snprintf(name, SOCKET_NAME, ".java_pid%d", (int)s->process.inner_pid);
}

bool attach_socket_is_there(const struct attach_socket *s)
{
    char name[SOCKET_NAME];
    struct stat st;
    put_name(s, name);
    return s->tmp >= 0 && fstatat(s->tmp, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

bool attach_socket_is_interrupted(const struct attach_socket *s)
{
    sigset_t pending;
    if (!s->ending || sigpending(&pending) != 0)
        return false;
    for (int number = 1; number < NSIG; number++)
        if (sigismember(s->ending, number) == 1 && sigismember(&pending, number) == 1)
            return true;
    return false;
}

/*
 * Connect. If the JVM's queue of connections is full, connect() fails with EAGAIN, and is tried
 * again.
 * Errors: 0, errno; EINTR: a signal is to end the wait.
 */
static int connect_in_time(const struct attach_socket *s, int fd, const struct sockaddr_un *to)
{
    static const struct timespec pause = {.tv_nsec = LONGEST_SLEEP_NS};
    uint64_t start = clock_monotonic_ns();
    while (connect(fd, (const struct sockaddr *)to, sizeof(*to)) != 0) {
        if (errno != EAGAIN || clock_monotonic_ns() - start >= s->timeout_ns)
            return errno;
        if (attach_socket_is_interrupted(s))
            return EINTR;
        nanosleep(&pause, NULL);
    }
    return 0;
}

enum attach_cause attach_socket_connect(struct attach_socket *s, int *ret_fd)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char name[SOCKET_NAME];
    struct stat st;
    if (s->tmp < 0)
        return ATTACH_NO_SOCKET;
    put_name(s, name);
    if (fstatat(s->tmp, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? ATTACH_NO_SOCKET : failed(s, errno);
    if (!S_ISSOCK(st.st_mode) || st.st_uid != s->process.uid)
        return ATTACH_OTHER_OWNER;
    snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/%s", s->tmp, name);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return failed(s, errno);
    int error = connect_in_time(s, fd, &address);
    if (error != 0) {
        close(fd);
        if (error == EAGAIN || error == EINTR)
            return error == EAGAIN ? ATTACH_NO_ANSWER : ATTACH_INTERRUPTED;
        if (error != ECONNREFUSED && error != ENOENT)
            return failed(s, error);
        /* The socket was left by a JVM that was killed. The process that has its number now makes a
         * new one. */
        if (error == ECONNREFUSED)
            (void)unlinkat(s->tmp, name, 0);
        return ATTACH_NO_SOCKET;
    }
    if (!is_of_process(fd, &s->process)) {
        close(fd);
        return ATTACH_OTHER_OWNER;
    }
    *ret_fd = fd;
    return ATTACH_OK;
}

/* Whether the JVM's user owns the trigger file. A file can have another owner on a network file
 * system or in a namespace of users. The JVM ignores such a file and would print its threads
 * instead. Closes `fd`. */
static bool is_own_trigger(const struct attach_socket *s, int fd)
{
    struct stat st;
    bool is_own = fstat(fd, &st) == 0 && st.st_uid == s->process.uid;
    close(fd);
    return is_own;
}

/* Make the trigger file. The JVM looks into its working folder first. Returns the folder that has
 * the file now, or -1. */
static int make_trigger(struct attach_socket *s, const char *name)
{
    const int folders[] = {s->cwd, s->tmp};
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        if (folders[i] < 0)
            continue;
        int flags = O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC;
        int fd = openat(folders[i], name, flags, 0600);
        if (fd < 0 && errno == EEXIST && unlinkat(folders[i], name, 0) == 0)
            /* the old file was left by a tool that was killed */
            fd = openat(folders[i], name, flags, 0600);
        if (fd < 0) {
            s->error = -errno;
            continue;
        }
        if (is_own_trigger(s, fd))
            return folders[i];
        s->error = -EPERM;
        (void)unlinkat(folders[i], name, 0);
    }
    return -1;
}

static int send_quit(struct attach_socket *s)
{
    s->quits++;
    if (s->pidfd >= 0 && syscall(PIDFD_SEND_SIGNAL, s->pidfd, SIGQUIT, NULL, 0) == 0)
        return 0;
    /* The kernel has no such call, or a filter of system calls refuses it. */
    if (s->pidfd < 0 || errno == ENOSYS || errno == EPERM)
        return kill(s->process.pid, SIGQUIT);
    return -1;
}

bool attach_socket_tmp_is_writable(const struct attach_socket *s)
{
    struct statvfs st;
    return s->tmp >= 0 && fstatvfs(s->tmp, &st) == 0 && (st.f_flag & ST_RDONLY) == 0;
}

static enum attach_cause wait_for_socket(struct attach_socket *s, int *ret_fd)
{
    struct timespec sleep = {.tv_nsec = FIRST_SLEEP_NS};
    uint64_t start = clock_monotonic_ns();
    bool is_repeated = false;
    for (;;) {
        enum attach_cause cause = attach_socket_connect(s, ret_fd);
        if (cause != ATTACH_NO_SOCKET)
            return cause;
        if (attach_socket_is_interrupted(s))
            return ATTACH_INTERRUPTED;
        uint64_t passed = clock_monotonic_ns() - start;
        if (passed >= s->timeout_ns)
            return attach_socket_tmp_is_writable(s) ? ATTACH_NO_SOCKET : ATTACH_TMP_READ_ONLY;
        if (passed >= s->timeout_ns / 2 && !is_repeated) {
            is_repeated = true;
            if (send_quit(s) != 0)
                return ATTACH_GONE;
        }
        nanosleep(&sleep, NULL);
        sleep.tv_nsec = sleep.tv_nsec * 2 < LONGEST_SLEEP_NS ? sleep.tv_nsec * 2 : LONGEST_SLEEP_NS;
    }
}

enum attach_cause attach_socket_ask(struct attach_socket *s, int *ret_fd)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    enum attach_cause cause;
    const sigset_t *callers = s->ending;
    sigset_t ending, before;
    char name[32];

    /* The JVM would remove the trigger file and never make its socket. */
    if (!attach_socket_tmp_is_writable(s))
        return ATTACH_TMP_READ_ONLY;
    sigemptyset(&ending);
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        sigaddset(&ending, ends[i]);
    /* After Ctrl-C the user waits only until the trigger file is removed. */
    sigprocmask(SIG_BLOCK, &ending, &before);
    s->ending = &ending;
    snprintf(name, sizeof(name), ".attach_pid%d", (int)s->process.inner_pid);
    int folder = make_trigger(s, name);
    if (folder < 0)
        cause = ATTACH_TMP_FULL;
    else if (send_quit(s) != 0)
        cause = errno == ESRCH ? ATTACH_GONE : ATTACH_NOT_PERMITTED;
    else
        cause = wait_for_socket(s, ret_fd);
    if (folder >= 0)
        (void)unlinkat(folder, name, 0);
    s->ending = callers;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return cause;
}
