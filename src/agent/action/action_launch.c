/*
 * action_launch.c - a program is started and left alone, with the process id as its last argument.
 *
 * No shell sees the words, which blanks part. The program has the signal mask and the dispositions
 * of a fresh process, /dev/null as its input, and none of the JVM's files but its output.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/action/action_launch.h"
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

static pid_t children[CHILDREN]; /* the thread of triggers alone starts and awaits them */

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

/* Sockets and files of the program do not live on in the child. */
static void close_others(posix_spawn_file_actions_t *files)
{
    DIR *open_ones = opendir("/proc/self/fd");
    const struct dirent *e;
    while (open_ones && (e = readdir(open_ones)) != NULL) {
        int fd = (int)strtol(e->d_name, NULL, 10); /* 0 of "." and ".." */
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
