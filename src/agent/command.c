/*
 * command.c - Agent_OnAttach: what a load of the agent into a running JVM is told to do, and its
 * answer.
 *
 * Grammar: options/options_command.h. The answer is one line: "hprof/1 ok WORD NAME=VALUE ...", or
 * "hprof/1 error REASON TEXT". It goes into the file that answer= names, before the load returns.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "agent/agent.h"
#include "agent/agent_dump.h"
#include "agent/engine/engine.h"
#include "agent/life.h"
#include "agent/log.h"
#include "agent/recording.h"
#include "base/err.h"
#include "base/lock.h"
#include "base/newfile.h"
#include "options/options_command.h"

enum {
    ANSWER_BYTES = 4096, /* with its newline */
    ANSWER_MODE = 0600,
};

/* What is answered; cut where it would be too long. */
struct answer {
    size_t len;
    char text[ANSWER_BYTES];
};

__attribute__((format(printf, 2, 3))) static void add(struct answer *to, const char *format, ...)
{
    size_t room = sizeof(to->text) - 1 - to->len; /* the newline has its place */
    va_list arguments;
    int n;

    va_start(arguments, format);
    n = vsnprintf(to->text + to->len, room, format, arguments);
    va_end(arguments);
    if (n > 0)
        to->len += (size_t)n < room ? (size_t)n : room - 1;
}

/* ---- what there is to say */

static void add_engines(struct answer *to, const struct agent *a)
{
    const struct engine *e;
    const char *between = "";

    add(to, " engines=");
    for (int at = 0; (e = engine_next(a, &at)) != NULL; between = ",")
        add(to, "%s%s", between, e->name);
}

/* The file comes last: its name may have blanks. */
static void add_file(struct answer *to, const struct agent *a)
{
    char place[PATH_MAX];

    output_place(&a->recordings[0]->output, place);
    add(to, " file=%s", place);
}

static void add_recording(struct answer *to, struct agent *a)
{
    struct tm utc;
    char began[32];

    gmtime_r(&a->recordings[0]->began, &utc);
    strftime(began, sizeof(began), "%Y-%m-%dT%H:%M:%SZ", &utc);
    add(to, " name=%s since=%s seconds=%.1f", a->recordings[0]->name, began,
        recording_seconds(a->recordings[0]));
    if (a->recordings[0]->options.duration_ns)
        add(to, " duration=%.1f", (double)a->recordings[0]->options.duration_ns / 1e9);
    add_engines(to, a);
}

/* Whether something is measured now. Needs the lock. */
static int is_running(const struct agent *a)
{
    return a->started && !a->dying;
}

static void answer_status(struct answer *to, struct agent *a)
{
    const struct engine *e;

    agent_lock(a);
    add(to, " version=" HPROF_VERSION " state=%s", is_running(a) ? "running" : "idle");
    if (is_running(a)) {
        add_recording(to, a);
        for (int at = 0; (e = engine_next(a, &at)) != NULL;) {
            char words[ENGINE_STATUS] = "";

            if (e->status)
                e->status(a, a->recordings[0], words);
            if (words[0])
                add(to, " %s", words);
        }
        add_file(to, a);
    }
    agent_unlock(a);
}

static void answer_list(struct answer *to, struct agent *a)
{
    agent_lock(a);
    add(to, " recordings=%d", is_running(a));
    if (is_running(a)) {
        add_recording(to, a);
        add_file(to, a);
    }
    agent_unlock(a);
}

/* ---- what there is to do */

/* A name or file that the command gives must be that of the recording. Errors: E_NOT_FOUND. */
static int check_meant(struct agent *a, const struct options_command *c)
{
    char place[PATH_MAX];
    int is_meant;

    if (!a->recordings[0])
        return 0;
    agent_lock(a);
    output_place(&a->recordings[0]->output, place);
    is_meant = (!c->name[0] || strcmp(c->name, a->recordings[0]->name) == 0) &&
               (!c->file[0] || strcmp(c->file, place) == 0 ||
                strcmp(c->file, a->recordings[0]->output.path) == 0);
    agent_unlock(a);
    if (!is_meant)
        log_error("no recording has the %s %s", c->name[0] ? "name" : "file",
                  c->name[0] ? c->name : c->file);
    return is_meant ? 0 : E_NOT_FOUND;
}

static int stop(struct answer *to, struct agent *a, JNIEnv *env, const struct options_command *c)
{
    struct answer about = {.len = 0};
    int error;

    agent_lock(a);
    if (is_running(a)) {
        add_recording(&about, a);
        add_file(&about, a);
    }
    agent_unlock(a);
    error = about.len > 0 ? check_meant(a, c) : 0;
    if (!error)
        error = life_stop(a, env);
    add(to, "%.*s", (int)about.len, about.text);
    return error;
}

/* The answer comes when all tables are in the file, a heap dump too. */
static int dump(struct answer *to, struct agent *a, const struct options_command *c)
{
    uint32_t errors = log_errors();
    int error = check_meant(a, c), runs;

    if (error)
        return error;
    agent_lock(a);
    runs = is_running(a);
    agent_unlock(a);
    if (!runs) {
        log_error("nothing is measured in this JVM: there is nothing to write");
        return E_VM_STATE;
    }
    agent_dump(a, a->recordings[0]);
    agent_dump_begin(a);
    add_recording(to, a);
    add_file(to, a);
    agent_unlock(a);
    lock_give(&a->dumps);
    if (log_errors() == errors)
        return 0;
    log_error("the dump is not whole");
    return -EIO;
}

static int start(struct answer *to, struct agent *a, JavaVM *vm, JNIEnv *env,
                 const struct options_command *c)
{
    char place[PATH_MAX] = "";
    int error;

    agent_lock(a);
    if (is_running(a))
        output_place(&a->recordings[0]->output, place);
    agent_unlock(a);
    if (place[0]) {
        log_error("a recording runs already, into %s: stop it first", place);
        return E_VM_STATE;
    }
    error = life_begin(a, vm, env, c->options, NULL);
    if (error)
        return error;
    agent_lock(a);
    if (c->name[0])
        snprintf(a->recordings[0]->name, sizeof(a->recordings[0]->name), "%s", c->name);
    add_recording(to, a);
    add_file(to, a);
    agent_unlock(a);
    return 0;
}

static int run(struct answer *to, struct agent *a, JavaVM *vm, JNIEnv *env,
               const struct options_command *c)
{
    switch (c->word) {
    case OPTIONS_COMMAND_START:
        return start(to, a, vm, env, c);
    case OPTIONS_COMMAND_STOP:
        return stop(to, a, env, c);
    case OPTIONS_COMMAND_DUMP:
        return dump(to, a, c);
    case OPTIONS_COMMAND_STATUS:
        answer_status(to, a);
        return 0;
    case OPTIONS_COMMAND_LIST:
        answer_list(to, a);
        return 0;
    default:
        return E_UNSUPPORTED;
    }
}

/* ---- the answer */

static const char *reason_of(int error)
{
    switch (error) {
    case E_SYNTAX:
        return "syntax";
    case E_NOT_FOUND:
        return "not_found";
    case E_VM_STATE:
        return "state";
    case E_UNSUPPORTED:
        return "unsupported";
    default:
        return "failed";
    }
}

/* Before anything is done: whoever could not hear of it does not get it. Errors: 0 (fd -1: nobody
 * waits for an answer), or negative after a message. */
static int open_answer(const char *path, int *ret_fd)
{
    const char *why = NULL;
    struct newfile file = {.fd = -1};
    int error = path[0] ? newfile_open(path, ANSWER_MODE, NEWFILE_REPLACE, &file, &why) : 0;

    if (error)
        log_error("cannot write the answer to %s (%s)", path, why);
    *ret_fd = file.fd;
    return error;
}

/* One line, whatever names are in it. Errors: 0, or negative after a message. */
static int write_answer(int fd, struct answer *answer)
{
    ssize_t n;
    int error;

    for (size_t i = 0; i < answer->len; i++)
        if ((unsigned char)answer->text[i] < ' ')
            answer->text[i] = ' ';
    answer->text[answer->len++] = '\n';
    n = write(fd, answer->text, answer->len);
    error = n == (ssize_t)answer->len ? 0 : n < 0 ? -errno : -EIO;
    close(fd);
    if (error)
        log_error("cannot write the answer (%s)", err_text(error));
    return error;
}

static int obey(struct answer *to, struct agent *a, JavaVM *vm, JNIEnv *env, const char *line,
                const struct options_command *c)
{
    if (c->word == OPTIONS_COMMAND_NONE)
        return life_begin(a, vm, env, line, getenv("_JAVA_HPROF_OPTIONS"));
    return run(to, a, vm, env, c);
}

/* Do what `line` says, an option string or a command. Errors: 0, or negative. */
static int take(struct agent *a, JavaVM *vm, JNIEnv *env, const char *line)
{
    struct options_command c;
    struct options_error why;
    struct answer done = {.len = 0}, answer = {.len = 0};
    char first_error[LOG_HEARD] = "";
    int fd = -1, wrong = options_command_parse(line, &c, &why);
    int error = open_answer(c.answer, &fd);

    log_hear(first_error);
    if (wrong)
        log_error("%s", why.text);
    if (!error)
        error = wrong ? wrong : obey(&done, a, vm, env, line, &c);
    log_hear(NULL);
    if (error)
        add(&answer, "hprof/%d error %s %s", OPTIONS_COMMAND_PROTOCOL, reason_of(error),
            first_error[0] ? first_error : err_text(error));
    else
        add(&answer, "hprof/%d ok %s%.*s", OPTIONS_COMMAND_PROTOCOL, options_command_text(c.word),
            (int)done.len, done.text);
    if (fd >= 0)
        error = write_answer(fd, &answer) != 0 && !error ? -EIO : error;
    options_command_done(&c);
    return error;
}

__attribute__((visibility("default"))) JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *line,
                                                                             void *reserved)
{
    JNIEnv *env;

    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6) != JNI_OK)
        return JNI_ERR;
    return take(life_agent(), vm, env, line) == 0 ? JNI_OK : JNI_ERR;
}
