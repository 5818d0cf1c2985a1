/*
 * cmd_debug.c - `hprof debug TARGET`: makes a JVM that was prepared for it listen for a debugger.
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
#include "jvm/asking.h"
#include "jvm/jvm_target.h"
#include "command/opts.h"
#include "command/say.h"

enum { OPT_STOPPED = ASKING_OPT_OWN };

#define START_WITH "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,"

static const struct opt options[] = {
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

static int run(const struct cmd *self, int argc, char **argv)
{
    struct asking_line line = {.q = {.cmd = self}};
    bool has_stopped = false;
    struct opts opts;
    int status = -1;
    opts_init(&opts, self, argc, argv);
    for (int id; status < 0 && (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPT_STOPPED)
            has_stopped = true;
        else
            status = asking_take(&line, &opts, id);
    }
    if (status >= 0)
        return status;
    if (has_stopped)
        return say_stopped(&line);
    status = asking_check(&line, 0);
    return status ? status : asking_each(&line.q, start_debugging, NULL);
}

const struct cmd cmd_debug = {
    .name = "debug",
    .group = CMD_ACTS,
    .help = "Have a JVM that was started for it listen for a debugger",
    .operands = "TARGET",
    .needs = "a live JVM of JDK 11 to 24",
    .options = options,
    .run = run,
};
