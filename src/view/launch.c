/*
 * launch.c - see launch.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "view/launch.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"

enum { PLACE = 6 }; /* length of "{file}" and of "{line}" */

extern char **environ;

/* The program must not inherit the signals that this command ignores: a program that waits for its
 * own children needs SIGCHLD. */
static int set_signals(posix_spawnattr_t *attributes)
{
    sigset_t ignored;
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGCHLD);
    sigaddset(&ignored, SIGPIPE);
    int r = posix_spawnattr_setsigdefault(attributes, &ignored);
    return r != 0 ? r : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF);
}

/* No code waits for the program: if SIGCHLD is ignored, the kernel itself removes children that
 * have ended. */
int launch(char *const argv[])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t pid;
    signal(SIGCHLD, SIG_IGN);
    int r = posix_spawn_file_actions_init(&actions);
    if (r != 0)
        return -r;
    r = posix_spawnattr_init(&attributes);
    if (r != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return -r;
    }
    r = set_signals(&attributes);
    if (r == 0)
        r = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (r == 0)
        r = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    if (r == 0)
        r = posix_spawnp(&pid, argv[0], &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return -r;
}

/* Copies a word and replaces {file} and {line}. The caller frees the copy. NULL: no memory. */
static char *fill(const char *word, size_t len, const char *file, int line)
{
    char *out = NULL;
    size_t size;
    FILE *to = open_memstream(&out, &size);
    if (!to)
        return NULL;
    for (size_t i = 0; i < len; i++) {
        bool is_file = len - i >= PLACE && strncmp(word + i, "{file}", PLACE) == 0;
        bool is_line = len - i >= PLACE && strncmp(word + i, "{line}", PLACE) == 0;
        if (is_file)
            fputs(file, to);
        else if (is_line)
            fprintf(to, "%d", line);
        else
            putc(word[i], to);
        if (is_file || is_line)
            i += PLACE - 1;
    }
    if (fclose(to) != 0) {
        free(out);
        return NULL;
    }
    return out;
}

int launch_editor(const char *command, const char *file, int line)
{
    char *words[LAUNCH_WORDS + 1] = {NULL};
    int count = 0, r = 0;
    while (r == 0) {
        command += strspn(command, " ");
        size_t len = strcspn(command, " ");
        if (len == 0)
            break;
        if (count == LAUNCH_WORDS)
            r = E_SYNTAX;
        else if (!(words[count++] = fill(command, len, file, line)))
            r = -ENOMEM;
        command += len;
    }
    if (r == 0)
        r = count > 0 ? launch(words) : E_SYNTAX;
    for (int i = 0; i < count; i++)
        free(words[i]);
    return r;
}
