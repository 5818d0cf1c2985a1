/*
 * options.c - see options.h.
 *
 * One row an option: its name, how to set it, and the two columns of the help. The order is that of
 * the help text.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/units.h"

enum {
    NAME_SIZE = 16, /* the original's buffer: a name of 16 characters or more is a syntax error */
    INTERVAL_MIN_NS = 10000, /* the kernel fires perf's clock no faster */
    MS = 1000000,
    PORT_DIGITS = 5,
};

/* Sets one option. Returns NULL, or the error text. */
typedef const char *setter(struct options *o, const char *value, size_t field);

struct row {
    const char *name, *values; /* the first column of the help; NULL values: not in the help */
    const char *about, *shown_default;
    const char *empty; /* error text for a missing value; NULL: the setter's, called with "" */
    setter *set;
    size_t field; /* offset in struct options of what a general setter sets */
};

static const char *set_switch(struct options *o, const char *value, size_t field)
{
    int *at = (int *)((char *)o + field);

    if (strcmp(value, "y") != 0 && strcmp(value, "n") != 0)
        return "y|n";
    *at = value[0] == 'y';
    return NULL;
}

static const char *set_number(struct options *o, const char *value, size_t field)
{
    if (!value[0])
        return "numeric";
    *(long *)((char *)o + field) = strtol(value, NULL, 0);
    return NULL;
}

static const char *set_heap(struct options *o, const char *value, size_t field)
{
    int dump = strcmp(value, "dump") == 0, sites = strcmp(value, "sites") == 0;

    if (strcmp(value, "all") == 0)
        dump = sites = 1;
    if (!dump && !sites)
        return "heap option value must be dump|sites|all";
    o->heap_dump |= dump;
    o->heap_sites |= sites;
    return NULL;
}

static const char *set_cpu(struct options *o, const char *value, size_t field)
{
    if (strcmp(value, "y") == 0 || strcmp(value, "samples") == 0)
        o->cpu_samples = 1;
    else if (strcmp(value, "times") == 0)
        o->cpu_table = OPTIONS_TIMES;
    else if (strcmp(value, "old") == 0)
        o->cpu_table = OPTIONS_OLD;
    else
        return "cpu option value must be y|samples|times|old";
    return NULL;
}

static const char *set_monitor(struct options *o, const char *value, size_t field)
{
    int all = strcmp(value, "all") == 0;

    if (!all && strcmp(value, "y") != 0 && strcmp(value, "n") != 0)
        return "monitor option value must be y|n";
    o->monitor = all || value[0] == 'y';
    o->monitor_park = all;
    return NULL;
}

static const char *set_format(struct options *o, const char *value, size_t field)
{
    if (strcmp(value, "a") != 0 && strcmp(value, "b") != 0)
        return "format option value must be a|b";
    o->format = value[0];
    return NULL;
}

static const char *only_once(const struct options *o)
{
    return o->file[0] || o->net_host[0] ? "file or net options should only appear once" : NULL;
}

static const char *set_file(struct options *o, const char *value, size_t field)
{
    const char *error = only_once(o);

    if (!error)
        memcpy(o->file, value, strlen(value) + 1);
    return error;
}

/* host:port, or [address]:port for an address that has colons itself. */
static const char *set_net(struct options *o, const char *value, size_t field)
{
    const char *error = only_once(o), *host = value, *colon = strchr(value, ':'), *end;
    char *rest;

    if (error)
        return error;
    if (value[0] == '[' && strchr(value, ']')) {
        host++;
        end = strchr(value, ']');
        colon = end[1] == ':' ? end + 1 : NULL;
    } else {
        end = colon;
    }
    if (!value[0] || colon == value || end == host)
        return "net option missing ':'";
    if (!colon || !colon[1])
        return "net option missing port";
    memcpy(o->net_host, host, (size_t)(end - host));
    o->net_host[end - host] = '\0';
    o->net_port = (int)strtol(colon + 1, &rest, 10);
    if (*rest || o->net_port < 1 || o->net_port > UINT16_MAX || strlen(colon + 1) > PORT_DIGITS)
        return "net option port must be from 1 to 65535";
    return NULL;
}

static const char *set_depth(struct options *o, const char *value, size_t field)
{
    char *end;
    long depth = strtol(value, &end, 10);

    if (end == value || *end || depth < 0)
        return "depth option value must be decimal and >= 0";
    if (depth > OPTIONS_DEPTH_MAX)
        return "depth option value must be 8192 at most";
    o->depth = (int)depth;
    return NULL;
}

static const char *set_interval(struct options *o, const char *value, size_t field)
{
    uint64_t ns;
    int error;

    value += strspn(value, " \t\n\v\f\r"); /* the original's strtol() takes them, and the sign */
    value += value[0] == '+';
    error = units_parse_duration(value, MS, &ns);
    if (error == E_RANGE)
        ns = INT64_MAX;
    else if (error || ns == 0)
        return "interval option value must be decimal and > 0";
    if (ns < INTERVAL_MIN_NS)
        return "interval option value must be 10us at least";
    o->interval_ns = ns;
    return NULL;
}

static const char *set_cutoff(struct options *o, const char *value, size_t field)
{
    char *end;
    double cutoff = strtod(value, &end);

    if (end == value || *end || cutoff < 0)
        return "cutoff option value must be floating point and >= 0";
    o->cutoff = cutoff;
    return NULL;
}

static const char *set_word(struct options *o, const char *value, size_t field)
{
    if (strlen(value) >= sizeof(o->engine))
        return "value too long";
    memcpy((char *)o + field, value, strlen(value) + 1);
    return NULL;
}

static const char *set_manifest(struct options *o, const char *value, size_t field)
{
    memcpy(o->manifest, value, strlen(value) + 1);
    return NULL;
}

static const char *set_text(struct options *o, const char *value, size_t field)
{
    memcpy((char *)o + field, value, strlen(value) + 1);
    return NULL;
}

static const char *set_intrinsics(struct options *o, const char *value, size_t field)
{
    if (strcmp(value, "leave") != 0 && strcmp(value, "count") != 0)
        return "intrinsics option value must be leave|count";
    o->intrinsics = value[0] == 'c';
    return NULL;
}

static const char *set_verify(struct options *o, const char *value, size_t field)
{
    memcpy(o->verify, value, strlen(value) + 1);
    return NULL;
}

static const char *set_mem(struct options *o, const char *value, size_t field)
{
    uint64_t bytes;

    if (units_parse_size(value, &bytes) || bytes < (uint64_t)1 << 20 || bytes > (uint64_t)1 << 36)
        return "mem option value must be a size from 1m to 64g";
    o->mem_bytes = bytes;
    return NULL;
}

static const char *set_duration(struct options *o, const char *value, size_t field)
{
    if (units_parse_duration(value, (uint64_t)1000 * MS, &o->duration_ns) || o->duration_ns == 0)
        return "duration option value must be a time, as 30s";
    return NULL;
}

static const char *set_sample(struct options *o, const char *value, size_t field)
{
    uint64_t bytes;

    if (units_parse_size(value, &bytes) || bytes > INT32_MAX)
        return "sample option value must be a size below 2g";
    o->sample_bytes = bytes;
    return NULL;
}

static const char *set_idsize(struct options *o, const char *value, size_t field)
{
    if (strcmp(value, "4") != 0 && strcmp(value, "8") != 0)
        return "idsize option value must be 4|8";
    o->idsize = value[0] - '0';
    return NULL;
}

static const char *set_forkmem(struct options *o, const char *value, size_t field)
{
    return units_parse_size(value, &o->fork_bytes) ? "forkmem option value must be a size" : NULL;
}

static const char *set_exitpause(struct options *o, const char *value, size_t field)
{
    return "The exitpause option was removed, use -XX:OnError='cmd %%p'";
}

static const char *set_precrash(struct options *o, const char *value, size_t field)
{
    return "The precrash option was removed, use -XX:OnError='precrash -p %%p'";
}

#define AT(field) offsetof(struct options, field)
#define SWITCH set_switch

static const struct row rows[] = {
    {"heap", "dump|sites|all", "heap profiling", "all", "syntax error parsing heap=dump|sites|all",
     set_heap, 0},
    {"cpu", "samples|times|old", "CPU usage", "off", "syntax error parsing cpu=y|samples|times|old",
     set_cpu, 0},
    {"monitor", "y|n", "monitor contention", "n", NULL, set_monitor, 0},
    {"format", "a|b", "text(txt) or binary output", "a", "syntax error parsing format=a|b",
     set_format, 0},
    {"file", "<file>", "write data to file", "java.hprof[{.txt}]",
     "syntax error parsing file=filename", set_file, 0},
    {"net", "<host>:<port>", "send data over a socket", "off", NULL, set_net, 0},
    {"depth", "<size>", "stack trace depth", "4", "syntax error parsing depth=DECIMAL", set_depth,
     0},
    {"interval", "<ms>", "sample interval in ms", "10", "syntax error parsing interval=DECIMAL",
     set_interval, 0},
    {"cutoff", "<value>", "output cutoff point", "0.0001", "syntax error parsing cutoff=DOUBLE",
     set_cutoff, 0},
    {"lineno", "y|n", "line number in traces?", "y", NULL, SWITCH, AT(lineno)},
    {"thread", "y|n", "thread in traces?", "n", NULL, SWITCH, AT(thread)},
    {"doe", "y|n", "dump on exit?", "y", NULL, SWITCH, AT(doe)},
    {"msa", "y|n", "Solaris micro state accounting", "n", NULL, SWITCH, AT(msa)},
    {"force", "y|n", "force output to <file>", "y", NULL, SWITCH, AT(force)},
    {"verbose", "y|n", "print messages about dumps", "y", NULL, SWITCH, AT(verbose)},
    /* new in this agent */
    {"engine", "<name>", "timer: perf|ctimer|monotonic", "the best",
     "syntax error parsing engine=name", set_word, AT(engine)},
    {"signal", "<name>", "signal of the timer", "PROF or a free one",
     "syntax error parsing signal=name", set_word, AT(signal)},
    {"walker", "<name>", "stack walker: vm|agct|jvmti", "the best",
     "syntax error parsing walker=name", set_word, AT(walker)},
    {"sample", "<size>", "heap=: bytes between samples", "0: count all",
     "syntax error parsing sample=size", set_sample, 0},
    {"gc", "y|n", "collect before a table of sites?", "y", NULL, SWITCH, AT(gc)},
    {"clock", "<name>", "times: tsc|nano|tick|cpu|none", "the best",
     "syntax error parsing clock=name", set_word, AT(clock)},
    {"include", "<patterns>", "times: only these methods", "all",
     "syntax error parsing include=patterns", set_text, AT(include)},
    {"exclude", "<patterns>", "times: not these methods", "none",
     "syntax error parsing exclude=patterns", set_text, AT(exclude)},
    {"intrinsics", "leave|count", "times: what the JIT replaces", "leave",
     "syntax error parsing intrinsics=leave|count", set_intrinsics, 0},
    {"raw", "y|n", "times: uncorrected ones too?", "n", NULL, SWITCH, AT(raw)},
    {"native", "y|n", "C/C++ frames, all threads?", "n", NULL, SWITCH, AT(native)},
    {"kernel", "y|n", "kernel frames?", "n", NULL, SWITCH, AT(kernel)},
    {"mem", "<size>", "memory for rings and tables", "64m", "syntax error parsing mem=size",
     set_mem, 0},
    {"duration", "<time>", "end by itself after so long", "off",
     "syntax error parsing duration=time", set_duration, 0},
    {"expand", "y|n", "%p, %t in <file>: pid, time", "n", NULL, SWITCH, AT(expand)},
    {"manifest", "<file>", "append \"pid TAB output\" to it", "off",
     "syntax error parsing manifest=filename", set_manifest, 0},
    {"idsize", "4|8", "bytes of ids in heap dumps", "as needed", NULL, set_idsize, 0},
    {"sites", "y|n", "sites of objects in heap dumps?", "y", NULL, SWITCH, AT(sites)},
    {"live", "y|n", "heap dumps: only reachable objects?", "y", NULL, SWITCH, AT(live)},
    {"fork", "y|n", "heap dump by a forked child?", "y", NULL, SWITCH, AT(fork)},
    {"forkmem", "<size>", "memory limit of that child", "none", "syntax error parsing forkmem=size",
     set_forkmem, 0},
    /* accepted, without a row in the help: as in the original */
    {"gc_okay", NULL, NULL, NULL, NULL, SWITCH, AT(gc_okay)},
    {"primfields", NULL, NULL, NULL, NULL, SWITCH, AT(primfields)},
    {"primarrays", NULL, NULL, NULL, NULL, SWITCH, AT(primarrays)},
    {"logflags", NULL, NULL, NULL, NULL, set_number, AT(logflags)},
    {"debugflags", NULL, NULL, NULL, NULL, set_number, AT(debugflags)},
    {"coredump", NULL, NULL, NULL, NULL, SWITCH, AT(coredump)},
    {"errorexit", NULL, NULL, NULL, NULL, SWITCH, AT(errorexit)},
    {"pause", NULL, NULL, NULL, NULL, SWITCH, AT(pause)},
    {"debug", NULL, NULL, NULL, NULL, SWITCH, AT(debug)},
    {"X", NULL, NULL, NULL, NULL, set_number, AT(xflags)},
    {"exitpause", NULL, NULL, NULL, NULL, set_exitpause, 0},
    {"precrash", NULL, NULL, NULL, NULL, set_precrash, 0},
    /* between `hprof verify` and the agent: docs/verify.md */
    {"verify", NULL, NULL, NULL, NULL, set_verify, 0},
    {"verify_rate", NULL, NULL, NULL, NULL, set_number, AT(verify_rate)},
    {"verify_share", NULL, NULL, NULL, NULL, set_number, AT(verify_share)},
    {"verify_random", NULL, NULL, NULL, NULL, set_number, AT(verify_random)},
    {"verify_seconds", NULL, NULL, NULL, NULL, set_number, AT(verify_seconds)},
#ifdef OPTIONS_OF_TESTS /* the agent that people use does not know these */
    {"dumptest", NULL, NULL, NULL, NULL, set_number, AT(dumptest)},
    {"selftest", NULL, NULL, NULL, NULL, SWITCH, AT(selftest)},
    {"timesboth", NULL, NULL, NULL, NULL, SWITCH, AT(timesboth)},
    {"dumpstuck", NULL, NULL, NULL, NULL, set_number, AT(dump_stuck_s)},
#endif
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static const struct row *row_named(const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

static int fail(struct options_error *e, const char *text)
{
    snprintf(e->text, sizeof(e->text), "%s", text);
    return E_SYNTAX;
}

/* Sets one option from its name and value and turns a general setter's complaint into the text. */
static int set_option(struct options *o, const char *name, const char *value,
                      struct options_error *e)
{
    const struct row *row = row_named(name);
    const char *complaint;

    if (!row) {
        snprintf(e->text, sizeof(e->text), "Unknown option: %s", name);
        return E_SYNTAX;
    }
    if (!value[0] && row->empty)
        return fail(e, row->empty);
    complaint = row->set(o, value, row->field);
    if (!complaint)
        return 0;
    if (row->set == set_switch || row->set == set_number || row->set == set_word) {
        snprintf(e->text, sizeof(e->text), "%s option value must be %s", name, complaint);
        return E_SYNTAX;
    }
    return fail(e, complaint);
}

/* To the next comma; the host of net= runs to its colon first, whatever is in it. */
static size_t value_length(const char *name, const char *value)
{
    size_t host = strcmp(name, "net") == 0 ? strcspn(value, ":") : 0;

    return host + strcspn(value + host, ",");
}

/* Reads `name=value` at *at, moves *at behind it and its comma. A value too long counts as none. */
static int parse_one(struct options *o, const char **at, struct options_error *e)
{
    static const char general[] = "general syntax error parsing options";
    char name[NAME_SIZE], value[OPTIONS_VALUE + 1] = "";
    const char *p = *at;
    size_t name_len = strcspn(p, "="), value_len = 0;

    if (name_len == 0 || name_len >= sizeof(name))
        return fail(e, general);
    memcpy(name, p, name_len);
    name[name_len] = '\0';
    p += name_len;
    if (*p == '=') {
        p++;
        value_len = value_length(name, p);
        if (value_len <= OPTIONS_VALUE) {
            memcpy(value, p, value_len);
            value[value_len] = '\0';
        }
        p += value_len;
        if (*p == ',')
            p++;
    }
    *at = p;
    return set_option(o, name, value, e);
}

static int check_conflicts(const struct options *o, struct options_error *e)
{
    if (o->format == 'b' && o->cpu_table != OPTIONS_NO_TABLE)
        return fail(e, "cpu=times|old is not supported with format=b");
    if (o->verify[0] && (o->cpu_samples || o->heap_dump || o->heap_sites || o->monitor))
        return fail(e, "verify= measures nothing else");
    if (o->format == 'b' && o->monitor)
        return fail(e, "monitor=y is not supported with format=b");
    return 0;
}

char *options_join(const char *line, const char *environment)
{
    size_t line_len = line ? strlen(line) : 0,
           environment_len = environment ? strlen(environment) : 0;
    char *whole = malloc(line_len + environment_len + 2), *at = whole;

    if (!whole)
        return NULL;
    if (line_len)
        at = mempcpy(at, line, line_len);
    if (line_len && environment_len)
        *at++ = ',';
    if (environment_len)
        at = mempcpy(at, environment, environment_len);
    *at = '\0';
    return whole;
}

int options_parse(const char *line, const char *environment, struct options *ret,
                  struct options_error *ret_error)
{
    char *whole;
    int error = 0;

    *ret = (struct options){
        .format = 'a',
        .depth = 4,
        .interval_ns = (uint64_t)10 * MS,
        .cutoff = 0.0001,
        .lineno = 1,
        .doe = 1,
        .gc = 1,
        .force = 1,
        .verbose = 1,
        .primfields = 1,
        .primarrays = 1,
        .sites = 1,
        .fork = 1,
        .live = 1,
        .dump_stuck_s = 60,
    };
    ret_error->text[0] = '\0';
    if (line && strcmp(line, "help") == 0) {
        ret->help = 1;
        return 0;
    }
    whole = options_join(line, environment);
    if (!whole)
        return fail(ret_error, "no memory for the options");
    for (const char *at = whole; *at && !error;)
        error = parse_one(ret, &at, ret_error);
    free(whole);
    if (error)
        return error;
    if (!ret->heap_dump && !ret->heap_sites && !ret->cpu_samples && !ret->monitor &&
        ret->cpu_table == OPTIONS_NO_TABLE && !ret->verify[0])
        ret->heap_dump = ret->heap_sites = 1;
    return check_conflicts(ret, ret_error);
}

int options_id_bytes(const struct options *o, int large_heap)
{
    if (o->idsize)
        return (int)o->idsize;
    return large_heap ? 8 : 4;
}

void options_help(FILE *out)
{
    fputs("\n"
          "     HPROF: heap and CPU profiling agent, version " HPROF_VERSION "\n"
          "\n"
          "hprof usage: java -agentlib:hprof=[help]|[<option>=<value>, ...]\n"
          "\n"
          "Option Name and Value  Description                    Default\n"
          "---------------------  -----------                    -------\n",
          out);
    for (size_t i = 0; i < ROWS; i++) {
        if (rows[i].values) {
            char left[64];

            snprintf(left, sizeof(left), "%s=%s", rows[i].name, rows[i].values);
            fprintf(out, "%-22s %-30s %s\n", left, rows[i].about, rows[i].shown_default);
        }
    }
    fputs("\n"
          "Obsolete Options\n"
          "----------------\n"
          "gc_okay=y|n\n"
          "\n"
          "Examples\n"
          "--------\n"
          "  - Get sample cpu information every 20 millisec, with a stack depth of 3:\n"
          "      java -agentlib:hprof=cpu=samples,interval=20,depth=3 classname\n"
          "  - The same every 500 microseconds, into a binary file:\n"
          "      java -agentlib:hprof=cpu=samples,interval=500us,format=b classname\n"
          "\n"
          "Notes\n"
          "-----\n"
          "  - interval= takes a unit: 500us, 1ms; a bare number is milliseconds.\n"
          "  - monitor=all counts java.util.concurrent.locks.LockSupport.park too.\n"
          "  - The option format=b cannot be used with monitor=y.\n"
          "  - The option format=b cannot be used with cpu=old|times.\n"
          "  - -Xrunhprof:[help]|[<option>=<value>, ...] behaves the same.\n"
          "  - Everything in detail: man 7 hprof-agent\n",
          out);
}
