/*
 * cmd_load.c - `hprof load TARGET LIBRARY [OPTIONS]`: loads an agent into a running JVM.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "attach/attach.h"
#include "jvm/asking.h"
#include "jvm/jvm_target.h"
#include "command/say.h"

/* The codes that the JDK's library `instrument` returns for agents in jar files. */
enum { JAR_BAD = 100, JAR_NOT_ON_PATH = 101, JAR_FAILED = 102 };

static const struct opt options[] = {
    {ASKING_OPT_TIMEOUT, 0, "timeout", "TIME", ASKING_TIMEOUT_HELP},
    {0},
};

struct request {
    char *library;     /* a path or a name for the JVM; malloc'ed */
    char *options;     /* malloc'ed, or NULL */
    const char *named; /* the name as the user wrote it */
    bool is_jar;
    bool is_bad; /* memory ran out */
};

static const char *text_of_code(const struct request *r, int code)
{
    if (!r->is_jar)
        return "its Agent_OnAttach failed; it may have said why on the output of the JVM";
    return code == JAR_BAD ? "the jar cannot be opened there, or its manifest has no Agent-Class"
           : code == JAR_NOT_ON_PATH ? "the agent's class is not in the jar"
           : code == JAR_FAILED
               ? "its agentmain failed; the exception is on the error output of the JVM"
               : "the JVM did not start it";
}

static int load(struct attach *a, const struct jvm *jvm, void *with)
{
    const struct request *r = with;
    struct attach_reply reply;
    enum attach_load_result result;
    int code = 0, status = CMD_FAILED;
    enum attach_cause cause = attach_load(a, r->library, r->options, &reply, &result, &code);
    const char *who = jvm_target_name(jvm);
    if (cause != ATTACH_OK) {
        asking_say_cause(who, a, cause);
    } else if (result == ATTACH_LOAD_DONE) {
        status = CMD_OK;
    } else if (result == ATTACH_LOAD_FAILED) {
        say("%s: %s returned %d: %s", who, r->named, code, text_of_code(r, code));
    } else if (result == ATTACH_LOAD_DISABLED) {
        say("%s: the JVM was started with -XX:-EnableDynamicAgentLoading; start it without, or "
            "name the agent on its command line",
            who);
    } else {
        int len;
        const char *reason = attach_load_reason(&reply, &len);
        say("%s: the JVM did not load %s%s%.*s; the path is one of the JVM's own root folder, and "
            "its user must be able to read it",
            who, r->named, len > 0 ? ": " : "", len, reason);
    }
    attach_reply_done(&reply);
    return status;
}

static bool is_jar(const char *name, size_t len)
{
    return len > 4 && memcmp(name + len - 4, ".jar", 4) == 0;
}

/* Makes a path absolute. The file need not exist here, because the JVM may see other folders. NULL:
 * no memory. */
static char *absolute(const char *name, size_t len)
{
    char *path = strndup(name, len), *real = path ? realpath(path, NULL) : NULL, *folder = NULL;
    if (real || !path || *path == '/') {
        if (real)
            free(path);
        return real ? real : path;
    }
    folder = getcwd(NULL, 0);
    if (folder && asprintf(&real, "%s/%s", folder, path) < 0)
        real = NULL;
    free(folder);
    free(path);
    return real;
}

/* X.jar[=OPTIONS] is loaded by the JDK's library `instrument`, which takes the jar's path before
 * the options. Owner: takes `path`. */
static void prepare_jar(struct request *r, char *path, const char *given)
{
    r->is_jar = true;
    r->library = strdup("instrument");
    if (!path || asprintf(&r->options, "%s%s%s", path, given ? "=" : "", given ? given : "") < 0)
        r->options = NULL;
    r->is_bad = !r->library || !r->options;
    free(path);
}

static void prepare(struct request *r, const char *named, const char *more)
{
    const char *equals = strstr(named, ".jar=");
    size_t len = equals ? (size_t)(equals + 4 - named) : strlen(named);
    const char *given = more ? more : equals ? equals + 5 : NULL;
    r->named = named;
    if (is_jar(named, len)) {
        prepare_jar(r, absolute(named, len), given);
        return;
    }
    /* A word without a slash that is not a file here is the name of a library, as after
     * -agentlib:. */
    bool is_name = !strchr(named, '/') && access(named, F_OK) != 0;
    r->library = is_name ? strdup(named) : absolute(named, len);
    r->options = given ? strdup(given) : NULL;
    r->is_bad = !r->library || (given && !r->options);
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct asking_line line = {.q = {.cmd = self}};
    struct request r = {0};

    int status = asking_read(&line, argc, argv, 2);
    if (status >= 0)
        return status;
    if (line.count == 0) {
        say("load: no agent named; usage: hprof load TARGET %s", "LIBRARY|JAR[=OPTIONS] [OPTIONS]");
        return CMD_USAGE;
    }
    prepare(&r, line.words[0], line.words[1]);
    if (r.is_bad) {
        say("load: out of memory");
        status = CMD_FAILED;
    } else {
        status = asking_each(&line.q, load, &r);
    }
    free(r.options);
    free(r.library);
    return status;
}

const struct cmd cmd_load = {
    .name = "load",
    .group = CMD_ACTS,
    .help = "Load an agent, a library or a jar, into a running JVM",
    .operands = "TARGET LIBRARY|JAR[=OPTIONS] [OPTIONS]",
    .needs = "a live JVM",
    .options = options,
    .run = run,
};
