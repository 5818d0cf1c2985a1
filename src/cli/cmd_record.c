/*
 * cmd_record.c - `hprof record TARGET`: have a running JVM record for a while, and fetch the
 * recording.
 *
 * The agent writes in the JVM's /tmp, under a name of ours, and this command brings what it wrote
 * to where its user wants it: so it does not matter which files the JVM sees and whose they are.
 * While it waits it asks now and then, and an agent that nobody asks for half a minute ends by
 * itself. SPDX-License-Identifier: Apache-2.0
 */
#include "cli/cmd.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/newfile.h"
#include "base/units.h"
#include "cli/agent_link.h"
#include "cli/agent_words.h"
#include "cli/agentlib.h"
#include "cli/help.h"
#include "cli/jvm_target.h"
#include "cli/opts.h"
#include "cli/outfile.h"
#include "cli/say.h"

enum {
    OPT_OUTPUT = AGENT_WORDS_END,
    OPT_DURATION,
    OPT_QUIET,
    BEAT_S = 10, /* so often the agent is asked; LEASE is three of these */
    COPY_BYTES = 256 * 1024,
};

#define LEASE "30s"

static const uint64_t ns_per_s = 1000000000;

static const struct opt options[] = {
    AGENT_WORDS_ROWS,
    {OPT_OUTPUT, 'o', "output", "FILE",
     "where to, by its suffix: .jfr, .html, .txt, .hprof, .collapsed, ... (hprof-PID.jfr)"},
    {OPT_DURATION, 'd', "duration", "TIME",
     "so long; a bare number is seconds (until Ctrl-C or the end of the JVM)"},
    {OPT_QUIET, 'q', "quiet", NULL, "do not say where the recording is"},
    {0},
};

struct request {
    char *library;
    const char *items, *output; /* NULL: a name with the number of the process */
    uint64_t duration_ns;       /* 0: no end */
    bool is_quiet;
};

/* The agent writes these itself; all else is made of a JFR recording. */
static const char *own_suffix(const char *output)
{
    static const char *const suffixes[] = {".txt", ".hprof"};
    size_t len = strlen(output);

    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        size_t n = strlen(suffixes[i]);
        if (len > n && strcmp(output + len - n, suffixes[i]) == 0)
            return suffixes[i];
    }
    return ".jfr";
}

static bool has_suffix(const char *name, const char *suffix)
{
    size_t len = strlen(name), n = strlen(suffix);

    return len > n && strcmp(name + len - n, suffix) == 0;
}

/* Waits for the end of the time, or for a signal that is to end it. Whether the JVM is still there.
 */
static bool wait_for_end(struct agent_link *l, unsigned id, uint64_t duration_ns,
                         const sigset_t *ending)
{
    uint64_t left = duration_ns != 0 ? duration_ns : UINT64_MAX;
    char command[64];

    snprintf(command, sizeof(command), "status,id=%u", id);
    while (left > 0) {
        uint64_t ns = left < BEAT_S * ns_per_s ? left : BEAT_S * ns_per_s;
        struct timespec t = {.tv_sec = (time_t)(ns / ns_per_s), .tv_nsec = (long)(ns % ns_per_s)};
        if (sigtimedwait(ending, NULL, &t) > 0)
            return true;
        left -= left == UINT64_MAX ? 0 : ns;
        if (left > 0 && agent_link_send(l, command) != CMD_OK)
            return false;
    }
    return true;
}

static int copy_out(int from, const char *output)
{
    struct newfile out;
    char *bytes = malloc(COPY_BYTES);
    int error = 0;

    if (!bytes || outfile_open("record", output, &out) < 0) {
        free(bytes);
        return CMD_FAILED;
    }
    for (ssize_t n; error == 0 && (n = read(from, bytes, COPY_BYTES)) != 0;) {
        ssize_t at = 0;
        for (ssize_t w; n > 0 && at < n && (w = write(out.fd, bytes + at, (size_t)(n - at))) > 0;)
            at += w;
        error = n < 0 || at < n ? errno : 0;
    }
    if (close(out.fd) != 0 && error == 0)
        error = errno;
    free(bytes);
    if (error == 0)
        return CMD_OK;
    say("record: %s: %s", output, strerror(error));
    return CMD_FAILED;
}

/* What is neither is drawn by `hprof report`, as if its user had said so. */
static int draw(int from, const char *output)
{
    char path[64], word[] = "report", flag[] = "-o";
    char *name = strdup(output);
    char *argv[] = {word, path, flag, name, NULL};
    const struct cmd *report = help_find(word);

    snprintf(path, sizeof(path), "/proc/self/fd/%d", from);
    int status = name && report ? report->run(report, 4, argv) : CMD_FAILED;
    free(name);
    return status;
}

/* The file in the JVM's /tmp, as who we are; it is removed when it has been brought. */
static int fetch(struct attach *a, const char *name, const char *output)
{
    struct stat st;
    int status = CMD_FAILED;
    int fd = openat(a->socket.tmp, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool is_own =
        fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == a->socket.process.uid;

    (void)process_ids_back(&a->before);
    if (!is_own)
        say("record: the JVM has left no recording in its /tmp");
    else if (has_suffix(output, own_suffix(output)))
        status = copy_out(fd, output);
    else
        status = draw(fd, output);
    if (fd >= 0)
        close(fd);
    if (process_ids_take(&a->socket.process, &a->before) == 0 && status == CMD_OK)
        (void)unlinkat(a->socket.tmp, name, 0);
    else if (is_own)
        say("record: what was recorded is still in the JVM's /tmp, as %s", name);
    return status;
}

static int record_and_fetch(struct agent_link *l, const struct request *r, const char *name,
                            const char *output)
{
    sigset_t ending, before;
    char *command;
    int status;

    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    if (asprintf(&command, "start,%s,lease=" LEASE ",file=/tmp/%s", r->items, name) < 0) {
        say("record: out of memory");
        return CMD_FAILED;
    }
    /* From here on Ctrl-C is the end of the recording and not ours. */
    sigprocmask(SIG_BLOCK, &ending, &before);
    status = agent_link_send(l, command);
    free(command);
    if (status == CMD_OK) {
        char stop[64];
        snprintf(stop, sizeof(stop), "stop,id=%u", agent_link_number(l, "id"));
        if (wait_for_end(l, agent_link_number(l, "id"), r->duration_ns, &ending))
            (void)agent_link_send(l, stop);
        if (l->is_gone)
            say("%d: the JVM has ended; its recording goes so far", (int)l->jvm->process.pid);
        status = fetch(l->attach, name, output);
    } else if (l->is_gone) {
        say("%d: the JVM has ended", (int)l->jvm->process.pid);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

static int record(struct attach *a, const struct jvm *jvm, void *with)
{
    const struct request *r = with;
    char name[64], output[PATH_MAX];
    struct agent_link link;

    snprintf(output, sizeof(output), "hprof-%d.jfr", (int)jvm->process.pid);
    if (r->output)
        snprintf(output, sizeof(output), "%s", r->output);
    snprintf(name, sizeof(name), ".hprof-record-%d%s", (int)getpid(), own_suffix(output));
    int status = agent_link_open(&link, a, jvm, r->library);
    if (status == CMD_OK)
        status = record_and_fetch(&link, r, name, output);
    if (status == CMD_OK && !r->is_quiet)
        say("%s: recorded into %s", jvm_target_name(jvm), output);
    return status;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct agent_words w = {.line = {.q = {.cmd = self, .is_single = true}}};
    struct request r = {0};
    struct opts opts;
    int status = -1;

    opts_init(&opts, self, argc, argv);
    for (int id; status < 0 && (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPT_OUTPUT) {
            r.output = opts.value;
        } else if (id == OPT_QUIET) {
            r.is_quiet = true;
        } else if (id != OPT_DURATION) {
            status = agent_words_take(&w, &opts, id);
        } else if (units_parse_duration(opts.value, ns_per_s, &r.duration_ns) < 0 ||
                   r.duration_ns == 0) {
            say("record: --duration '%s': a time longer than 0 is wanted, as in 30s or 5000ms",
                opts.value);
            status = CMD_USAGE;
        }
    }
    if (status < 0) {
        agent_words_end(&w);
        status = w.items.failed ? CMD_USAGE : asking_check(&w.line, 0);
        if (status == 0 && (agentlib_find(w.library, &r.library) < 0 ||
                            (r.output && outfile_check_folder("record", r.output) < 0)))
            status = CMD_FAILED;
        r.items = w.items.text;
        if (status == 0)
            status = asking_each(&w.line.q, record, &r);
    }
    free(r.library);
    inject_done(&w.items);
    return status;
}

const struct cmd cmd_record = {
    .name = "record",
    .help = "Have a running JVM record for a while, and fetch the recording",
    .operands = "TARGET",
    .needs = "a live JVM",
    .options = options,
    .run = run,
};
