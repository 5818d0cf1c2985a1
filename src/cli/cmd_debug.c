/*
 * cmd_debug.c - `hprof debug TARGET`: makes a JVM that was prepared for it listen for a debugger.
 * With --listen the command itself listens, and a debugger looks at a core or at a process that is
 * held (debug_listen.h).
 *
 * The JVM's own command VM.start_java_debugging does this; JDK 11 to 24 have it. For other JVMs the
 * command prints the option that the JVM must be started with. The JDK's debugging agent itself
 * runs `hprof debug --stopped` after it has stopped the program (debug_on.h), and the command then
 * prints where the debugger can connect.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include "cli/debug_listen.h"
#include "jvm/asking.h"
#include "jvm/jvm_target.h"
#include "jvm/max_stop.h"
#include "command/opts.h"
#include "command/say.h"
#include "safe/clock.h"

enum {
    OPT_STOPPED = ASKING_OPT_OWN,
    OPT_LISTEN,
    OPT_STOP,
    OPT_MAX_STOP,
    OPT_VIRTUAL,
    MAX_STOP_S = 60,
};

#define START_WITH "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,"

static const struct opt options[] = {
    {OPT_LISTEN, 0, "listen", "ADDRESS:PORT",
     "serve a debugger there that only looks: at a core, or with --stop at a process"},
    {OPT_STOP, 0, "stop", NULL, "with --listen: the process may stand still for it"},
    {OPT_MAX_STOP, 0, "max-stop", "TIME",
     "let it stand still for so long at most; 0 or none: no bound (60s)"},
    {OPT_VIRTUAL, 0, "virtual", NULL,
     "with --listen: also the virtual threads that are not mounted"},
    ASKING_CORE_ROWS,
    {OPT_STOPPED, 0, "stopped", NULL,
     "say where a JVM has stopped for a debugger; the JVM calls this: TRANSPORT ADDRESS"},
    {ASKING_OPT_TIMEOUT, 0, "timeout", "TIME", ASKING_TIMEOUT_HELP},
    {0},
};

/* The JVM answers most failures with code 0, so the text decides. Only an unknown command has
 * another code. */
static int tell(const char *who, const struct attach_reply *reply)
{
    int len = (int)strcspn(reply->text, "\n");
    if (reply->code != 0) {
        say("%s: this JVM has no command that starts debugging, as JDK 11 to 24 have (it says "
            "'%.*s'): it has to be started with " START_WITH "address=127.0.0.1:5005",
            who, len, reply->text);
        return CMD_FAILED;
    }
    if (attach_reply_says(reply, "Debugging has not been started")) {
        say("%s: the JVM was not started for this (it says '%.*s'): start it by 'hprof run "
            "--debug-on command -- java ...', or with " START_WITH
            "onjcmd=y,address=127.0.0.1:5005",
            who, len, reply->text);
        return CMD_FAILED;
    }
    asking_put(reply->text, reply->text_len);
    return CMD_OK;
}

static int start_debugging(struct attach *a, const struct jvm *jvm, void *with)
{
    static const char *const args[] = {"VM.start_java_debugging"};
    const char *who = jvm_target_name(jvm);
    struct attach_reply reply;
    int status = CMD_FAILED;
    (void)with;
    enum attach_cause cause = attach_call(a, "jcmd", args, 1, &reply);
    if (cause == ATTACH_OK)
        status = tell(who, &reply);
    else
        asking_say_cause(who, a, cause);
    attach_reply_done(&reply);
    return status;
}

/* The JVM is our parent process and gives the transport and the address as arguments. */
static int say_stopped(const struct asking_line *line)
{
    if (!line->q.target || line->count != 1) {
        say("debug: --stopped: TRANSPORT and ADDRESS are wanted, which the JVM gives");
        return CMD_USAGE;
    }
    say("the JVM %d has stopped and waits for a debugger by %s at %s, as of 'jdb -attach %s'",
        (int)getppid(), line->q.target, line->words[0], line->words[0]);
    return CMD_OK;
}

struct request {
    struct asking_line line;
    struct debug_listen listen;
    bool has_stopped;
    bool has_listen_option; /* one that only --listen has a use for */
};

/* Take one option. Returns an exit status if the command ends here, else a negative number. */
static int take(struct request *r, const struct opts *opts, int id)
{
    r->has_listen_option |= id == OPT_STOP || id == OPT_MAX_STOP || id == OPT_VIRTUAL ||
                            id == ASKING_OPT_EXE || id == ASKING_OPT_SYSROOT;
    switch (id) {
    case OPT_STOPPED:
        r->has_stopped = true;
        return -1;
    case OPT_LISTEN:
        r->listen.place = opts->value;
        return -1;
    case OPT_STOP:
        r->listen.may_stop = true;
        return -1;
    case OPT_VIRTUAL:
        r->listen.wants_virtuals = true;
        return -1;
    case OPT_MAX_STOP:
        return max_stop_parse(r->line.q.cmd, opts->value, &r->listen.max_stop_ns) < 0 ? CMD_USAGE
                                                                                      : -1;
    default:
        return asking_take(&r->line, opts, id);
    }
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct request r = {.line = {.q = {.cmd = self}},
                        .listen = {.max_stop_ns = (uint64_t)MAX_STOP_S * NS_PER_S}};
    int status = -1;
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    for (int id; status < 0 && (id = opts_next(&opts)) != OPTS_END;)
        status = take(&r, &opts, id);
    if (status >= 0)
        return status;
    if (r.has_stopped)
        return say_stopped(&r.line);
    status = asking_check(&r.line, 0);
    if (status)
        return status;
    if (r.listen.place) {
        r.line.q.is_single = true;
        return debug_listen_run(&r.line, &r.listen);
    }
    if (r.has_listen_option || asking_is_outside(&r.line)) {
        say("debug: %s goes with --listen 127.0.0.1:5005",
            r.has_listen_option ? "--stop, --max-stop, --virtual, --exe or --sysroot" : "a core");
        return CMD_USAGE;
    }
    return asking_each(&r.line.q, start_debugging, NULL);
}

const struct cmd cmd_debug = {
    .name = "debug",
    .group = CMD_ACTS,
    .help = "Let a debugger look at a core or a stopped JVM, or have a JVM listen for one",
    .operands = "TARGET|CORE",
    .needs = "a live JVM or a core file",
    .options = options,
    .run = run,
};
