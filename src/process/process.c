/*
 * process.c - see process.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/process.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "base/proc_ids.h"
#include "base/rooted.h"

enum {
    STATUS_MAX = 64 * 1024,
    CGROUP_MAX = 64 * 1024,
    MAPS_PIECE = 4096,
};

static int read_error(int error)
{
    return error == ENOENT || error == ESRCH ? -ESRCH : error > 0 ? -error : -EIO;
}

ssize_t process_file(pid_t task, const char *name, size_t max, char **ret_text)
{
    char path[64];
    size_t len = 0;
    snprintf(path, sizeof(path), "/proc/%d/%s", (int)task, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return read_error(errno);
    char *text = malloc(max + 1);
    if (!text) {
        close(fd);
        return -ENOMEM;
    }
    for (ssize_t n; len < max && (n = read(fd, text + len, max - len)) != 0; len += (size_t)n) {
        if (n < 0) {
            int error = read_error(errno);
            free(text);
            close(fd);
            return error;
        }
    }
    close(fd);
    text[len] = '\0';
    *ret_text = text;
    return (ssize_t)len;
}

/* The text behind `name`, which stands at the start of a line; NULL: there is no such line. */
static const char *line_of(const char *text, const char *name)
{
    size_t len = strlen(name);
    for (; text; text = strchr(text, '\n')) {
        text += *text == '\n';
        if (strncmp(text, name, len) == 0)
            return text + len;
        if (*text == '\0')
            break;
    }
    return NULL;
}

/* The number at the place `at` of a line, counted from 0. */
static unsigned long number_at(const char *line, unsigned at)
{
    unsigned long value = 0;
    char *end;
    for (unsigned i = 0; i <= at; i++, line = end)
        value = strtoul(line, &end, 10);
    return value;
}

/* The last number of a line, which is that of the innermost namespace. Kernels before 4.1 have no
 * such line. */
static pid_t last_number(const char *line, pid_t otherwise)
{
    pid_t found = otherwise;
    while (line && *line != '\0' && *line != '\n') {
        char *end;
        long value = strtol(line, &end, 10);
        if (end == line)
            break;
        found = (pid_t)value;
        for (line = end; *line == ' ' || *line == '\t'; line++)
            ;
    }
    return found;
}

static bool has_ended(char state)
{
    return state == 'Z' || state == 'X';
}

static char state_of(pid_t task)
{
    char *text, state = 'X';
    if (process_file(task, "status", STATUS_MAX, &text) < 0)
        return state;
    const char *line = line_of(text, "State:\t");
    if (line)
        state = *line;
    free(text);
    return state;
}

/* A thread of the process that has not ended; the first thread if all have ended. */
static pid_t find_living(pid_t pid, char *state)
{
    struct proc_ids tasks;
    pid_t found = pid;
    if (proc_ids_open_threads(pid, &tasks) < 0)
        return found;
    for (pid_t task; found == pid && (task = proc_ids_next(&tasks)) != 0;) {
        char now = task != pid ? state_of(task) : 'X';
        if (has_ended(now))
            continue;
        found = task;
        *state = now;
    }
    proc_ids_close(&tasks);
    return found;
}

int process_read(pid_t pid, struct process *ret)
{
    char *text;
    ssize_t len = process_file(pid, "status", STATUS_MAX, &text);
    if (len < 0)
        return (int)len;

    const char *name = line_of(text, "Name:\t"), *state = line_of(text, "State:\t");
    const char *uid = line_of(text, "Uid:"), *gid = line_of(text, "Gid:");
    const char *caught = line_of(text, "SigCgt:"), *tgid = line_of(text, "Tgid:");
    const char *filter = line_of(text, "Seccomp:");
    int error = E_FORMAT;
    if (name && state && uid && gid && caught && tgid) {
        /* The number of a thread has such a file, too, but is not the number of a process. */
        error = number_at(tgid, 0) == (unsigned long)pid ? 0 : -ESRCH;
        *ret = (struct process){
            .pid = pid,
            .inner_pid = last_number(line_of(text, "NStgid:"), pid),
            .task = pid,
            .uid = (uid_t)number_at(uid, 1),
            .gid = (gid_t)number_at(gid, 1),
            .state = *state,
            .catches_quit = (strtoull(caught, NULL, 16) & (1ULL << (SIGQUIT - 1))) != 0,
            .has_filter = filter && number_at(filter, 0) == SECCOMP_MODE_FILTER,
        };
        for (size_t i = 0; i + 1 < sizeof(ret->name) && name[i] != '\n' && name[i] != '\0'; i++)
            ret->name[i] = name[i];
        if (has_ended(ret->state))
            ret->task = find_living(pid, &ret->state);
    }
    free(text);
    return error;
}

char process_lasting_state(const struct process *p)
{
    enum { LOOKS = 50, LOOK_US = 20000 };
    struct process now = *p;
    for (int i = 0; i < LOOKS && now.state == 't'; i++) {
        usleep(LOOK_US);
        if (process_read(p->pid, &now) < 0)
            return 'X';
    }
    return now.state;
}

bool process_has_ended(pid_t pid)
{
    struct process now;
    int error = process_read(pid, &now);
    return error == -ESRCH || (error == 0 && has_ended(now.state));
}

bool process_thread_name(pid_t pid, pid_t tid, char ret[PROCESS_THREAD_NAME])
{
    char path[64], *text;
    snprintf(path, sizeof(path), "task/%d/comm", (int)tid);
    if (process_file(pid, path, PROCESS_THREAD_NAME, &text) < 0)
        return false;
    snprintf(ret, PROCESS_THREAD_NAME, "%.*s", (int)strcspn(text, "\n"), text);
    free(text);
    return true;
}

/* The name, between brackets, may contain any character. The start of the process is the 20th field
 * behind it. */
uint64_t process_began(pid_t pid)
{
    enum { FIELDS = 20, TEXT_MAX = 4096 };
    char *text = NULL;
    uint64_t began = 0;
    if (process_file(pid, "stat", TEXT_MAX, &text) < 0)
        return 0;
    const char *at = strrchr(text, ')');
    for (int field = 0; at && field < FIELDS; field++)
        at = strchr(at + 1, ' ');
    if (at)
        began = strtoull(at + 1, NULL, 10);
    free(text);
    return began;
}

bool process_has_ended_since(pid_t pid, uint64_t began)
{
    return process_has_ended(pid) || (began != 0 && process_began(pid) != began);
}

/* Remove the root folder of the process from the front of a path: the kernel writes paths from our
 * own root folder. */
static const char *below_root(const char *path, const char *root)
{
    size_t len = strlen(root);
    return len > 1 && strncmp(path, root, len) == 0 && path[len] == '/' ? path + len : path;
}

int process_find_mapped(pid_t task, const char *name, char **ret_path)
{
    char path[64], root[PATH_MAX], buffer[MAPS_PIECE], *line = NULL;
    size_t size = 0, name_len = strlen(name);
    int error = E_NOT_FOUND;
    snprintf(path, sizeof(path), "/proc/%d/root", (int)task);
    ssize_t root_len = readlink(path, root, sizeof(root) - 1);
    root[root_len < 0 ? 0 : root_len] = '\0';
    snprintf(path, sizeof(path), "/proc/%d/maps", (int)task);
    FILE *file = fopen(path, "re");
    if (!file)
        return read_error(errno);
    /* With its own buffer the C library reads a kilobyte at a time, and for each read the kernel
     * looks up the mappings again. */
    (void)setvbuf(file, buffer, _IOFBF, sizeof(buffer));
    for (ssize_t n; error == E_NOT_FOUND && (n = getline(&line, &size, file)) > 0;) {
        /* a line: start-end rwxp offset device inode path */
        const char *mapped = strchr(line, '/'), *access = strchr(line, ' ');
        if (!mapped || !access || access > mapped || access[3] != 'x')
            continue;
        line[n - (line[n - 1] == '\n')] = '\0';
        const char *last = strrchr(mapped, '/') + 1;
        if (strncmp(last, name, name_len) != 0 ||
            (last[name_len] != '\0' && strcmp(last + name_len, " (deleted)") != 0))
            continue;
        mapped = below_root(mapped, root);
        *ret_path = strndup(mapped, (size_t)(last - mapped) + name_len);
        error = *ret_path ? 0 : -ENOMEM;
    }
    if (error == E_NOT_FOUND && ferror(file))
        error = read_error(errno);
    free(line);
    fclose(file);
    return error;
}

bool process_is_frozen(pid_t pid)
{
    char *text = NULL;
    if (process_file(pid, "cgroup", CGROUP_MAX, &text) < 0 || !text)
        return false;
    bool is_frozen = process_group_is_frozen(text, "");
    free(text);
    return is_frozen;
}

void process_container(pid_t pid, char ret_id[PROCESS_CONTAINER_ID + 1])
{
    char *text = NULL;
    ret_id[0] = '\0';
    if (process_file(pid, "cgroup", CGROUP_MAX, &text) < 0 || !text)
        return;
    process_group_container(text, ret_id);
    free(text);
}

void process_container_whole(pid_t pid, char ret_id[PROCESS_CONTAINER_WHOLE + 1])
{
    char *text = NULL;
    ret_id[0] = '\0';
    if (process_file(pid, "cgroup", CGROUP_MAX, &text) < 0 || !text)
        return;
    process_group_container_whole(text, ret_id);
    free(text);
}

bool process_has_our_host(pid_t pid)
{
    char path[64];
    struct stat ours, its;
    snprintf(path, sizeof(path), "/proc/%d/ns/uts", (int)pid);
    return stat("/proc/self/ns/uts", &ours) == 0 && stat(path, &its) == 0 &&
           ours.st_ino == its.st_ino;
}

/* ---- folders as the process sees them */

enum { FOLDER = O_PATH | O_DIRECTORY | O_CLOEXEC };

static int open_link(pid_t task, const char *name)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/%s", (int)task, name);
    int fd = open(path, FOLDER);
    return fd >= 0 ? fd : errno == ENOENT ? -ESRCH : -errno;
}

int process_folder_root(pid_t task)
{
    return open_link(task, "root");
}

int process_folder_working(pid_t task)
{
    return open_link(task, "cwd");
}

int process_folder_open(int root, const char *path)
{
    return rooted_folder(root, path);
}

bool process_folder_is_ours(int root, const char *path)
{
    struct stat ours, theirs;
    int fd = rooted_find(root, path);
    bool is_found = fd >= 0 && fstat(fd, &theirs) == 0;
    if (fd >= 0)
        close(fd);
    return is_found && stat(path, &ours) == 0 && ours.st_dev == theirs.st_dev &&
           ours.st_ino == theirs.st_ino;
}
