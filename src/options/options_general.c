/*
 * options_general.c - see options_group.h.
 *
 * A row has: name, kind, part of the help; its field; the columns of the help; the messages for an
 * empty value, for a wrong value, for a value out of range. If the original has the option, the
 * texts are the original's.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "options/options_group.h"
#include <stdlib.h>
#include <string.h>
#include "options/options_format.h"
#include "safe/clock.h"

enum {
    INTERVAL_MIN_NS = 10000, /* the kernel's perf clock is no faster */
    PORT_DIGITS = 5,
    KEEP_MAX = 10000,
};

static const char *set_format(void *into, const char *value)
{
    struct options *o = into;
    for (const struct options_format *f = options_format_all; f->letter; f++) {
        if (strcmp(value, f->word) != 0)
            continue;
        o->format = f->letter;
        o->said.format = true;
        return NULL;
    }
    return "format option value must be a|b";
}

static const char *only_once(const struct options *o)
{
    return o->file[0] || o->net.host[0] ? "file or net options should only appear once" : NULL;
}

static const char *set_file(void *into, const char *value)
{
    struct options *o = into;
    const char *error = only_once(o);
    if (!error)
        memcpy(o->file, value, strlen(value) + 1);
    return error;
}

/* Parses host:port, or [address]:port for an address that contains colons. */
static const char *set_net(void *into, const char *value)
{
    struct options *o = into;
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
    memcpy(o->net.host, host, (size_t)(end - host));
    o->net.host[end - host] = '\0';
    o->net.port = (int)strtol(colon + 1, &rest, 10);
    if (*rest || o->net.port < 1 || o->net.port > UINT16_MAX || strlen(colon + 1) > PORT_DIGITS)
        return "net option port must be from 1 to 65535";
    return NULL;
}

static const char *set_exitpause(void *into, const char *value)
{
    return "The exitpause option was removed, use -XX:OnError='cmd %%p'";
}

static const char *set_precrash(void *into, const char *value)
{
    return "The precrash option was removed, use -XX:OnError='precrash -p %%p'";
}

static const struct options_row_choice onjcmds[] = {{"n", OPTIONS_ONJCMD_UNASKED},
                                                    {"y", OPTIONS_ONJCMD_WANTED},
                                                    {"only", OPTIONS_ONJCMD_ONLY},
                                                    {0}};
static const struct options_row_choice idsizes[] = {{"4", 4}, {"8", 8}, {0}};

#define AT(field) .at = offsetof(struct options, field)
#define HELP(v, a, s) .values = (v), .about = (a), .shown = (s)
#define SWITCH .kind = OPTIONS_ROW_SWITCH
#define MEASURED .part = OPTIONS_ROW_MEASURED
#define ORIGINAL .part = OPTIONS_ROW_ORIGINAL
#define NEW .part = OPTIONS_ROW_NEW
#define UNUSED .is_unused = true

const struct options_row options_general_rows[] = {
    {"heap", .kind = OPTIONS_ROW_ASK, MEASURED, HELP("|all", "heap profiling", "all"),
     .missing = "syntax error parsing "},
    {"cpu", .kind = OPTIONS_ROW_ASK, MEASURED, HELP("", "CPU usage", "off"), .what = "y|",
     .missing = "syntax error parsing "},
    {"format", .kind = OPTIONS_ROW_OWN, ORIGINAL, .set = set_format,
     HELP("a|b", "text(txt) or binary output", "a"), .missing = "syntax error parsing format=a|b"},
    {"file", .kind = OPTIONS_ROW_OWN, ORIGINAL, .set = set_file,
     HELP("<file>", "write data to file", "java.hprof[{.txt}]"),
     .missing = "syntax error parsing file=filename"},
    {"net", .kind = OPTIONS_ROW_OWN, ORIGINAL, .set = set_net,
     HELP("<host>:<port>", "send data over a socket", "off")},
    {"depth", .share = OPTIONS_ROW_MOST, .kind = OPTIONS_ROW_COUNT, ORIGINAL, AT(depth),
     .said_at = offsetof(struct options, said.depth), .most = OPTIONS_DEPTH_MAX,
     HELP("<size>", "stack trace depth", "4"), .missing = "syntax error parsing depth=DECIMAL",
     .wrong = "depth option value must be decimal and >= 0",
     .beyond = "depth option value must be 8192 at most"},
    {"interval", .share = OPTIONS_ROW_LEAST, .kind = OPTIONS_ROW_TIME, ORIGINAL, AT(interval_ns),
     .least = INTERVAL_MIN_NS, HELP("<ms>", "sample interval in ms", "10"),
     .missing = "syntax error parsing interval=DECIMAL",
     .wrong = "interval option value must be decimal and > 0",
     .beyond = "interval option value must be 10us at least"},
    {"cutoff", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_FRACTION, ORIGINAL, AT(cutoff),
     HELP("<value>", "output cutoff point", "0.0001"),
     .missing = "syntax error parsing cutoff=DOUBLE",
     .wrong = "cutoff option value must be floating point and >= 0"},
    {"lineno", SWITCH, ORIGINAL, AT(lineno), HELP("y|n", "line number in traces?", "y")},
    {"thread", .share = OPTIONS_ROW_MOST, SWITCH, ORIGINAL, AT(thread),
     HELP("y|n", "thread in traces?", "n")},
    {"doe", .share = OPTIONS_ROW_APART, SWITCH, ORIGINAL, AT(doe),
     HELP("y|n", "dump on exit?", "y")},
    {"msa", SWITCH, ORIGINAL, UNUSED, HELP("y|n", "Solaris micro state accounting", "n")},
    {"force", .share = OPTIONS_ROW_APART, SWITCH, ORIGINAL, AT(force),
     HELP("y|n", "force output to <file>", "y")},
    {"verbose", .share = OPTIONS_ROW_APART, SWITCH, ORIGINAL, AT(verbose),
     HELP("y|n", "print messages about dumps", "y")},
    {"event", .kind = OPTIONS_ROW_ASKS, NEW, HELP("<names>", "what is measured", "heap=all"),
     .missing = "syntax error parsing event=names"},
    {"settings", .kind = OPTIONS_ROW_SETTINGS, NEW,
     HELP("<name>", "default|profile, or a .jfc file", "off"),
     .missing = "syntax error parsing settings=name"},
    {"mem", .share = OPTIONS_ROW_FIXED_IF_SAID, .kind = OPTIONS_ROW_SIZE, NEW, AT(mem_bytes),
     .said_at = offsetof(struct options, said.mem), .least = 1 << 20, .most = 1ull << 36,
     HELP("<size>", "memory for rings and tables", "64m"),
     .missing = "syntax error parsing mem=size",
     .wrong = "mem option value must be a size from 1m to 64g"},
    {"duration", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_SECONDS, NEW, AT(ends.duration_ns),
     HELP("<time>", "end by itself after so long", "off"),
     .missing = "syntax error parsing duration=time",
     .wrong = "duration option value must be a time, as 30s"},
    {"loop", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_SECONDS, NEW, AT(ends.loop_ns),
     HELP("<time>", "begin a new <file> so often", "off"),
     .missing = "syntax error parsing loop=time",
     .wrong = "loop option value must be a time of 1s at least, as 1h"},
    {"keep", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_COUNT, NEW, AT(ends.keep), .least = 1,
     .most = KEEP_MAX, HELP("<n>", "of loop=: finished files that stay", "all"),
     .missing = "syntax error parsing keep=n",
     .wrong = "keep option value must be a number from 1 to 10000"},
    {"expand", .share = OPTIONS_ROW_APART, SWITCH, NEW, AT(expand),
     HELP("y|n", "%p, %t, %{ENV} in <file>", "n")},
    {"manifest", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_TEXT_OF, NEW, AT(under.manifest),
     HELP("<file>", "append \"pid TAB output\" to it", "off"),
     .missing = "syntax error parsing manifest=filename"},
    {"tools", .share = OPTIONS_ROW_APART, SWITCH, NEW, AT(under.tools),
     HELP("y|n", "in JVMs of build tools, too?", "y")},
    {"onjcmd", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_CHOICE, NEW, AT(under.onjcmd),
     .choices = onjcmds, HELP("y|n|only", "need a debugger that waits", "n")},
    {"idsize", .share = OPTIONS_ROW_APART, .kind = OPTIONS_ROW_CHOICE, NEW, AT(idsize),
     .choices = idsizes, HELP("4|8", "bytes of ids in heap dumps", "as needed"),
     .acts_with = OPTIONS_MARK_OBJECTS},
    {"live", .share = OPTIONS_ROW_APART, SWITCH, NEW, AT(live),
     .said_at = offsetof(struct options, said.live),
     HELP("y|n", "only reachable objects?", "y; histo: n"),
     .acts_with = OPTIONS_MARK_HEAP | OPTIONS_MARK_FROZEN},
    /* accepted but not in the help, as in the original */
    {"gc_okay", SWITCH, UNUSED},
    {"logflags", .kind = OPTIONS_ROW_NUMBER, UNUSED},
    {"debugflags", .kind = OPTIONS_ROW_NUMBER, UNUSED},
    {"coredump", SWITCH, UNUSED},
    {"errorexit", .share = OPTIONS_ROW_APART, SWITCH, AT(errorexit)},
    {"pause", SWITCH, UNUSED},
    {"debug", SWITCH, UNUSED},
    {"X", .kind = OPTIONS_ROW_NUMBER, UNUSED},
    {"exitpause", .kind = OPTIONS_ROW_OWN, .set = set_exitpause},
    {"precrash", .kind = OPTIONS_ROW_OWN, .set = set_precrash},
    {0},
};

const struct options options_general_defaults = {
    .format = 'a',
    .depth = 4,
    .interval_ns = (uint64_t)10 * NS_PER_MS,
    .cutoff = 0.0001,
    .lineno = true,
    .doe = true,
    .force = true,
    .verbose = true,
    .under.tools = true,
    .live = true,
};
