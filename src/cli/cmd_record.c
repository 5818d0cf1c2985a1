/*
 * cmd_record.c - `hprof record TARGET`: makes a running JVM record for a while, and fetches the
 * recording.
 *
 * The agent writes into the JVM's /tmp: into a file without a name (jvm/held_file.h), or under a
 * name that this command chooses. This command copies the recording to the file that the user
 * named. So it does not matter which files the JVM sees and who owns them.
 *
 * While it waits, this command asks the agent every 10 seconds. If nobody asks for 30 seconds, the
 * agent ends the recording itself. A recording that is incomplete, or shorter than the user asked
 * for, is still fetched; the command then prints a warning and fails.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include "jvm/agent_link.h"
#include "recording/agent_words.h"
#include "jvm/agentlib.h"
#include "jvm/held_file.h"
#include "recording/jdk_recording.h"
#include "jvm/jvm_target.h"
#include "cli/record_push.h"
#include "command/opts.h"
#include "command/outfile.h"
#include "recording/recorded.h"
#include "command/say.h"
#include "command/values.h"
#include "options/options_parse.h"
#include "options/options_redact.h"
#include "safe/clock.h"

enum {
    OPT_OUTPUT = AGENT_WORDS_END,
    OPT_DURATION,
    OPT_QUIET,
    OPT_JFR,
    OPT_PUSH,
    OPT_HEADER,
    CLASSES_MS = 1000,
    BEAT_S = 10, /* seconds from one question to the next; LEASE is three times as long */
};

#define LEASE "30s"
/* Keeps the agent's messages out of the JVM's log; -O verbose=y comes after it. */
#define QUIET "verbose=n"

static const struct opt options[] = {
    AGENT_WORDS_ROWS,
    {OPT_OUTPUT, 'o', "output", "FILE",
     "where to, by its suffix: .jfr, .html, .txt, .hprof, .collapsed, ... (hprof-PID.jfr)"},
    {OPT_DURATION, 'd', "duration", "TIME",
     "so long; a bare number is seconds (until Ctrl-C or the end of the JVM)"},
    {OPT_JFR, 0, "jfr", "[=SETTINGS]",
     "the JVM's own recording, too, in the same .jfr file: default, profile or a .jfc file"},
    {OPT_PUSH, 0, "push", "URL",
     "send the recording, too, to a receiver of OTLP or to Pyroscope's /ingest: hprof help push"},
    {OPT_HEADER, 0, "header", "@FILE", "with --push: a file with a header in each line"},
    {OPT_QUIET, 'q', "quiet", NULL, "do not say where the recording is"},
    {0},
};

extern const struct cmd cmd_record;

struct request {
    char *library;
    const char *items;
    const char *push;      /* where to send the recording, too; NULL: nowhere */
    struct recorded_to to; /* its output is NULL for hprof-PID.jfr */
    int waits;            /* descriptor; tells the agent that we wait, if to.held does not; or -1 */
    uint64_t duration_ns; /* 0: no limit */
    bool has_jdk;         /* the JVM's own recorder records at the same time */
    struct jdk_recording_how jdk;
};

/* How the recording ended. */
enum end {
    END_ASKED,  /* the agent has done what it was told */
    END_GONE,   /* the JVM has ended */
    END_BEFORE, /* the agent says that the recording ended earlier */
    END_UNSURE, /* the JVM does not answer; the agent ends the recording when LEASE is over */
};

static enum end end_of(const struct agent_link *l)
{
    return l->end == AGENT_LINK_DONE      ? END_ASKED
           : l->end == AGENT_LINK_GONE    ? END_GONE
           : l->end == AGENT_LINK_REFUSED ? END_BEFORE
                                          : END_UNSURE;
}

/* Waits at most `ns` until one of the signals of the signalfd `signals` comes or the JVM ends.
 * Returns whether a signal came; the signal is taken. */
static bool wait_ns(const struct agent_link *l, int signals, uint64_t ns)
{
    struct pollfd p[] = {{.fd = signals, .events = POLLIN},
                         {.fd = l->attach->socket.pidfd, .events = POLLIN}};
    struct timespec t = clock_timespec(ns);
    struct signalfd_siginfo taken;
    return ppoll(p, sizeof(p) / sizeof(p[0]), &t, NULL) > 0 && p[0].revents != 0 &&
           read(signals, &taken, sizeof(taken)) == sizeof(taken);
}

/* Waits until the agent has changed all classes that the recording needs, a signal comes or the
 * agent does not answer. */
static void wait_for_classes(struct agent_link *l, unsigned id, int signals)
{
    struct pollfd p = {.fd = signals, .events = POLLIN};
    unsigned left = agent_link_left(l, id);
    agent_link_say_left(l, left);
    while (left > 0 && poll(&p, 1, CLASSES_MS) <= 0)
        left = agent_link_left(l, id);
}

/* Asks the agent regularly until the time is over, a signal comes or the recording has ended by
 * itself. If the JVM does not answer once, the loop goes on, because the JVM may answer later. */
static enum end wait_for_end(struct agent_link *l, unsigned id, uint64_t duration_ns, int signals)
{
    uint64_t left = duration_ns != 0 ? duration_ns : UINT64_MAX;
    char command[64];
    snprintf(command, sizeof(command), "status,id=%u", id);
    while (left > 0) {
        uint64_t ns = left < (uint64_t)BEAT_S * NS_PER_S ? left : (uint64_t)BEAT_S * NS_PER_S;
        if (wait_ns(l, signals, ns))
            break;
        left -= left == UINT64_MAX ? 0 : ns;
        if (left > 0 && agent_link_send(l, command) != CMD_OK &&
            (l->end == AGENT_LINK_GONE || l->end == AGENT_LINK_REFUSED))
            return end_of(l);
    }
    snprintf(command, sizeof(command), "stop,id=%u", id);
    /* The first Ctrl-C ends the recording, and a second one ends the wait for the agent's answer. A
     * signal that is already pending is taken here, so that it does not end that wait. */
    (void)wait_ns(l, signals, 0);
    (void)agent_link_send(l, command);
    return end_of(l);
}

/* The JVM does not answer, but the agent may still obey. */
static void say_unsure(const struct agent_link *l, const char *name, int held)
{
    const char *who = jvm_target_name(l->jvm);
    char kept[RECORDED_NAME];
    recorded_keep(l->attach, held, name, kept);
    if (kept[0])
        say("%s: the recording goes on for " LEASE " at most, as %s in the JVM's /tmp, where it is "
            "left",
            who, kept);
    else
        say("%s: the recording is lost: it could not be kept in the JVM's /tmp", who);
}

static int bring(struct agent_link *l, enum end end, const char *name, const struct recorded_to *to)
{
    const char *output = recorded_said(to->output);
    const char *who = jvm_target_name(l->jvm);
    bool is_whole;
    if (end == END_UNSURE) {
        say_unsure(l, name, to->held);
        return CMD_FAILED;
    }
    if (end == END_GONE)
        say("%d: the JVM has ended; its recording goes so far", (int)l->jvm->process.pid);
    int status = recorded_fetch(l->attach, name, to, end != END_BEFORE, &is_whole);
    if (status != CMD_OK)
        return status;
    if (!is_whole)
        say("%s: %s is not whole: the JVM was killed, or could not write all of it, or was told "
            "not to (doe=n)",
            who, output);
    else if (end == END_BEFORE)
        say("%s: %s ends before its time", who, output);
    return is_whole && end != END_BEFORE ? CMD_OK : CMD_FAILED;
}

/* Tells the agent to begin the recording, and opens the recording's file if the file has no
 * name. */
static int start(struct agent_link *l, struct request *r, const char *name, unsigned *ret_id)
{
    const char *held = held_file_item(l->attach);
    bool is_binary = strcmp(recorded_suffix(r->to.output), ".hprof") == 0;
    char *command, stop[64];
    if (asprintf(&command, "start," QUIET ",%s%s,lease=" LEASE "%s,file=/tmp/%s", r->items,
                 is_binary ? ",format=b" : "", held, name) < 0) {
        say("record: out of memory");
        return CMD_FAILED;
    }
    int status = agent_link_send(l, command);
    free(command);
    if (l->end == AGENT_LINK_GONE)
        say("%d: the JVM has ended", (int)l->jvm->process.pid);
    if ((l->end == AGENT_LINK_SILENT || l->end == AGENT_LINK_INTERRUPTED) && held[0])
        say("%s: if the recording begins all the same, it ends after " LEASE
            ", and nothing of it stays",
            jvm_target_name(l->jvm));
    else if (l->end == AGENT_LINK_SILENT || l->end == AGENT_LINK_INTERRUPTED)
        say_unsure(l, name, HELD_FILE_NAMED);
    if (status != CMD_OK)
        return status;
    *ret_id = (unsigned)agent_link_number(l, "id");
    r->to.held = held_file_open(l);
    if (r->to.held >= 0 || r->to.held == HELD_FILE_NAMED) {
        r->waits = held_file_wait(l);
        return CMD_OK;
    }
    r->to.held = HELD_FILE_NAMED;
    snprintf(stop, sizeof(stop), "stop,id=%u", *ret_id);
    (void)agent_link_send(l, stop);
    return CMD_FAILED;
}

static int record_agent(struct agent_link *l, struct request *r, int signals,
                        struct jdk_recording *beside)
{
    char name[RECORDED_NAME];
    unsigned id;
    recorded_name(name, l->nonce, r->to.output);
    int status = start(l, r, name, &id);
    if (status != CMD_OK) {
        if (beside && jdk_recording_stop(beside) == CMD_OK)
            jdk_recording_drop(beside);
        return status;
    }
    wait_for_classes(l, id, signals);
    enum end end = wait_for_end(l, id, r->duration_ns, signals);
    int stopped = beside ? jdk_recording_stop(beside) : CMD_OK;
    status = bring(l, end, name, &r->to);
    if (r->to.held >= 0)
        close(r->to.held);
    r->to.held = HELD_FILE_NAMED;
    if (r->waits >= 0)
        close(r->waits);
    r->waits = -1;
    return status != CMD_OK ? status : stopped;
}

/* Runs the JVM's own recorder around the agent's recording, if the user asked for both. */
static int record_and_fetch(struct agent_link *l, struct request *r, int signals)
{
    struct jdk_recording beside;
    struct options asked;
    struct options_error why;
    if (!r->has_jdk)
        return record_agent(l, r, signals, NULL);
    r->jdk.duration_ns = r->duration_ns;
    r->jdk.items = r->items;
    if (jdk_recording_start(&beside, &r->jdk, l->attach, l->jvm, l->nonce) != CMD_OK)
        return CMD_FAILED;
    /* The agent itself reports an error in these options. */
    (void)options_parse(r->items, NULL, &asked, &why);
    r->to.beside = beside.file;
    r->to.secret = options_redact_of(&asked);
    int status = record_agent(l, r, signals, &beside);
    r->to.beside = NULL;
    r->to.secret = (struct secret){0};
    options_done(&asked);
    if (beside.is_running && jdk_recording_stop(&beside) == CMD_OK)
        say("%s: the JVM's own recording is left in its /tmp as %s", jvm_target_name(l->jvm),
            beside.file);
    jdk_recording_close(&beside);
    return status;
}

/* From now on a signal ends the recording or the wait for an answer, but not this process. */
static int record_until_signal(struct agent_link *l, struct request *r)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t ending, before;
    sigemptyset(&ending);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        sigaddset(&ending, numbers[i]);
    int signals = signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals < 0) {
        say("record: signalfd is refused (%s), and nothing could end the recording early; allow it "
            "in the container's seccomp profile",
            strerror(errno));
        return CMD_FAILED;
    }
    sigprocmask(SIG_BLOCK, &ending, &before);
    l->attach->socket.ending = &ending;
    int status = record_and_fetch(l, r, signals);
    l->attach->socket.ending = NULL;
    /* Take a pending signal: the exit status says more than death by that signal. */
    (void)wait_ns(l, signals, 0);
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(signals);
    return status;
}

static int record(struct attach *a, const struct jvm *jvm, void *with)
{
    struct request r = *(const struct request *)with;
    char output[64];
    struct agent_link link;
    snprintf(output, sizeof(output), "hprof-%d.jfr", (int)jvm->process.pid);
    if (!r.to.output)
        r.to.output = output;
    int status = agent_link_open(&link, a, jvm, r.library);
    link.cmd = &cmd_record;
    if (r.push)
        record_push_begin(jvm->process.pid);
    if (status == CMD_OK)
        status = record_until_signal(&link, &r);
    agent_link_close(&link);
    if (status == CMD_OK && !r.to.is_quiet)
        say("%s: recorded into %s", jvm_target_name(jvm), recorded_said(r.to.output));
    if (status == CMD_OK && r.push && !record_push_send(r.push, r.to.output))
        return CMD_FAILED;
    return status;
}

/* Take one option. Returns an exit status if the command ends here, else a negative number. */
static int take(struct request *r, struct agent_words *w, const struct opts *opts, int id)
{
    switch (id) {
    case OPT_OUTPUT:
        r->to.output = opts->value;
        return -1;
    case OPT_PUSH:
        r->push = opts->value;
        return -1;
    case OPT_HEADER:
        return record_push_header(opts->value) < 0 ? CMD_USAGE : -1;
    case OPT_QUIET:
        r->to.is_quiet = true;
        return -1;
    case OPT_JFR:
        r->has_jdk = true;
        return jdk_recording_take(&r->jdk, opts->value) < 0 ? CMD_USAGE : -1;
    case OPT_DURATION:
        return values_seconds(w->line.q.cmd, "duration", opts->value, &r->duration_ns) < 0
                   ? CMD_USAGE
                   : -1;
    default:
        return agent_words_take(w, opts, id);
    }
}

/* Check the suffix of --output. Errors: 0; CMD_USAGE after saying why. */
static int check_output(const struct request *r)
{
    const char *output = r->to.output;
    if (r->push && output && recorded_is_stdout(output)) {
        say("record: --push sends a file, and '-o -' makes none");
        return CMD_USAGE;
    }
    if (r->push && record_push_check(r->push) < 0)
        return CMD_USAGE;
    if (!output)
        return 0;
    if (recorded_is_stdout(output) && isatty(STDOUT_FILENO)) {
        say("record: --output -: a recording is not text for a terminal; write '> app.jfr' behind "
            "the command");
        return CMD_USAGE;
    }
    if (!recorded_can_make(output)) {
        say("record: --output '%s': its suffix is that of no format that can be written; "
            "'hprof formats' lists them",
            output);
        return CMD_USAGE;
    }
    if (r->has_jdk && !recorded_can_merge(output)) {
        say("record: --output '%s': with --jfr it is a .jfr file, of which 'hprof report' makes "
            "others",
            output);
        return CMD_USAGE;
    }
    return 0;
}

static int check_folder(const char *output)
{
    if (output && recorded_is_stdout(output))
        return 0;
    return outfile_check_folder("record", output ? output : "hprof.jfr");
}

/* Check the options together with a short form of what start() adds to them. */
static int check_words(const struct agent_words *w, const char *output)
{
    char more[RECORDED_NAME + 32], name[RECORDED_NAME];
    bool is_binary = output && strcmp(recorded_suffix(output), ".hprof") == 0;
    recorded_name(name, 0, output ? output : "hprof.jfr");
    snprintf(more, sizeof(more), ",file=/tmp/%s%s", name, is_binary ? ",format=b" : "");
    return agent_words_check(w, more);
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct agent_words w = {.line = {.q = {.cmd = self, .is_single = true}},
                            .items.command = self->name};
    struct request r = {.to.held = HELD_FILE_NAMED, .waits = -1};
    struct opts opts;
    int status = -1;
    opts_init(&opts, self, argc, argv);
    for (int id; status < 0 && (id = opts_next(&opts)) != OPTS_END;)
        status = take(&r, &w, &opts, id);
    if (status < 0) {
        agent_words_end(&w);
        status = w.items.failed ? CMD_USAGE : asking_check(&w.line, 0);
        if (status == 0)
            status = check_output(&r);
        if (status == 0)
            status = check_words(&w, r.to.output);
        if (status == 0 &&
            (agentlib_find(w.library, &r.library) < 0 || check_folder(r.to.output) < 0))
            status = CMD_FAILED;
        r.items = w.items.text;
        r.to.first = w.drawn;
        /* A recording shows what a program does, so only its user may read the file. */
        umask(077);
        if (status == 0)
            status = asking_each(&w.line.q, record, &r);
    }
    free(r.library);
    jdk_recording_done(&r.jdk);
    inject_done(&w.items);
    return status;
}

static const struct project_option project[] = {
    AGENT_WORDS_PROJECT,       {OPT_OUTPUT, PROJECT_OUTPUT}, {OPT_DURATION, PROJECT_ANY},
    {OPT_JFR, PROJECT_PRESET}, {OPT_QUIET, PROJECT_ANY},     {0, PROJECT_ANY}};

const struct cmd cmd_record = {
    .name = "record",
    .group = CMD_RECORDS,
    .help = "Have a running JVM record for a while, and fetch the recording",
    .others = "asprof collect",
    .operands = "TARGET",
    .needs = "a live JVM",
    .options = options,
    .project = project,
    .run = run,
};
