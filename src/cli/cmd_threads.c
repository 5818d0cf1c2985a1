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
#include "command/tabular.h"
#include "jvm/stack_print.h"
#include "jvm/threads_print.h"
#include "jvm/threads_outside.h"
#include "command/values.h"
#include "safe/clock.h"
#include "threaddump/dumpfiles.h"
#include "threaddump/dumprows.h"

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
    OPT_SORT,
    OPT_FORMAT,
    OPT_TOP,
    OPT_FROM,
    OPT_TO,
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
    {OPT_SORT, 0, "sort", "COLUMN",
     "a table of the threads, ordered by COLUMN, COLUMN:asc or :desc"},
    {OPT_FORMAT, 0, "format", "NAME", "a table of the threads as csv, json or text (text)"},
    {OPT_TOP, 0, "top", "N", "so many rows of that table (all)"},
    {OPT_FROM, 0, "from", "TIME",
     "of files: dumps from then on: 14:05:00, a date, +10s from the first"},
    {OPT_TO, 0, "to", "TIME", "of files: dumps before then"},
    {ASKING_OPT_TIMEOUT, 0, "timeout", "TIME", ASKING_TIMEOUT_HELP},
    {0},
};

struct request {
    bool has_locks, is_extended, is_grouped, is_summary, is_json, wants_virtuals;
    bool is_repeated;  /* --count or --interval was given */
    bool has_deadlock; /* one was found */
    uint32_t count;
    uint64_t interval_ns;
    bool is_table; /* --sort or --format was given */
    uint32_t top;
    struct window window;
    struct tabular_how how;
    struct tabular_out out;
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

/* Takes the dump number `number` of a JVM as rows of a table. */
static int print_table(struct request *r, const struct jvm *jvm, const struct threaddump *d,
                       const struct threads_outside *o, unsigned number)
{
    struct tabular t = {0};
    char pid[16];
    snprintf(pid, sizeof(pid), "%d", (int)jvm->process.pid);
    r->out.input = pid;
    dumprows_begin(&t);
    int error = dumprows_add(&t, number, "", d, o);
    if (error == 0 && dumpfiles_table(&r->out, &t, r->top) != CMD_OK)
        error = E_SYNTAX; /* this was said */
    tabular_done(&t);
    return error;
}

static int print(struct request *r, const struct jvm *jvm, const struct attach_reply *reply,
                 unsigned number)
{
    struct threaddump d = {0};
    struct threads_outside o;
    int status = CMD_OK, error = threaddump_parse(&d, reply->text, reply->text_len);
    threads_outside_look(&o, jvm->process.pid, r->wants_virtuals);

    if (error == 0 && r->is_table)
        error = print_table(r, jvm, &d, &o, number);
    else if (error == 0 && r->is_json)
        error = print_json(&d, &o, jvm);
    else if (error == 0 && r->is_grouped)
        error = threads_print_groups(&d);
    else if (!r->is_summary)
        asking_put(reply->text, reply->text_len);
    bool is_text = !r->is_json && !r->is_table;
    if (error == 0 && !r->is_summary && !r->is_grouped && is_text)
        error = print_more(r, &d, &o);
    if (error == 0 && (r->is_summary || r->is_grouped) && is_text)
        error = threads_print_summary(&d, &o);
    if (error < 0) {
        if (error != E_SYNTAX)
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
            status = print(r, jvm, &reply, i + 1);
        attach_reply_done(&reply);
        worst = status > worst ? status : worst;
        if (is_over)
            break;
    }
    return worst;
}

/* All words are names of files; what asks a JVM has no meaning with them. */
static int read_files(struct request *r, const struct asking_line *line, const char *const *words,
                      uint32_t count)
{
    struct dumpfiles f = {.names = words,
                          .count = count,
                          .is_json = r->is_json,
                          .is_grouped = r->is_grouped,
                          .is_summary = r->is_summary,
                          .has_locks = r->has_locks,
                          .is_table = r->is_table,
                          .window = r->window,
                          .out = &r->out,
                          .top = r->top};
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
    if (window_is_set(&r->window)) {
        say("threads: --from and --to choose among dumps in files; a JVM is asked how its threads "
            "are now");
        return CMD_FAILED;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct opts word = {.value = words[i]};
        if (asking_take(line, &word, OPTS_WORD) >= 0)
            return CMD_FAILED;
    }
    if (asking_check(line, 0) != 0)
        return CMD_FAILED;
    r->out.has_inputs = jvm_target_is_all(line->q.target);
    line->q.is_data = tabular_is_data(&r->how);
    int status = asking_each(&line->q, ask, r);
    return r->has_deadlock ? STATUS_DEADLOCK : status == CMD_OK ? CMD_OK : CMD_FAILED;
}

static int take_edge(const char *option, const char *value, struct window_edge *ret_edge)
{
    if (window_parse(value, ret_edge) == 0)
        return -1;
    say("threads: --%s '%s': " WINDOW_WANTED, option, value);
    return CMD_FAILED;
}

/* Whether the options fit together. If not, says which do not. */
static bool fits(const struct request *r)
{
    const char *other = r->is_json      ? "--json"
                        : r->is_grouped ? "--group"
                        : r->is_summary ? "--summary"
                        : r->has_locks  ? "--locks"
                                        : NULL;
    if (r->is_table && other)
        say("threads: --sort and --format make a table of the threads, and %s something else",
            other);
    else if (!r->is_table && r->top > 0)
        say("threads: --top: of what? a table is made with --sort or --format");
    else if (window_is_empty(&r->window))
        say("threads: --to is not behind --from");
    else
        return true;
    return false;
}

/* Takes one option. Returns an exit status if the command ends here, else a negative number. */
static int take(struct request *r, struct asking_line *line, const struct opts *opts, int id)
{
    const struct cmd *self = line->q.cmd;
    bool *const flags[] = {[OPT_LOCKS] = &r->has_locks,        [OPT_EXTENDED] = &r->is_extended,
                           [OPT_GROUP] = &r->is_grouped,       [OPT_SUMMARY] = &r->is_summary,
                           [OPT_VIRTUAL] = &r->wants_virtuals, [OPT_JSON] = &r->is_json};
    switch (id) {
    case OPT_SORT:
        r->is_table = true;
        return tabular_take_sort(self->name, opts->value, &r->how.sort) < 0 ? CMD_FAILED : -1;
    case OPT_FORMAT:
        r->is_table = true;
        return tabular_take_form(self->name, opts->value, &r->how.form) < 0 ? CMD_FAILED : -1;
    case OPT_TOP:
        return values_count(self, "top", opts->value, COUNT_MAX, &r->top) < 0 ? CMD_FAILED : -1;
    case OPT_FROM:
        return take_edge("from", opts->value, &r->window.from);
    case OPT_TO:
        return take_edge("to", opts->value, &r->window.to);
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
    if (!fits(&r))
        return CMD_FAILED;
    r.out = (struct tabular_out){.how = &r.how, .command = self->name};
    int status = count > 0 && dumpfiles_is_file(words[0]) ? read_files(&r, &line, words, count)
                                                          : ask_jvm(&r, &line, words, count);
    int error = tabular_is_data(&r.how) ? tabular_finish(&r.out) : 0;
    tabular_drop(&r.out);
    return error < 0 && error != -EPIPE ? CMD_FAILED : status;
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
