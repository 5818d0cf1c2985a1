/*
 * agent_link.c - see agent_link.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/agent_link.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/err.h"
#include "base/plural.h"
#include "command/cmd.h"
#include "command/say.h"
#include "jvm/agent_place.h"
#include "jvm/asking.h"
#include "jvm/jvm_target.h"
#include "jvm/own_words.h"
#include "jvm/stat_value.h"
#include "process/process.h"
#include "safe/release.h"

#define ANSWER ".hprof-answer-" /* the names of answers begin with it; the nonce follows */

enum {
    NAME_BYTES = 64,
    COMMAND_BYTES = 8192,
    DIGITS = 16,         /* digits of the nonce in the names of files */
    QUIET_S = 60,        /* a file that a process still needs changes more often, or has a lock */
    WAITS_S = 7 * 86400, /* but for files that wait for `hprof watch`, which may be away */
    ENDING_MS = 2000,    /* the longest time from the end of a JVM's socket to the end of the JVM */
};

static const char library_name[] = "libhprof.so";

/* ---- files that a killed command has left */

/* How long a file of this name has not changed if nobody needs it, in seconds; 0: it is none of
 * ours. */
static int quiet_s(const char *name)
{
    static const struct {
        const char *text;
        int quiet_s;
    } prefixes[] = {{ANSWER, QUIET_S},
                    {".hprof-heap-", QUIET_S},
                    {".hprof-jdk-", QUIET_S},
                    {".hprof-record-", QUIET_S},
                    {".hprof-watch-", WAITS_S}};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        size_t len = strlen(prefixes[i].text);
        if (strncmp(name, prefixes[i].text, len) == 0 &&
            strspn(name + len, "0123456789abcdef") == DIGITS)
            return prefixes[i].quiet_s;
    }
    return 0;
}

/* Whether it is the user's own file, and has not changed for a while. */
static bool is_quiet(const struct stat *st, const char *name)
{
    return S_ISREG(st->st_mode) && st->st_uid == geteuid() && st->st_nlink == 1 &&
           time(NULL) - st->st_mtime > quiet_s(name);
}

static void sweep_file(const char *who, int folder, const char *name)
{
    struct stat st;
    int fd;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !is_quiet(&st, name))
        return;
    /* Opened for writing, because NFS needs that for an exclusive lock. */
    fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && is_quiet(&st, name) && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
        unlinkat(folder, name, 0) == 0 && strncmp(name, ANSWER, sizeof(ANSWER) - 1) != 0)
        say("%s: removed '%s' of %.1f MB, which a command left that was ended", who, name,
            (double)st.st_size / 1e6);
    close(fd);
}

void agent_link_sweep(const char *who, int folder)
{
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *all = again < 0 ? NULL : fdopendir(again);
    struct dirent *one;
    if (!all && again >= 0)
        close(again);
    while (all && (one = readdir(all)) != NULL)
        if (quiet_s(one->d_name) > 0)
            sweep_file(who, folder, one->d_name);
    if (all)
        closedir(all);
}

/* ---- the connection */

/* Whether the JVM sees this very file under the same name, and whether its user may read the file.
 * The process runs with the identity of the JVM's user here. */
static bool sees_file(const struct attach *a, const char *path)
{
    return process_folder_is_ours(a->root, path) &&
           faccessat(a->root, path + 1, R_OK, AT_EACCESS) == 0;
}

static int place(struct agent_link *l, const char *library)
{
    const char *who = jvm_target_name(l->jvm);
    struct attach *a = l->attach;
    struct agent_place p;
    if (library && sees_file(a, library)) {
        snprintf(l->library, sizeof(l->library), "%s", library);
        return 0;
    }
    (void)process_ids_back(&a->before);
    int error = agent_place_read(&p, library);
    int taken = process_ids_take(&a->socket.process, &a->before);
    if (error < 0)
        say("%s: cannot read the agent library %s: %s", who, library, err_text(error));
    else if (taken < 0 || (error = agent_place_put(&p, a->root, a->socket.process.uid, 0700,
                                                   l->library, &l->hold)) < 0)
        say("%s: the agent library cannot be put where the JVM finds it: none of its /tmp, "
            "/var/tmp and /dev/shm can be written by its user and have programs run from it: %s",
            who, err_text(taken < 0 ? taken : error));
    agent_place_done(&p);
    return error < 0 || taken < 0 ? CMD_FAILED : 0;
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
    *l = (struct agent_link){.attach = a, .jvm = jvm, .hold = -1, .nonce = make_nonce()};
    if (a->socket.tmp >= 0)
        agent_link_sweep(jvm_target_name(jvm), a->socket.tmp);
    /* If the JVM runs in another user namespace, the kernel shows our own user more about the JVM
     * than it shows the JVM's user. */
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

void agent_link_close(struct agent_link *l)
{
    uid_t uid = l->attach->socket.process.uid;
    bool may_go = l->hold >= 0 || l->end == AGENT_LINK_GONE;
    if (l->hold >= 0)
        close(l->hold);
    l->hold = -1;
    /* Sweep only as the JVM's user. After some errors the process does not have that identity. */
    if (may_go && geteuid() == uid)
        agent_place_sweep(l->attach->root, uid);
}

enum taken { TAKEN, TAKEN_NONE, TAKEN_EMPTY };

/* Reads the answer, a file that the JVM's user has written, and removes the file. */
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
    int len; /* JDK 8 gives no reason */
    const char *reason = attach_load_reason(reply, &len);
    if (result == ATTACH_LOAD_DISABLED)
        say("%s: the JVM was started with -XX:-EnableDynamicAgentLoading; start it without, or "
            "with the agent: 'hprof run'",
            who);
    else if (l->is_loaded)
        say("%s: the JVM has %s, which does not answer: it is of another version, or the agent "
            "that came with JDK 8; start the JVM without it",
            who, l->library);
    else if (result == ATTACH_LOAD_NOT_FOUND)
        say("%s: the JVM did not load %s%s%.*s", who, l->library, len > 0 ? ": " : "", len, reason);
    else
        say("%s: %s was loaded and did not answer: it is of another version", who, l->library);
}

/* Why there is no answer. A JVM that ends closes its socket some time before the process ends. */
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
    snprintf(name, sizeof(name), ANSWER "%016llx-%u", (unsigned long long)l->nonce, l->commands++);
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
        /* If the JVM has ended, the caller says so. */
        l->end = attach_has_ended(l->attach, ENDING_MS) ? AGENT_LINK_GONE : AGENT_LINK_NO_AGENT;
        if (l->end != AGENT_LINK_GONE)
            say_load(l, result, &reply);
    } else if (taken == TAKEN_EMPTY) {
        say("%s: the agent could not write its answer: is the JVM's /tmp full?",
            jvm_target_name(l->jvm));
    } else {
        l->end = is_ok ? AGENT_LINK_DONE : AGENT_LINK_REFUSED;
        /* The first word is for programs; the text for people follows. */
        const char *why = strchr(l->answer, ' ');
        char own[2 * AGENT_LINK_ANSWER];
        if (!is_ok && !l->is_quiet) {
            own_words_put(l->cmd, why ? why + 1 : l->answer, own, sizeof(own));
            say("%s: the agent says: %s", jvm_target_name(l->jvm), own);
        }
    }
    attach_reply_done(&reply);
    return l->end == AGENT_LINK_DONE ? CMD_OK : CMD_FAILED;
}

uint64_t agent_link_number(const struct agent_link *l, const char *name)
{
    size_t len = strlen(name);
    for (const char *p = l->answer; p; p = strchr(p, ' ')) {
        p += *p == ' ';
        if (strncmp(p, name, len) == 0 && p[len] == '=')
            return strtoull(p + len + 1, NULL, 10);
    }
    return 0;
}

const char *agent_link_file(const struct agent_link *l)
{
    const char *file = strstr(l->answer, " file=");
    return file ? file + strlen(" file=") : NULL;
}

unsigned agent_link_left(struct agent_link *l, unsigned id)
{
    char command[64];
    if (stat_value_release(&l->attach->counters.data) >= RELEASE_STOP_IS_LINEAR)
        return 0;
    snprintf(command, sizeof(command), "status,id=%u", id);
    return agent_link_send(l, command) == CMD_OK ? (unsigned)agent_link_number(l, "classes_left")
                                                 : 0;
}

void agent_link_say_left(const struct agent_link *l, unsigned left)
{
    if (left > 0)
        say("%s: %u loaded class%s still to be changed, a few at a time while the program "
            "works on: what they do is not counted until then; of method times, -O "
            "include=PACKAGE.* measures fewer",
            jvm_target_name(l->jvm), left, plural_of(left, " is", "es are"));
}
