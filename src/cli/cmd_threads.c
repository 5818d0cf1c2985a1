/*
 * cmd_threads.c - `hprof threads TARGET`: the threads of a JVM, as it prints them itself; and
 * `hprof threads DUMP...`: what thread dumps in files say.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "attach/threaddump.h"
#include "base/err.h"
#include "base/sink.h"
#include "jvm/asking.h"
#include "jvm/jvm_target.h"
#include "command/opts.h"
#include "command/say.h"
#include "jvm/stack_print.h"
#include "jvm/threads_print.h"
#include "jvm/threads_outside.h"
#include "command/values.h"
#include "safe/clock.h"
#include "threaddump/dumpfiles.h"

/* A deadlock has exit status 2. So a wrong command line, or a name that several JVMs have, has
 * status 1 here, as with `hprof stack`. */
enum { STATUS_DEADLOCK = 2 };

enum {
    OPT_LOCKS = ASKING_OPT_OWN,
    OPT_EXTENDED,
    OPT_COUNT,
    OPT_INTERVAL,
    OPT_GROUP,
    OPT_SUMMARY,
    OPT_VIRTUAL,
    OPT_JSON,
    COUNT_MAX = 1000000,
};

static const struct opt options[] = {
    {OPT_LOCKS, 'l', "locks", NULL, "also the java.util.concurrent locks that threads have"},
    {OPT_EXTENDED, 'e', "extended", NULL, "also what each thread allocated (JDK 11 and later)"},
    {OPT_COUNT, 'n', "count", "N", "so many dumps (1)"},
    {OPT_INTERVAL, 'i', "interval", "TIME", "so long between two dumps (1s)"},
    {OPT_GROUP, 'g', "group", NULL, "threads with equal stacks as one, the largest group first"},
    {OPT_SUMMARY, 's', "summary", NULL, "only how many are in which state, and contended locks"},
    {OPT_VIRTUAL, 0, "virtual", NULL, "also the virtual threads that are not mounted"},
    {OPT_JSON, 0, "json", NULL, "print JSON, an object a dump"},
    {ASKING_OPT_TIMEOUT, 0, "timeout", "TIME", ASKING_TIMEOUT_HELP},
    {0},
};

struct request {
    bool has_locks, is_extended, is_grouped, is_summary, is_json, wants_virtuals;
    bool is_repeated;  /* --count or --interval was given */
    bool has_deadlock; /* one was found */
    uint32_t count;
    uint64_t interval_ns;
};

static int print_json(const struct threaddump *d, const struct threads_outside *o,
                      const struct jvm *jvm)
{
    struct sink s;
    int error = sink_init(&s, STDOUT_FILENO);
    if (error == 0) {
        sink_printf(&s, "{\"pid\":%d,", (int)jvm->process.pid);
        threads_print_json(&s, d, o);
        error = sink_done(&s);
    }
    return error;
}

/* After the JVM's own text: prints what that text does not have. */
static int print_more(const struct request *r, const struct threaddump *d,
                      const struct threads_outside *o)
{
    int error = 0;
    if (r->has_locks) {
        putchar('\n');
        error = threads_print_locks(d, o);
    }
    if (o->is_known && r->wants_virtuals)
        stack_print_virtuals(stdout, &o->snapshot);
    if (o->is_known)
        stack_print_deadlocks(stdout, &o->snapshot);
    return error;
}

static int print(struct request *r, const struct jvm *jvm, const struct attach_reply *reply)
{
    struct threaddump d = {0};
    struct threads_outside o;
    int status = CMD_OK, error = threaddump_parse(&d, reply->text, reply->text_len);
    threads_outside_look(&o, jvm->process.pid, r->wants_virtuals);

    if (error == 0 && r->is_json)
        error = print_json(&d, &o, jvm);
    else if (error == 0 && r->is_grouped)
        error = threads_print_groups(&d);
    else if (!r->is_summary)
        asking_put(reply->text, reply->text_len);
    if (error == 0 && !r->is_summary && !r->is_grouped && !r->is_json)
        error = print_more(r, &d, &o);
    if (error == 0 && (r->is_summary || r->is_grouped) && !r->is_json)
        error = threads_print_summary(&d, &o);
    if (error < 0) {
        say("%s: %s", jvm_target_name(jvm), err_text(error));
        status = CMD_FAILED;
    } else if (d.deadlocks > 0 || o.snapshot.locks.deadlock_count > 0) {
        r->has_deadlock = true;
    }
    fflush(stdout);
    if (o.has_unlisted)
        say("%s: virtual threads that are not mounted are not shown, nor deadlocks among them; "
            "--virtual shows them",
            jvm_target_name(jvm));
    else if (!o.is_known && r->wants_virtuals)
        say("%s: its memory cannot be read, so virtual threads that are not mounted are not known",
            jvm_target_name(jvm));
    threads_outside_done(&o);
    threaddump_done(&d);
    return status;
}

static int ask(struct attach *a, const struct jvm *jvm, void *with)
{
    struct request *r = with;
    /* JDK 8 accepts "-l" only; later JDKs search the text for the letters. */
    const char *const args[] = {r->is_extended ? (r->has_locks ? "-e -l" : "-e")
                                : r->has_locks ? "-l"
                                               : ""};
    struct timespec pause = clock_timespec(r->interval_ns);
    int worst = CMD_OK;

    for (uint32_t i = 0; i < r->count; i++) {
        struct attach_reply reply;
        if (i > 0) {
            fflush(stdout);
            nanosleep(&pause, NULL);
        }
        int status = asking_call(a, jvm, "threaddump", args, 1, &reply);
        bool is_over = status != CMD_OK;
        if (!is_over)
            status = print(r, jvm, &reply);
        attach_reply_done(&reply);
        worst = status > worst ? status : worst;
        if (is_over)
            break;
    }
    return worst;
}

/* All words are names of files; what asks a JVM has no meaning with them. */
static int read_files(const struct request *r, const struct asking_line *line,
                      const char *const *words, uint32_t count)
{
    struct dumpfiles f = {.names = words,
                          .count = count,
                          .is_json = r->is_json,
                          .is_grouped = r->is_grouped,
                          .is_summary = r->is_summary,
                          .has_locks = r->has_locks};
    const char *option = r->is_extended            ? "--extended"
                         : r->wants_virtuals       ? "--virtual"
                         : r->is_repeated          ? "--count and --interval"
                         : line->q.timeout_ns != 0 ? "--timeout"
                                                   : NULL;
    if (option) {
        say("threads: %s: for a file there is no %s; a file has what it has", words[0], option);
        return CMD_FAILED;
    }
    int status = dumpfiles_print(&f);
    return f.has_deadlock ? STATUS_DEADLOCK : status == CMD_OK ? CMD_OK : CMD_FAILED;
}

static int ask_jvm(struct request *r, struct asking_line *line, const char *const *words,
                   uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct opts word = {.value = words[i]};
        if (asking_take(line, &word, OPTS_WORD) >= 0)
            return CMD_FAILED;
    }
    if (asking_check(line, 0) != 0)
        return CMD_FAILED;
    int status = asking_each(&line->q, ask, r);
    return r->has_deadlock ? STATUS_DEADLOCK : status == CMD_OK ? CMD_OK : CMD_FAILED;
}

/* Takes one option. Returns an exit status if the command ends here, else a negative number. */
static int take(struct request *r, struct asking_line *line, const struct opts *opts, int id)
{
    const struct cmd *self = line->q.cmd;
    bool *const flags[] = {[OPT_LOCKS] = &r->has_locks,        [OPT_EXTENDED] = &r->is_extended,
                           [OPT_GROUP] = &r->is_grouped,       [OPT_SUMMARY] = &r->is_summary,
                           [OPT_VIRTUAL] = &r->wants_virtuals, [OPT_JSON] = &r->is_json};
    switch (id) {
    case OPT_COUNT:
        r->is_repeated = true;
        return values_count(self, "count", opts->value, COUNT_MAX, &r->count) < 0 ? CMD_FAILED : -1;
    case OPT_INTERVAL:
        r->is_repeated = true;
        return values_duration(self, "interval", opts->value, &r->interval_ns) < 0 ? CMD_FAILED
                                                                                   : -1;
    default:
        if (id < OPT_LOCKS)
            return asking_take(line, opts, id);
        *flags[id] = true;
        return -1;
    }
}

/* `words` has room for all words of the command line. */
static int run_words(const struct cmd *self, int argc, char **argv, const char **words)
{
    struct asking_line line = {.q = {.cmd = self}};
    struct request r = {.count = 1, .interval_ns = NS_PER_S};
    uint32_t count = 0;
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        int status = -1;
        if (id == OPTS_WORD)
            words[count++] = opts.value;
        else
            status = take(&r, &line, &opts, id);
        if (status >= 0)
            return status == CMD_USAGE ? CMD_FAILED : status;
    }
    return count > 0 && dumpfiles_is_file(words[0]) ? read_files(&r, &line, words, count)
                                                    : ask_jvm(&r, &line, words, count);
}

static int run(const struct cmd *self, int argc, char **argv)
{
    const char **words = calloc((size_t)argc + 1, sizeof(*words));
    int status = words ? run_words(self, argc, argv, words) : CMD_FAILED;
    free(words);
    return status;
}

const struct cmd cmd_threads = {
    .name = "threads",
    .group = CMD_LOOKS,
    .help = "Print the threads of a JVM, or what thread dumps say, and find deadlocks",
    .operands = "TARGET|DUMP...",
    .needs = "a live JVM, or files",
    .others = "jstack",
    .options = options,
    .run = run,
};
