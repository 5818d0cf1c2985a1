/*
 * cmd_report.c - `hprof report FILE...`: summarises saved profiles, or writes them in other
 * formats.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/diag_say.h"
#include "command/cmd.h"
#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "report/annotate.h"
#include "report/convert.h"
#include "reading/gather.h"
#include "command/help.h"
#include "reading/keys.h"
#include "reading/load.h"
#include "command/opts.h"
#include "command/plainout.h"
#include "command/outfile.h"
#include "report/report.h"
#include "report/report_calls.h"
#include "report/report_io.h"
#include "report/report_leaks.h"
#include "report/report_series.h"
#include "report/report_ttsp.h"
#include "command/say.h"
#include "command/tabular.h"
#include "command/values.h"
#include "format/format.h"
#include "profile/quality.h"
#include "profile/series.h"
#include "query/query_report.h"

enum {
    OPT_TOP = 1,
    OPT_TRACES,
    OPT_FORMAT,
    OPT_VERBOSE,
    OPT_HIDDEN,
    OPT_OUTPUT,
    OPT_TO,
    OPT_EVENT,
    OPT_MEMORY,
    OPT_INCLUDE,
    OPT_EXCLUDE,
    OPT_NO_THREADS,
    OPT_LINES,
    OPT_SIMPLE,
    OPT_NORM,
    OPT_DOT,
    OPT_TIERS,
    OPT_FROM,
    OPT_STATE,
    OPT_SOURCE,
    OPT_MARKERS,
    OPT_BY,
    OPT_CPU,
    OPT_WALL,
    OPT_ALLOC,
    OPT_LIVE,
    OPT_LOCK,
    OPT_NATIVEMEM,
    OPT_LEAK,
    OPT_TOTAL,
    OPT_THREADS,
    OPT_SORT,
    OPT_TABLE,
    OPT_SQL,
    ROWS_MAX = 1000000,
    TOP_DEFAULT = 20,
    MEMORY_LEAST = 4 << 20,
};

static const struct opt options[] = {
    {OPT_TOP, 'n', "top", "N", "rows in each table (20)"},
    {OPT_TRACES, 't', "traces", "N", "also print the N hottest stacks (0)"},
    {OPT_FORMAT, 'f', "format", "NAME",
     "csv, json, text: how tables are written; a format of profiles: read as this one"},
    {OPT_SORT, 0, "sort", "COLUMN", TABULAR_SORT_HELP},
    {OPT_TABLE, 0, "table", "NAME", "only the table of this name: methods, sites"},
    {OPT_SQL, 0, "sql", NULL,
     "print the SQL for 'hprof query' that has the rows of the table of --table (methods)"},
    {OPT_VERBOSE, 'v', "verbose", NULL, "all counts that say how far to trust the profile"},
    {OPT_OUTPUT, 'o', "output", "FILE",
     "write FILE in the format of its suffix (.gz: packed), no tables"},
    {OPT_TO, 0, "to", "NAME|TIME",
     "the format to write, in place of the suffix; a time: events before then"},
    {OPT_EVENT, 'e', "event", "WORD",
     "what to show, or write:" HELP_SERIES " or a type of events with a stack: jdk.FileRead"},
    {OPT_MARKERS, 0, "markers", "NAME,...",
     "event types that become markers of the Firefox Profiler: jdk.FileRead, GC*"},
    {OPT_CPU, 0, "cpu", NULL, "as --event cpu, in the words of async-profiler's converter"},
    {OPT_WALL, 0, "wall", NULL, "as --event wall"},
    {OPT_ALLOC, 0, "alloc", NULL, "as --event alloc"},
    {OPT_LIVE, 0, "live", NULL, "as --event live"},
    {OPT_LOCK, 0, "lock", NULL, "as --event lock"},
    {OPT_NATIVEMEM, 0, "nativemem", NULL, "as --event nativemem"},
    {OPT_LEAK, 0, "leak", NULL,
     "of native memory what was not freed, with its age; with -e mmap what is still mapped"},
    {OPT_FROM, 0, "from", "TIME", "events from then on: seconds (12.5, 2m), 14:05:00, a date"},
    {OPT_STATE, 's', "state", "WORD,...",
     "samples of threads that were runnable, sleeping, native"},
    {OPT_SOURCE, 0, "source", "DIR",
     "show source below DIR with samples by line: FILE is followed by METHOD or Main.java"},
    {OPT_BY, 'b', "by", "KEY",
     "a key of what threads worked for (user), a field (sampledThread), or process"},
    {OPT_MEMORY, 0, "memory", "SIZE", "use so much at most: the smallest stacks become one"},
    {OPT_INCLUDE, 'I', "include", "REGEX", "write stacks with a frame that matches only"},
    {OPT_EXCLUDE, 'X', "exclude", "REGEX", "write no stacks with a frame that matches"},
    {OPT_NO_THREADS, 0, "no-threads", NULL, "write the stacks of all threads together"},
    {OPT_THREADS, 0, "threads", NULL, "write them by thread, as without this option"},
    {OPT_TOTAL, 0, "total", NULL, "write the sums of values, as without this option"},
    {OPT_LINES, 0, "lines", NULL, "write methods with their lines"},
    {OPT_SIMPLE, 0, "simple", NULL, "write classes without their packages"},
    {OPT_NORM, 0, "norm", NULL, "write the VM's own classes without their numbers"},
    {OPT_TIERS, 0, "tiers", NULL,
     "a method is a frame each for interpreted, C1, C2, inlined; collapsed stacks name them"},
    {OPT_DOT, 0, "dot", NULL, "collapsed stacks: dots between packages, no slashes"},
    {OPT_HIDDEN, 0, "hidden", NULL, "with the frames of lambdas, method handles and reflection"},
    {0},
};

/* The user's request. */
struct request {
    struct report_how report;
    struct convert convert; /* if it has no path, tables are printed */
    struct load_how how;
    /* `folders` has the folders of --source. With --source, files[0] is the profile, and files[1]
     * is the method, class or source file to show. */
    const char **files, **folders;
    size_t count, folder_count;
    regex_t include, exclude;
    bool has_leak;      /* --leak was given */
    bool has_calls;     /* --event method: tables of calls are printed */
    const char *shapes; /* name of an option that only pictures take; NULL: none was given */
    size_t printed;     /* reports so far; a blank line separates two reports */
    bool wants_sql;
    struct tabular_how tables;
    struct tabular_out out;
};

/* Prints the tables of a profile. Returns 0; negative; 1 if the profile lacks what the user asked
 * for, after saying so. */
static int print_tables(const struct request *r, const char *path, const char *title,
                        struct profile *profile)
{
    const struct series *wanted = r->convert.series;
    if (r->has_calls && report_calls_has(profile) && !r->how.want.by)
        return report_calls(&r->report, title, profile);
    if (r->convert.drawn && !(wanted = convert_drawn(path, r->convert.drawn, profile)))
        return 1;
    /* A recording in which no thread was late has this, too. */
    if (wanted && wanted == series_named("ttsp") && !r->how.want.by &&
        quality_value(profile, QUALITY_TTSP_RESOLUTION) > 0)
        return report_ttsp(&r->report, title, profile);
    if ((wanted && !convert_has(path, wanted, profile)) ||
        (r->how.want.by && !keys_has(path, r->how.want.by, profile, diag_say())))
        return 1;
    if (r->how.want.by)
        return report_series_by(&r->report, title, profile, r->how.want.by, wanted);
    if (report_leaks_is(wanted))
        return report_leaks(&r->report, title, profile, wanted);
    if (wanted && wanted == series_named("io"))
        return report_io(&r->report, title, profile);
    return wanted ? report_series(&r->report, title, profile, wanted)
                  : report_print(&r->report, title, profile);
}

static int report_file(struct request *r, const char *path)
{
    struct report_how *report = &r->report;
    r->out.input = path;
    struct load load;
    int status = CMD_FAILED;
    if (load_open(path, &r->how, diag_say(), &load) == 0) {
        char *title = NULL;
        status = load.damaged ? CMD_FAILED : CMD_OK;
        report->is_damaged = load.damaged;
        int result = asprintf(&title, "%s (%s)", path, load.format->name) < 0 ? -ENOMEM : 0;

        r->out.is_answered = true;
        if (r->printed++ > 0)
            putc('\n', report->out);
        if (result == 0)
            result = print_tables(r, path, title, load.profile);
        if (result < 0)
            say("%s: %s", path, strerror(ENOMEM));
        if (result != 0)
            status = CMD_FAILED;
        free(title);
    }
    load_close(&load);
    return status;
}

/* Finds a format that can be read, or if `to_write` one that can be written. Errors: 0, or negative
 * after saying why. */
static int find_format(const char *name, bool to_write, const struct format **ret_format)
{
    const struct format *format = format_named(name);
    if (!format) {
        say("report: unknown format '%s'; 'hprof formats' lists them", name);
        return E_NOT_FOUND;
    }
    if (to_write ? !format->writer : !format->reader) {
        say("report: files of the format '%s' are only %s; 'hprof formats' lists what can be %s",
            name, to_write ? "read" : "written", to_write ? "written" : "read");
        return E_UNSUPPORTED;
    }
    *ret_format = format;
    return 0;
}

static int take_memory(const struct cmd *self, const char *value, uint64_t *ret_bytes)
{
    int r = values_size(self, "memory", value, ret_bytes);
    if (r == 0 && *ret_bytes < MEMORY_LEAST) {
        say("report: --memory '%s': at least 4m", value);
        return -ERANGE;
    }
    return r;
}

static int take_edge(const char *option, const char *value, struct window_edge *ret_edge)
{
    int r = window_parse(value, ret_edge);
    if (r < 0)
        say("report: --%s '%s': " WINDOW_WANTED, option, value);
    return r;
}

/* Whether the value is a time. No name of a format begins with a digit, '+' or "nanotime:". */
static bool is_time(const char *value)
{
    return *value == '+' || isdigit((unsigned char)*value) || strncmp(value, "nanotime:", 9) == 0;
}

/* Takes the name of a series, or of types of events. Names of types have dots, capitals, wildcards
 * or commas; names of series have none of them. */
static int find_event(struct request *r, const char *word)
{
    bool is_type = false;
    for (const char *at = word; *at; at++)
        is_type |= strchr(".*?,", *at) || isupper((unsigned char)*at);
    r->convert.series = is_type ? NULL : series_named(word);
    r->convert.drawn = r->how.want.drawn = is_type ? word : NULL;
    if (is_type || r->convert.series)
        return 0;
    say("report: unknown --event '%s'; 'hprof help report' lists them; a type of events is "
        "written as jdk.FileRead",
        word);
    return E_NOT_FOUND;
}

/* run() frees the pattern at its end. */
static int take_pattern(const char *option, const char *value, regex_t *pattern,
                        const regex_t **ret_used)
{
    char why[128];
    int r;
    if (*ret_used)
        regfree(pattern);
    *ret_used = NULL;
    r = regcomp(pattern, value, REG_EXTENDED | REG_NOSUB);
    if (r == 0) {
        *ret_used = pattern;
        return 0;
    }
    regerror(r, pattern, why, sizeof(why));
    say("report: --%s '%s': %s", option, value, why);
    return E_SYNTAX;
}

/* The word of --event that an option such as --cpu stands for; NULL: it is another option. */
static const char *event_of(int id)
{
    static const char *const words[] = {"cpu", "wall", "alloc", "live", "lock", "nativemem"};
    return id >= OPT_CPU && id <= OPT_NATIVEMEM ? words[id - OPT_CPU] : NULL;
}

/* Takes an option that says how stacks are written. Errors: 0; E_NOT_FOUND: it is another option;
 * other negative numbers after saying why. */
static int take_shape(struct request *r, int id, const char *value)
{
    struct shown_how *how = &r->convert.how;
    switch (id) {
    case OPT_INCLUDE:
        r->shapes = "include";
        how->include_text = value;
        return take_pattern("include", value, &r->include, &how->include);
    case OPT_EXCLUDE:
        r->shapes = "exclude";
        how->exclude_text = value;
        return take_pattern("exclude", value, &r->exclude, &how->exclude);
    case OPT_NO_THREADS:
    case OPT_THREADS:
        r->shapes = id == OPT_THREADS ? "threads" : "no-threads";
        how->no_threads = id == OPT_NO_THREADS;
        return 0;
    case OPT_TOTAL:
        r->shapes = "total";
        return 0;
    case OPT_LINES:
        r->shapes = "lines";
        how->with_lines = true;
        return 0;
    case OPT_SIMPLE:
        r->shapes = "simple";
        how->is_simple = true;
        return 0;
    case OPT_NORM:
        r->shapes = "norm";
        how->is_normal = true;
        return 0;
    case OPT_TIERS:
        r->shapes = "tiers";
        r->convert.with_tiers = true;
        return 0;
    case OPT_DOT:
        r->shapes = "dot";
        r->convert.has_dots = true;
        return 0;
    default:
        return E_NOT_FOUND;
    }
}

/* Takes an option that says how tables are written. Errors: 0, or negative after saying why. */
static int take_table(struct request *r, int id, const char *value)
{
    switch (id) {
    case OPT_FORMAT:
        return tabular_form_named(value) >= 0 ? tabular_take_form("report", value, &r->tables.form)
                                              : find_format(value, false, &r->how.format);
    case OPT_SORT:
        return tabular_take_sort("report", value, &r->tables.sort);
    case OPT_SQL:
        r->wants_sql = true;
        return 0;
    default:
        r->tables.table = value;
        return 0;
    }
}

/* Errors: 0, or negative after saying why. */
static int take_option(struct request *r, const struct cmd *self, int id, const char *value)
{
    switch (id) {
    case OPT_TOP:
        return values_count(self, "top", value, ROWS_MAX, &r->report.top);
    case OPT_TRACES:
        return values_count(self, "traces", value, ROWS_MAX, &r->report.traces);
    case OPT_VERBOSE:
        r->report.is_verbose = 1;
        return 0;
    case OPT_HIDDEN:
        r->report.with_hidden = r->convert.how.with_hidden = true;
        return 0;
    case OPT_FORMAT:
    case OPT_SORT:
    case OPT_SQL:
    case OPT_TABLE:
        return take_table(r, id, value);
    case OPT_MEMORY:
        return take_memory(self, value, &r->how.memory);
    case OPT_FROM:
        return take_edge("from", value, &r->how.window.from);
    case OPT_SOURCE:
        r->folders[r->folder_count++] = value;
        return 0;
    case OPT_STATE:
        r->how.want.states = value;
        return 0;
    case OPT_BY:
        r->how.want.by = r->convert.how.by = value;
        r->how.want.with_contexts = r->convert.how.no_threads = true;
        r->how.want.with_processes = keys_is_process(value);
        return 0;
    case OPT_OUTPUT:
        r->convert.path = value;
        return 0;
    case OPT_TO:
        return is_time(value) ? take_edge("to", value, &r->how.window.to)
                              : find_format(value, true, &r->convert.format);
    case OPT_MARKERS:
        r->convert.types = value;
        return 0;
    case OPT_EVENT:
        return find_event(r, value);
    case OPT_CPU:
    case OPT_WALL:
    case OPT_ALLOC:
    case OPT_LIVE:
    case OPT_LOCK:
    case OPT_NATIVEMEM:
        return find_event(r, event_of(id));
    case OPT_LEAK:
        r->has_leak = true;
        return 0;
    case OPTS_WORD:
        r->files[r->count++] = value;
        return 0;
    default:
        return id > 0 ? take_shape(r, id, value) : E_SYNTAX;
    }
}

/* With --source, the second operand says which method, class or file is shown. */
static int check_source(const struct request *r)
{
    const char *path = r->convert.path;
    const char *suffix = path ? strrchr(path, '.') : NULL;
    if (r->count != 2) {
        say("report: --source: name one profile, and a method, class or source file: hprof report "
            "--source src/main/java x.jfr com.example.Main.run");
        return E_SYNTAX;
    }
    if (r->shapes || r->convert.format || r->convert.drawn ||
        (path && (!suffix || strcmp(suffix, ".html") != 0))) {
        say("report: --source prints text, or with --output x.html writes a page");
        return E_UNSUPPORTED;
    }
    return 0;
}

/* The series that --leak shows beside the one that the user wants; NULL: they do not fit. */
static const struct series *leak_of(const struct series *wanted)
{
    if (report_leaks_is(wanted))
        return wanted;
    if (wanted == series_named("mmap"))
        return series_named("mapped");
    return !wanted || wanted == series_named("nativemem") ? series_named("leak") : NULL;
}

/* --leak, alone or with --event nativemem, is --event leak. Calls need the times of the
 * events. Errors: 0, or negative after saying what is wrong. */
static int settle_events(struct request *r)
{
    const struct series *leak = leak_of(r->convert.series);
    if (r->has_leak && (r->convert.drawn || !leak)) {
        say("report: --leak is about native memory: use it with --event nativemem or mmap");
        return E_SYNTAX;
    }
    if (r->has_leak)
        r->convert.series = leak;
    r->has_calls = r->convert.series == series_named("method") && !r->convert.path;
    if (r->has_calls)
        report_calls_want(&r->how);
    return 0;
}

/* Reports with ages, or with the longest of several times, need the time of each event. The worst
 * times to safepoint are single events, each of its thread. */
static void settle_times(struct request *r)
{
    const struct series *wanted = r->convert.series;
    if (!wanted || r->convert.path)
        return;
    bool is_ttsp = wanted == series_named("ttsp");
    if (is_ttsp || report_leaks_is(wanted) || wanted == series_named("io"))
        r->how.want.with_times = true;
    if (is_ttsp)
        r->how.want.with_threads = true;
}

/* Whether an option of tables was given. */
static bool has_tables(const struct request *r)
{
    return tabular_wants_rows(&r->tables) || r->tables.table;
}

/* Checks whether the options fit together. Errors: 0, or negative after saying what is wrong. */
static int check(struct request *r, const struct cmd *self)
{
    struct convert *c = &r->convert;
    if (settle_events(r) < 0)
        return E_SYNTAX;
    settle_times(r);
    if (window_is_empty(&r->how.window)) {
        say("report: --to is not behind --from");
        return E_SYNTAX;
    }
    if (r->count == 0) {
        say("report: no file named; usage: hprof report [OPTION...] %s", self->operands);
        return E_SYNTAX;
    }
    if (has_tables(r) && (r->folder_count || c->path || c->format)) {
        say("report: --sort, --table and --format csv and json are for tables, and %s prints none",
            r->folder_count ? "--source"
            : c->path       ? "--output"
                            : "--to");
        return E_SYNTAX;
    }
    if (r->folder_count)
        return check_source(r);
    if (c->path && !c->format) {
        c->format = outfile_format(c->path);
        if (!c->format) {
            say("report: the suffix of '%s' is that of no format that can be written; name one "
                "with --to, 'hprof formats' lists them",
                c->path);
            return E_NOT_FOUND;
        }
    }
    if (!c->path && c->format)
        c->path = "-";
    if (c->path && r->count > 1 && !writer_can(c->format->writer, WRITER_PICTURE)) {
        say("report: files of the format '%s' are written from one file, not from %zu; pictures "
            "take several, and 'hprof jfr merge' makes one of several recordings",
            c->format->name, r->count);
        return E_SYNTAX;
    }
    if (r->how.want.by && c->path && !writer_can(c->format->writer, WRITER_PICTURE)) {
        say("report: --by: files of the format '%s' keep stacks as they are", c->format->name);
        return E_UNSUPPORTED;
    }
    if (c->types && (!c->path || !writer_can(c->format->writer, WRITER_TYPES))) {
        say("report: --markers is for files of the format 'firefox'");
        return E_UNSUPPORTED;
    }
    if (r->shapes && !c->path) {
        say("report: --%s shapes what is written: name the file with --output", r->shapes);
        return E_SYNTAX;
    }
    if (r->shapes && !writer_can(c->format->writer, WRITER_PICTURE)) {
        say("report: --%s: files of the format '%s' keep stacks as they are", r->shapes,
            c->format->name);
        return E_UNSUPPORTED;
    }
    return 0;
}

/* Prints the tables of several files together, separated by process. */
static int print_processes(struct request *r, const struct gather_file *files)
{
    struct load load;
    int error = gather_open(files, r->count, &r->how, diag_say(), &load);
    if (error == 0) {
        r->out.is_answered = true;
        error = print_tables(r, "the files", "the files", load.profile);
        if (error < 0)
            say("report: %s", strerror(-error));
    }
    if (error == 0 && load.damaged)
        error = E_TRUNCATED;
    load_close(&load);
    return error;
}

/* Reports several files in one picture, or in one table. */
static int report_together(struct request *r)
{
    struct gather_file *files = calloc(r->count, sizeof(*files));
    int error = files ? 0 : -ENOMEM;
    for (size_t i = 0; files && i < r->count; i++)
        files[i].path = r->files[i];
    if (!files)
        say("report: %s", strerror(ENOMEM));
    else if (r->convert.path)
        error = convert_files(&r->convert, files, r->count, &r->how);
    else
        error = print_processes(r, files);
    free(files);
    return error != 0 ? CMD_FAILED : CMD_OK;
}

static int report_all(struct request *r)
{
    int status = CMD_OK;
    if (r->count > 1 && (r->convert.path || r->how.want.with_processes))
        return report_together(r);
    for (size_t i = 0; i < r->count; i++)
        if ((r->convert.path ? convert_file(&r->convert, r->files[i], &r->how, NULL)
                             : report_file(r, r->files[i])) != CMD_OK)
            status = CMD_FAILED;
    return status;
}

/* Prints the SQL of a table. */
static int print_sql(const struct request *r)
{
    const char *table = r->tables.table ? r->tables.table : "methods";
    const struct series *series = r->convert.series ? r->convert.series : series_named("cpu");
    struct plainout out;
    int error = plainout_open(&out, true);
    if (error < 0) {
        say("report: %s", strerror(-error));
        return CMD_FAILED;
    }
    error = query_report_write(table, series, r->report.with_hidden, r->report.top, &out.sink);
    int done = plainout_done(&out);
    if (error < 0)
        say("report: --sql: the table '%s' cannot be said in SQL; methods, names, sites and the "
            "tables of "
            "kinds of events can",
            table);
    return error == 0 && done == 0 ? CMD_OK : CMD_FAILED;
}

/* Checks what goes with --sql. Errors: 0, or negative after saying what is wrong. */
static int check_sql(const struct request *r)
{
    const char *other = tabular_wants_rows(&r->tables)  ? "--sort and --format"
                        : r->how.want.by                ? "--by"
                        : r->how.want.states            ? "--state"
                        : window_is_set(&r->how.window) ? "--from and --to"
                        : r->convert.path               ? "--output"
                        : r->convert.drawn              ? "a type of events"
                        : r->report.traces > 0          ? "--traces"
                        : r->folder_count > 0           ? "--source"
                                                        : NULL;
    if (other)
        say("report: --sql goes with --table, --event, --top and --hidden, not with %s", other);
    return other ? E_SYNTAX : 0;
}

/* Writes the tables as the options say. The text is held back: it is not printed if there is no
 * such table or column, nor if the rows are data. */
static int report_tables(struct request *r)
{
    char *text = NULL;
    size_t len = 0;
    FILE *held = open_memstream(&text, &len);
    if (!held) {
        say("report: %s", strerror(ENOMEM));
        return CMD_FAILED;
    }
    r->out = (struct tabular_out){.how = &r->tables,
                                  .command = "report",
                                  .has_tables = true,
                                  .chooser = "--table",
                                  .has_inputs = r->count > 1 && !r->how.want.with_processes};
    r->report.out = held;
    r->report.rows = &r->out;
    int status = report_all(r);
    r->report.out = stdout;
    if (fclose(held) != 0)
        status = CMD_FAILED;
    bool is_answered = r->out.is_answered;
    int error = tabular_finish(&r->out);
    if (error == 0 && is_answered && !tabular_is_data(&r->tables))
        fwrite(text, 1, len, stdout);
    free(text);
    return tabular_status(error, status);
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct request r = {
        .convert = {.command = "report"},
        .report = {.out = stdout, .width = report_width(stdout), .top = TOP_DEFAULT},
        .files = calloc((size_t)argc, sizeof(*r.files)),
        .folders = calloc((size_t)argc, sizeof(*r.folders)),
    };
    struct opts opts;
    int status = CMD_USAGE;
    if (!r.files || !r.folders)
        goto out;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPTS_HELP) {
            help_cmd(stdout, self);
            status = CMD_OK;
            goto out;
        }
        if (id == OPTS_ERROR || take_option(&r, self, id, opts.value) < 0)
            goto out;
    }
    if (check(&r, self) < 0)
        goto out;
    if (r.folder_count) {
        const struct annotate annotate = {r.files[0],    &r.how,         r.files[1],
                                          r.folders,     r.folder_count, r.convert.series,
                                          r.convert.path};
        status = annotate_show(&annotate) < 0 ? CMD_FAILED : CMD_OK;
        goto out;
    }
    if (r.wants_sql) {
        status = check_sql(&r) < 0 ? CMD_USAGE : print_sql(&r);
        goto out;
    }
    status = has_tables(&r) ? report_tables(&r) : report_all(&r);
out:
    if (r.convert.how.include)
        regfree(&r.include);
    if (r.convert.how.exclude)
        regfree(&r.exclude);
    free(r.files);
    free(r.folders);
    return status;
}

const struct cmd cmd_report = {
    .name = "report",
    .group = CMD_READS,
    .help = "Summarise profiles, or write them in another format",
    .others = "jfrconv",
    .operands = "FILE...",
    .needs = "files in a format that 'hprof formats' lists",
    .options = options,
    .run = run,
};
