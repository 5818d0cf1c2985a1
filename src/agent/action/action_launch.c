/*
 * action_launch.c - the action launch=: start a program and do not wait for it. The last argument
 * of the program is the process id of the JVM.
 *
 * Blanks separate the words of the command line; no shell reads them. The program begins with an
 * empty signal mask and with the default disposition of all signals. Its input is /dev/null, and it
 * inherits only the output and the error output of the JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/action/action.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "agent/log.h"

extern const struct action action_launch;
extern char **environ;

enum { WORDS = 32, CHILDREN = 16 };

/* only the thread of triggers starts these processes and waits for them */
static pid_t children[CHILDREN];

bool action_launch_reap(void)
{
    bool has_any = false;
    for (int i = 0; i < CHILDREN; i++) {
        if (children[i] && waitpid(children[i], NULL, WNOHANG) != 0)
            children[i] = 0;
        has_any |= children[i] != 0;
    }
    return has_any;
}

static void note_child(pid_t pid)
{
    for (int i = 0; i < CHILDREN; i++)
        if (!children[i]) {
            children[i] = pid;
            return;
        }
}

/* The child is not to keep sockets and files of the JVM open. */
static void close_others(posix_spawn_file_actions_t *files)
{
    DIR *open_ones = opendir("/proc/self/fd");
    const struct dirent *e;
    while (open_ones && (e = readdir(open_ones)) != NULL) {
        int fd = (int)strtol(e->d_name, NULL, 10); /* the names "." and ".." give 0 */
        if (fd > STDERR_FILENO)
            posix_spawn_file_actions_addclose(files, fd);
    }
    if (open_ones)
        closedir(open_ones);
}

static int choose_files(posix_spawn_file_actions_t *files)
{
    int error = posix_spawn_file_actions_init(files);
    if (error)
        return error;
    close_others(files);
    return posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
}

static int spawn(char *const argv[], pid_t *ret_pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, all;
    int error = choose_files(&files);
    if (error)
        return error;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&how);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &all);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    error = posix_spawnp(ret_pid, argv[0], &files, &how, argv, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

static int run(const struct action_call *c)
{
    char *words = strdup(c->with), *rest = NULL, *argv[WORDS + 2], pid_text[16];
    int count = 0, error = words ? 0 : ENOMEM;
    pid_t pid;
    for (char *w = words ? strtok_r(words, " ", &rest) : NULL; w && count < WORDS;
         w = strtok_r(NULL, " ", &rest))
        argv[count++] = w;
    snprintf(pid_text, sizeof(pid_text), "%d", (int)getpid());
    argv[count] = pid_text;
    argv[count + 1] = NULL;
    error = error ? error : count ? spawn(argv, &pid) : ENOENT;
    if (error)
        log_error("launch=%s: %s", c->with, strerror(error));
    else
        note_child(pid);
    free(words);
    return -error;
}

const struct action action_launch = {.run = run};
