/*
 * debug_on.c - see debug_on.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "recording/debug_on.h"
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/debugger.h"
#include "command/say.h"

static const char throw_word[] = "throw=", uncaught_word[] = "uncaught", command_word[] = "command";

const char *debug_on_word(unsigned i)
{
    static const char *const words[] = {throw_word, uncaught_word, command_word, NULL};
    return words[i];
}

/* A free port of this machine's loopback address. 0: there is none. */
static uint32_t find_port(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is_found = fd >= 0 && bind(fd, (struct sockaddr *)&at, len) == 0 &&
                    getsockname(fd, (struct sockaddr *)&at, &len) == 0;
    if (fd >= 0)
        close(fd);
    return is_found ? ntohs(at.sin_port) : 0;
}

/* Copies the name of a class as Java writes it. Refuses characters that would end the option. */
static bool take_class(const char *text, char *ret, size_t size)
{
    size_t len = strlen(text);
    if (len == 0 || len >= size || strpbrk(text, ", '\"\t\n=+"))
        return false;
    for (size_t i = 0; i <= len; i++)
        ret[i] = text[i] == '/' ? '.' : text[i];
    return true;
}

static char *make(const char *trigger, uint32_t port, const char *suspend, const char *launch)
{
    char *option = NULL;
    if (asprintf(
            &option,
            "'-agentlib:jdwp=transport=dt_socket,server=y,suspend=%s,address=127.0.0.1:%u,%s%s'",
            suspend, (unsigned)port, trigger, launch) < 0) {
        say("run: %s", strerror(ENOMEM));
        return NULL;
    }
    return option;
}

/* The option for an agent that stops the program at the event and reports its address. */
static char *make_stopping(const char *trigger, uint32_t port)
{
    char self[PATH_MAX] = "", launch[PATH_MAX + 64];
    ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (len <= 0 || strpbrk(self, ", '\"")) {
        say("run: --debug-on: the path of this command, '%s', has a blank, comma or quotation "
            "mark, which the JVM cannot take",
            self);
        return NULL;
    }
    snprintf(launch, sizeof(launch), ",launch=%s debug --stopped", self);
    return make(trigger, port, "y", launch);
}

char *debug_on_option(const char *what, uint32_t port)
{
    char name[512], trigger[600];
    if (strcmp(what, command_word) == 0) {
        port = port ? port : find_port();
        if (port)
            return make(DEBUGGER_ONJCMD "=y", port, "n", "");
        say("run: --debug-on command: no port of 127.0.0.1 is free");
        return NULL;
    }
    if (strcmp(what, uncaught_word) == 0)
        return make_stopping("onuncaught=y", port);
    if (strncmp(what, throw_word, strlen(throw_word)) == 0 &&
        take_class(what + strlen(throw_word), name, sizeof(name))) {
        snprintf(trigger, sizeof(trigger), "onthrow=%s", name);
        return make_stopping(trigger, port);
    }
    say("run: --debug-on '%s': throw=CLASS, with the exact name of one class, uncaught or command "
        "is wanted",
        what);
    return NULL;
}

/* ---- whether the JDK has the agent */

bool debug_on_needs_onjcmd(const char *what)
{
    return strcmp(what, command_word) == 0;
}

/* Finds the program as posix_spawnp() does, and resolves links. */
static bool find_program(const char *command, char ret_path[PATH_MAX])
{
    if (strchr(command, '/'))
        return realpath(command, ret_path) != NULL;

    const char *path = getenv("PATH");
    char *all = strdup(path ? path : ""), candidate[PATH_MAX];
    bool is_found = false;

    for (char *rest = all, *folder; !is_found && (folder = strsep(&rest, ":")) != NULL;) {
        int len = snprintf(candidate, sizeof(candidate), "%s/%s", *folder ? folder : ".", command);
        is_found = len < (int)sizeof(candidate) && access(candidate, X_OK) == 0 &&
                   realpath(candidate, ret_path);
    }
    free(all);
    return is_found;
}

/* The folder that holds the debugging agent of the JDK whose bin folder is `bin`. The folder is
 * lib; on JDK 8 it is a folder with the name of the CPU, below jre/lib, or below lib in a JRE.
 * Returns malloc'ed text; NULL: there is none. */
static char *find_folder(const char *bin)
{
    static const char *const places[] = {"lib", "jre/lib/*", "lib/*"};
    char pattern[PATH_MAX + 64], *found = NULL;
    for (size_t i = 0; !found && i < sizeof(places) / sizeof(places[0]); i++) {
        glob_t files;
        snprintf(pattern, sizeof(pattern), "%s/../%s/libjdwp.so", bin, places[i]);
        if (glob(pattern, 0, NULL, &files) == 0) {
            *strrchr(files.gl_pathv[0], '/') = '\0';
            found = realpath(files.gl_pathv[0], NULL);
        }
        globfree(&files);
    }
    return found;
}

int debug_on_check(const char *command)
{
    char program[PATH_MAX], why[PATH_MAX + 256], *slash;
    if (!find_program(command, program) || !(slash = strrchr(program, '/')))
        return 0;
    *slash = '\0';
    char *folder = find_folder(program);
    int answer = folder ? debugger_find_option(folder, DEBUGGER_ONJCMD) : 1;
    if (answer <= 0) {
        debugger_why_not(folder, answer, why, sizeof(why));
        say("run: %s", why);
        answer = -ENOTSUP;
    }
    bool is_known = folder != NULL;
    free(folder);
    return is_known ? answer : 0;
}
