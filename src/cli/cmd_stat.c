/*
 * cmd_stat.c - `hprof stat [OPTION] TARGET [INTERVAL [COUNT]]`: prints counters again and again, as
 * jstat does.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "jvm/asking.h"
#include "jvm/counters_source.h"
#include "command/opts.h"
#include "command/say.h"
#include "jvm/heap_counters.h"
#include "jvm/stat_table.h"
#include "jvm/stat_value.h"
#include "command/values.h"
#include "hotspot/target.h"
#include "hotspot/vm_stop.h"
#include "mem/mem_live.h"
#include "safe/clock.h"

enum {
    OPT_COLUMNS = ASKING_OPT_OWN,
    OPT_TIME,
    OPT_HEAD,
    HEAD_MAX = 1000000,
    COUNT_MAX = 1000000000,
};

static const struct opt options[] = {
    {OPT_COLUMNS, 'c', "columns", "NAME", "those of jstat's option -NAME: gc, gcutil, class, ..."},
    {OPT_TIME, 't', "time", NULL, "how long the JVM has been running, in a column before"},
    {OPT_HEAD, 0, "head", "N", "the heads again after N lines; also -h N as with jstat"},
    ASKING_CORE_ROWS,
    {0},
};

/* A stop of a live JVM that is not over yet. The counters of stops change only when a stop has
 * ended (hotspot/vm_stop.h), so they show nothing of a long stop. No messages are printed, because
 * a user who may read the file of counters may not always read the memory. */
struct stop_now {
    struct mem_live live;
    struct target target;
    struct vm_stop stop;
    bool is_open;
};

/* Opens process `pid`; 0: none. If the process cannot be read, no stop is seen. */
static void open_stop(struct stop_now *s, pid_t pid)
{
    const char *missing;
    *s = (struct stop_now){.live = {.mem_fd = -1}};
    if (pid == 0)
        return;
    s->is_open =
        mem_live_open(pid, &s->live) == 0 && target_open(&s->live.image, &s->target, &missing) == 0;
    if (s->is_open)
        vm_stop_init(&s->stop, &s->target);
}

/* The seconds of the current stop that the counters do not have; 0: there is no stop, or it is not
 * known. `count` as for vm_stop_read(). */
static double stopped_s(struct stop_now *s, uint64_t count)
{
    if (!s->is_open)
        return 0;
    vm_stop_read(&s->stop, &s->live, count);
    return s->stop.uncounted_s;
}

static void close_stop(struct stop_now *s)
{
    target_close(&s->target);
    mem_live_close(&s->live);
}

struct request {
    struct stat_table table; /* table.option NULL: our own view */
    uint32_t head_every;     /* 0: the heads are printed once */
    uint64_t interval_ns;    /* 0: one line */
    uint32_t count;          /* 0: until the JVM ends */
    struct stop_now stop;    /* for our own view: how long the program has been stopped by now */
    struct outside_files files;
};

/* Whether the word consists of digits only. */
static bool is_number(const char *word)
{
    return *word != '\0' && word[strspn(word, "0123456789")] == '\0';
}

/*
 * Replaces options in the style of jstat (-gcutil, -h3, -h 3) by the options that our parser knows.
 * All other words stay as they are. Returns the number of words.
 */
static int translate(int argc, char **argv, char **words, char **owned)
{
    int count = 0;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        const char *number = strncmp(word, "-h", 2) == 0 ? (word[2] != '\0' ? word + 2
                                                            : i + 1 < argc  ? argv[i + 1]
                                                                            : "")
                                                         : "";
        owned[i] = NULL;
        if (word[0] == '-' && stat_table_is_option(word + 1)) {
            if (asprintf(&owned[i], "--columns=%s", word + 1) < 0)
                owned[i] = NULL;
        } else if (is_number(number)) {
            i += word[2] == '\0';
            owned[i] = NULL;
            if (asprintf(&owned[i], "--head=%s", number) < 0)
                owned[i] = NULL;
        }
        words[count++] = owned[i] ? owned[i] : argv[i];
    }
    return count;
}

static double uptime_s(const struct counters_source *source)
{
    return source->pid != 0 ? mem_live_age_s(source->pid) : -1;
}

static void print_head(const struct request *r)
{
    if (r->table.option)
        stat_table_print_head(&r->table);
    else
        stat_table_print_own_head();
}

static void print_row(struct request *r, const struct counters_source *source)
{
    struct heap_counters heap;
    if (r->table.option) {
        stat_table_print_row(&r->table, source->data);
    } else {
        heap_counters_read(source->data, &heap);
        double stop_s = stopped_s(&r->stop, (uint64_t)heap.safepoints);
        stat_table_print_own_row(source->data, &heap, uptime_s(source), stop_s);
    }
    fflush(stdout);
}

static void sleep_until(struct timespec *next, uint64_t ns)
{
    next->tv_nsec += (long)(ns % NS_PER_S);
    next->tv_sec += (time_t)(ns / NS_PER_S) + next->tv_nsec / NS_PER_S;
    next->tv_nsec %= NS_PER_S;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL) == EINTR)
        ;
}

static void watch(struct request *r, struct counters_source *source)
{
    struct timespec next;
    uint32_t lines = 0;
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (;;) {
        if (lines == 0 || (r->head_every != 0 && lines % r->head_every == 0))
            print_head(r);
        print_row(r, source);
        lines++;
        if (r->interval_ns == 0 || lines == r->count)
            return;
        sleep_until(&next, r->interval_ns);
        /* The JVM has ended. */
        if (counters_source_refresh(source) < 0)
            return;
    }
}

static const char file_scheme[] = "file://";

static int show(struct request *r, const struct cmd *self, const char *target)
{
    struct counters_source source;
    int status = CMD_FAILED;

    /* jstat writes the name of a saved file with this scheme. */
    if (strncmp(target, file_scheme, sizeof(file_scheme) - 1) == 0)
        target += sizeof(file_scheme) - 1;
    if (strstr(target, "://") || strchr(target, '@')) {
        say("stat: '%s': other machines are not asked; run 'ssh HOST hprof stat PID'", target);
        return CMD_USAGE;
    }
    status = counters_source_open(self, target, &r->files, &source);
    if (status == 0) {
        r->table.release = stat_value_release(source.data);
        open_stop(&r->stop, r->table.option ? 0 : source.pid);
        watch(r, &source);
        close_stop(&r->stop);
    }
    counters_source_close(&source);
    return status;
}

static int take_times(const struct cmd *self, const struct asking_line *line, struct request *r)
{
    if (line->count > 0 && values_duration(self, "interval", line->words[0], &r->interval_ns) < 0)
        return CMD_USAGE;
    if (line->count > 1 && values_count(self, "count", line->words[1], COUNT_MAX, &r->count) < 0)
        return CMD_USAGE;
    return 0;
}

static int parse(const struct cmd *self, int argc, char **argv)
{
    struct asking_line line = {.q = {.cmd = self}};
    struct request r = {0};
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        int status = -1;
        if (id == OPT_COLUMNS)
            r.table.option = opts.value;
        else if (id == OPT_TIME)
            r.table.has_time = true;
        else if (id == OPT_HEAD)
            status = values_count(self, "head", opts.value, HEAD_MAX, &r.head_every) < 0 ? CMD_USAGE
                                                                                         : -1;
        else
            status = asking_take(&line, &opts, id);
        if (status >= 0)
            return status;
    }
    if (r.table.option && !stat_table_is_option(r.table.option)) {
        say("stat: no columns are called '%s'; known are %s", r.table.option, stat_table_options());
        return CMD_USAGE;
    }
    int status = asking_check(&line, 2);
    r.files = line.files;
    if (status == 0)
        status = take_times(self, &line, &r);
    return status != 0 || !line.q.target ? status : show(&r, self, line.q.target);
}

/* Prints what `jstat -options` prints. */
static void print_options(void)
{
    for (const char *word = stat_table_options(); *word; word += *word == ' ') {
        size_t len = strcspn(word, " ");
        printf("-%.*s\n", (int)len, word);
        word += len;
    }
}

static int run(const struct cmd *self, int argc, char **argv)
{
    char **words = calloc((size_t)argc * 2 + 1, sizeof(*words));
    int status = CMD_FAILED;
    if (!words) {
        say("stat: out of memory");
        return status;
    }
    if (argc == 2 && strcmp(argv[1], "-options") == 0) {
        print_options();
        free(words);
        return CMD_OK;
    }
    char **owned = words + argc;
    status = parse(self, translate(argc, argv, words, owned), words);
    for (int i = 0; i < argc; i++)
        free(owned[i]);
    free(words);
    return status;
}

const struct cmd cmd_stat = {
    .name = "stat",
    .group = CMD_LOOKS,
    .help = "Print the performance counters of a JVM as they change, as jstat does",
    .operands = "TARGET|FILE|CORE [INTERVAL [COUNT]]",
    .needs = "a live JVM, a file of counters or a core file",
    .options = options,
    .run = run,
};
