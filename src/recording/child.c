/*
 * child.c - starts the program, passes on signals and waits for the end.
 *
 * Signals are blocked and fetched with sigwaitinfo(), so there is no handler and no global state.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "recording/child.h"
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char variable[] = CHILD_VARIABLE;

/* A copy of the environment with one variable replaced. `ret_text` holds that variable. The array
 * and the text are malloc'ed, the caller frees them. */
static char **make_environment(const char *value, char **ret_text)
{
    size_t count = 0, used = 0;
    while (environ[count])
        count++;
    char **env = calloc(count + 2, sizeof(*env));
    if (!env || asprintf(ret_text, "%s=%s", variable, value) < 0) {
        free(env);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], *ret_text, sizeof(variable)) != 0)
            env[used++] = environ[i];
    env[used] = *ret_text;
    return env;
}

static int spawn(char *const *argv, char *const *env, const sigset_t *mask, bool pipe_is_fatal,
                 pid_t *ret_pid)
{
    posix_spawnattr_t attr;
    sigset_t defaults;
    int error = posix_spawnattr_init(&attr);
    if (error != 0)
        return -error;
    sigemptyset(&defaults);
    if (pipe_is_fatal)
        sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigdefault(&attr, &defaults);
    posix_spawnattr_setsigmask(&attr, mask);
    error = posix_spawnp(ret_pid, argv[0], NULL, &attr, argv, env);
    posix_spawnattr_destroy(&attr);
    return -error;
}

static int wait_for(pid_t pid, const sigset_t *awaited)
{
    for (;;) {
        siginfo_t info;
        int status;
        pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid)
            return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        if (ended < 0)
            return -errno;
        if (sigwaitinfo(awaited, &info) < 0 || info.si_signo == SIGCHLD)
            continue;
        /* The kernel sends a terminal's SIGINT or SIGQUIT (si_code > 0) to the child too. */
        if (info.si_signo == SIGTERM || info.si_signo == SIGHUP || info.si_code <= 0)
            kill(pid, info.si_signo);
    }
}

int child_run(char *const *argv, const char *tool_options)
{
    static const int taken[] = {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    sigset_t awaited, before;
    pid_t pid = -1;
    char *text = NULL;
    char **env = make_environment(tool_options, &text);
    if (!env)
        return -ENOMEM;
    sigemptyset(&awaited);
    for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
        sigaddset(&awaited, taken[i]);
    /* If our parent ignored SIGCHLD, the kernel would discard the child's exit status. */
    signal(SIGCHLD, SIG_DFL);
    /* If the reader of our messages ends, SIGPIPE must not end us before our files are complete. */
    bool pipe_was_fatal = signal(SIGPIPE, SIG_IGN) == SIG_DFL;
    sigprocmask(SIG_BLOCK, &awaited, &before);
    int r = spawn(argv, env, &before, pipe_was_fatal, &pid);
    if (r == 0)
        r = wait_for(pid, &awaited);
    sigprocmask(SIG_SETMASK, &before, NULL);
    free(text);
    free(env);
    return r;
}
