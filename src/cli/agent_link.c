/*
 * agent_link.c - see agent_link.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/agent_link.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>
#include "base/err.h"
#include "cli/asking.h"
#include "cli/cmd.h"
#include "cli/jvm_target.h"
#include "cli/say.h"
#include "process/process_folder.h"

enum {
    COPY_BYTES = 256 * 1024,
    NAME_BYTES = 64,
    COMMAND_BYTES = 8192,
    ENDING_MS = 2000, /* between the end of a JVM's socket and its own */
};

static const char library_name[] = "libhprof.so";
static const char *const folders[] = {"tmp", "var/tmp", "dev/shm"};

/* Whether the JVM sees that very file under the same name, and its user, who we are now, may read
 * it. */
static bool sees_file(const struct attach *a, const char *path)
{
    struct stat ours, theirs;

    return stat(path, &ours) == 0 && fstatat(a->root, path + 1, &theirs, 0) == 0 &&
           ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino &&
           faccessat(a->root, path + 1, R_OK, AT_EACCESS) == 0;
}

/* What tells one build of the library from another: its bytes, summed up. */
static uint64_t sum_of(int fd)
{
    unsigned char *bytes = malloc(COPY_BYTES);
    uint64_t sum = 1469598103934665603u;

    for (ssize_t n; bytes && (n = read(fd, bytes, COPY_BYTES)) > 0;)
        for (ssize_t i = 0; i < n; i++)
            sum = (sum ^ bytes[i]) * 1099511628211u;
    free(bytes);
    return sum;
}

static int copy_bytes(int from, int to)
{
    unsigned char *bytes = malloc(COPY_BYTES);
    int error = bytes ? 0 : -ENOMEM;

    if (lseek(from, 0, SEEK_SET) != 0)
        error = -errno;
    for (ssize_t n; error == 0 && (n = read(from, bytes, COPY_BYTES)) != 0;) {
        ssize_t at = 0;
        for (ssize_t w; n > 0 && at < n && (w = write(to, bytes + at, (size_t)(n - at))) > 0;)
            at += w;
        if (n < 0 || at < n)
            error = errno != 0 ? -errno : -EIO;
    }
    free(bytes);
    return error;
}

/* A folder of the JVM's user alone, made or found. A link, or what is another's, is refused. */
static int open_own_folder(int parent, const char *name, uid_t uid)
{
    struct stat st;

    if (mkdirat(parent, name, 0700) != 0 && errno != EEXIST)
        return -errno;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) == 0 && st.st_uid == uid && (st.st_mode & 022) == 0)
        return fd;
    close(fd);
    return -EACCES;
}

/* Copies the library into `folder` unless it is there. A copy gets its name when it is whole. */
static int place_in(int folder, int library, uid_t uid)
{
    struct stat st, ours;
    char name[NAME_BYTES];

    if (fstat(library, &ours) != 0)
        return -errno;
    if (fstatat(folder, library_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        return S_ISREG(st.st_mode) && st.st_uid == uid && st.st_size == ours.st_size ? 0 : -EEXIST;
    snprintf(name, sizeof(name), ".new-%d", (int)getpid());
    int fd = openat(folder, name, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0700);
    if (fd < 0)
        return -errno;
    int error = copy_bytes(library, fd);
    if (close(fd) != 0 && error == 0)
        error = -errno;
    if (error == 0 && renameat(folder, name, folder, library_name) != 0)
        error = -errno;
    if (error < 0)
        (void)unlinkat(folder, name, 0);
    return error;
}

static int place_below(struct agent_link *l, const char *where, int library, uint64_t sum)
{
    const struct process *p = &l->attach->socket.process;
    char own[NAME_BYTES], build[NAME_BYTES];
    struct statvfs st;
    int parent = process_folder_open(l->attach->root, where), mine, folder, error;

    if (parent < 0)
        return parent;
    snprintf(own, sizeof(own), ".hprof-%u", (unsigned)p->uid);
    snprintf(build, sizeof(build), "%016llx", (unsigned long long)sum);
    snprintf(l->library, sizeof(l->library), "/%s/%s/%s/%s", where, own, build, library_name);
    if (fstatvfs(parent, &st) != 0 || (st.f_flag & (ST_NOEXEC | ST_RDONLY)) != 0) {
        close(parent);
        return -EROFS;
    }
    mine = open_own_folder(parent, own, p->uid);
    folder = mine < 0 ? mine : open_own_folder(mine, build, p->uid);
    error = folder < 0 ? folder : place_in(folder, library, p->uid);
    close(parent);
    if (mine >= 0)
        close(mine);
    if (folder >= 0)
        close(folder);
    return error;
}

static int place(struct agent_link *l, const char *library)
{
    int error = -ENOENT, fd;

    if (sees_file(l->attach, library)) {
        snprintf(l->library, sizeof(l->library), "%s", library);
        return 0;
    }
    (void)process_ids_back(&l->attach->before);
    fd = open(library, O_RDONLY | O_CLOEXEC);
    int open_error = errno;
    if (process_ids_take(&l->attach->socket.process, &l->attach->before) < 0 || fd < 0) {
        say("%s: cannot read the agent library %s: %s", jvm_target_name(l->jvm), library,
            strerror(open_error));
        if (fd >= 0)
            close(fd);
        return CMD_FAILED;
    }
    uint64_t sum = sum_of(fd);
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && error < 0; i++)
        error = place_below(l, folders[i], fd, sum);
    close(fd);
    if (error == 0)
        return 0;
    say("%s: the agent library cannot be put where the JVM finds it: none of its /tmp, /var/tmp "
        "and /dev/shm"
        " can be written by its user and have programs run from it: %s",
        jvm_target_name(l->jvm), err_text(error));
    return CMD_FAILED;
}

static uint64_t make_nonce(void)
{
    struct timespec now;
    uint64_t nonce;

    if (getrandom(&nonce, sizeof(nonce), 0) == sizeof(nonce))
        return nonce;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec;
}

static bool find_loaded(struct agent_link *l, struct attach *a, const struct jvm *jvm)
{
    char *path = NULL;

    *l = (struct agent_link){.attach = a, .jvm = jvm, .nonce = make_nonce()};
    /* The kernel shows who we are more of a JVM in a namespace of users than its own user. */
    (void)process_ids_back(&a->before);
    if (process_find_mapped(a->socket.process.task, library_name, &path) == 0) {
        l->is_loaded = true;
        snprintf(l->library, sizeof(l->library), "%s", path);
    }
    free(path);
    return process_ids_take(&a->socket.process, &a->before) == 0 && l->is_loaded;
}

int agent_link_open(struct agent_link *l, struct attach *a, const struct jvm *jvm,
                    const char *library)
{
    return find_loaded(l, a, jvm) ? 0 : place(l, library);
}

int agent_link_open_loaded(struct agent_link *l, struct attach *a, const struct jvm *jvm)
{
    if (find_loaded(l, a, jvm))
        return 0;
    say("%s: the JVM does not have the agent: nothing is recorded; see 'hprof start'",
        jvm_target_name(jvm));
    return CMD_FAILED;
}

enum taken { TAKEN, TAKEN_NONE, TAKEN_EMPTY };

/* Reads the answer that the JVM's user has written, and removes its file. */
static enum taken take_answer(struct agent_link *l, const char *name, bool *ret_is_ok)
{
    static const char ok[] = "hprof/1 ok ", bad[] = "hprof/1 error ";
    int tmp = l->attach->socket.tmp;
    struct stat st;
    ssize_t n = -1;
    int fd = openat(tmp, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        return TAKEN_NONE;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == l->attach->socket.process.uid)
        n = read(fd, l->answer, sizeof(l->answer) - 1);
    close(fd);
    (void)unlinkat(tmp, name, 0);
    if (n <= 0)
        return n == 0 ? TAKEN_EMPTY : TAKEN_NONE;
    l->answer[n] = '\0';
    l->answer[strcspn(l->answer, "\n")] = '\0';
    *ret_is_ok = strncmp(l->answer, ok, sizeof(ok) - 1) == 0;
    if (!*ret_is_ok && strncmp(l->answer, bad, sizeof(bad) - 1) != 0)
        return TAKEN_NONE;
    size_t front = *ret_is_ok ? sizeof(ok) - 1 : sizeof(bad) - 1;
    memmove(l->answer, l->answer + front, strlen(l->answer + front) + 1);
    return TAKEN;
}

static void say_load(struct agent_link *l, enum attach_load_result result,
                     const struct attach_reply *reply)
{
    const char *who = jvm_target_name(l->jvm);

    if (result == ATTACH_LOAD_DISABLED)
        say("%s: the JVM was started with -XX:-EnableDynamicAgentLoading; start it without, or "
            "with the agent: 'hprof run'",
            who);
    else if (result == ATTACH_LOAD_NOT_FOUND)
        say("%s: the JVM did not load %s: %.*s", who, l->library, (int)strcspn(reply->text, "\n"),
            reply->text);
    else
        say("%s: %s did not answer: it is of another version, or the agent that came with JDK 8",
            who, l->library);
}

/* Why there is no answer. A JVM that ends closes its socket some time before it is gone. */
static enum agent_link_end end_of(struct agent_link *l, enum attach_cause cause)
{
    bool is_ending = cause == ATTACH_GONE || cause == ATTACH_CUT_OFF || cause == ATTACH_NO_SOCKET;

    if (cause == ATTACH_INTERRUPTED)
        return AGENT_LINK_INTERRUPTED;
    if (attach_has_ended(l->attach, is_ending ? ENDING_MS : 0))
        return AGENT_LINK_GONE;
    asking_say_cause(jvm_target_name(l->jvm), l->attach, cause);
    return AGENT_LINK_SILENT;
}

int agent_link_send(struct agent_link *l, const char *command)
{
    char text[COMMAND_BYTES], name[NAME_BYTES];
    struct attach_reply reply;
    enum attach_load_result result;
    enum taken taken;
    int code = 0;
    bool is_ok = false;

    l->end = AGENT_LINK_SILENT;
    snprintf(name, sizeof(name), ".hprof-answer-%016llx-%u", (unsigned long long)l->nonce,
             l->commands++);
    int len = snprintf(text, sizeof(text), "%s,answer=/tmp/%s", command, name);
    if (len >= (int)sizeof(text)) {
        say("%s: the options are too long", jvm_target_name(l->jvm));
        return CMD_FAILED;
    }
    enum attach_cause cause = attach_load(l->attach, l->library, text, &reply, &result, &code);
    if (cause != ATTACH_OK) {
        l->end = end_of(l, cause);
        (void)unlinkat(l->attach->socket.tmp, name, 0);
    } else if ((taken = take_answer(l, name, &is_ok)) == TAKEN_NONE) {
        l->end = AGENT_LINK_NO_AGENT;
        say_load(l, result, &reply);
    } else if (taken == TAKEN_EMPTY) {
        say("%s: the agent could not write its answer: is the JVM's /tmp full?",
            jvm_target_name(l->jvm));
    } else {
        l->end = is_ok ? AGENT_LINK_DONE : AGENT_LINK_REFUSED;
        /* A word for programs comes first. */
        const char *why = strchr(l->answer, ' ');
        if (!is_ok)
            say("%s: the agent says: %s", jvm_target_name(l->jvm), why ? why + 1 : l->answer);
    }
    attach_reply_done(&reply);
    return l->end == AGENT_LINK_DONE ? CMD_OK : CMD_FAILED;
}

unsigned agent_link_number(const struct agent_link *l, const char *name)
{
    size_t len = strlen(name);

    for (const char *p = l->answer; p; p = strchr(p, ' ')) {
        p += *p == ' ';
        if (strncmp(p, name, len) == 0 && p[len] == '=')
            return (unsigned)strtoul(p + len + 1, NULL, 10);
    }
    return 0;
}

const char *agent_link_file(const struct agent_link *l)
{
    const char *file = strstr(l->answer, " file=");

    return file ? file + strlen(" file=") : NULL;
}
