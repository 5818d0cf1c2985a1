/*
 * cmd_dump_heap.c - `hprof dump-heap TARGET FILE`: the JVM writes its heap, or with --fork a frozen
 * child of the JVM writes it (recording/heap_fork.h). From a core, and with --outside, this command
 * writes the heap that it finds in the JVM's memory (heapimage/).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/sink.h"
#include "command/heap_keep.h"
#include "format/hprof_redact.h"
#include "heapimage/heapimage.h"
#include "heapimage/heapimage_dump.h"
#include "jvm/agentlib.h"
#include "jvm/asking.h"
#include "jvm/heap_outside.h"
#include "recording/heap_fork.h"
#include "jvm/max_stop.h"
#include "jvm/jvm_target.h"
#include "command/opts.h"
#include "command/outfile.h"
#include "jvm/properties.h"
#include "command/say.h"
#include "command/values.h"
#include "gzip/gzsink.h"
#include "process/process.h"

enum {
    OPT_LIVE = ASKING_OPT_OWN,
    OPT_GZIP,
    OPT_FORK,
    OPT_STAND,
    OPT_LIBRARY,
    OPT_MAX_STOP,
    OPT_REDACT,
    OPT_KEEP,
    OPT_NAMES,
    OPT_OUTPUT,
    GZIP_MAX = 9,
    GZIP_SINCE = 17,
    GZIP_FAST = 1, /* the level if only the suffix of the file name asks for packing */
};

static const struct opt options[] = {
    {OPT_OUTPUT, 'o', "output", "FILE", "the file, which may also be the last word"},
    {OPT_FORK, 0, "fork", NULL,
     "a frozen child of the JVM writes the file, and the program goes on meanwhile"},
    {OPT_STAND, 0, "stand", NULL,
     "with --fork: the program stands still meanwhile, and no memory is needed for copies"},
    {OPT_LIVE, 0, "live", NULL,
     "only objects that can be reached; if the JVM writes the file, it collects first"},
    {OPT_GZIP, 'z', "gzip", "LEVEL", "pack the file, 1 to 9 (JDK 17 and later; any with --fork)"},
    {OPT_LIBRARY, 0, "agent", "PATH", "with --fork: a library in place of the command's own agent"},
    {OPT_MAX_STOP, 0, "max-stop", "TIME", MAX_STOP_HELP_ASKED},
    {OPT_REDACT, 0, "redact", "[=all]",
     "zeros for arrays, texts and hashes, or for all values: as 'hprof redact' does"},
    {OPT_KEEP, 0, "keep", "CLASS", "with --redact: " HEAP_KEEP_HELP},
    {OPT_NAMES, 0, "names", NULL,
     "with --redact: replace names of threads, methods and fields, too"},
    {ASKING_OPT_TIMEOUT, 0, "timeout", "TIME", ASKING_TIMEOUT_HELP},
    ASKING_OUTSIDE_ROWS,
    {0},
};

struct request {
    char path[PATH_MAX];
    bool is_live, is_forked, stands;
    uint64_t max_stop_ns;
    uint32_t gzip;                   /* 0: not packed */
    struct hprof_redact_rule redact; /* `keep` is set when all options are read */
    struct heap_keep keep;
    const char *output, *agent; /* as the user wrote them; NULL: not given */
    char *library;
};

/* JDK 8 and 11 ignore the level: they write an unpacked file without a message. */
static int check_gzip(struct attach *a, const struct jvm *jvm)
{
    struct attach_reply reply;
    struct properties p = {0};
    int status = asking_call(a, jvm, "properties", NULL, 0, &reply);
    if (status == CMD_OK && properties_read(&p, reply.text, reply.text_len) == 0) {
        /* The value is "1.8" for JDK 8, then "9", "11", "17". */
        const char *release = properties_find(&p, "java.specification.version");
        if (release && strtol(release, NULL, 10) < GZIP_SINCE) {
            say("%s: this JVM is of JDK %s and cannot pack its dump, which JDK %d can: leave out "
                "--gzip",
                jvm_target_name(jvm), release, GZIP_SINCE);
            status = CMD_FAILED;
        }
    }
    properties_done(&p);
    attach_reply_done(&reply);
    return status;
}

/* The code of the JVM's answer is always 0, so the text decides. */
static int dump(struct attach *a, const struct jvm *jvm, void *with)
{
    const struct request *r = with;
    char level[16] = "";
    const char *const args[] = {r->path, r->is_live ? "-live" : "-all", level};
    struct attach_reply reply;
    if (r->gzip != 0 && check_gzip(a, jvm) != CMD_OK)
        return CMD_FAILED;
    if (max_stop_check_heap(&a->counters.data, jvm_target_name(jvm),
                            r->gzip != 0 ? MAX_STOP_PACKED : MAX_STOP_DUMP, r->is_live,
                            r->max_stop_ns, " --fork or") != CMD_OK)
        return CMD_FAILED;
    if (r->gzip != 0)
        snprintf(level, sizeof(level), "%u", r->gzip);
    int status = asking_call(a, jvm, "dumpheap", args, r->gzip != 0 ? 3 : 2, &reply);
    const char *done = status == CMD_OK ? strstr(reply.text, "Heap dump file created") : NULL;
    if (done) {
        if (!process_folder_is_ours(a->root, r->path))
            printf("/proc/%d/root", (int)jvm->process.pid);
        say_out("%s: ", r->path);
        asking_put(done, strlen(done));
        if (!strchr(done, '\n'))
            putchar('\n');
    } else if (status == CMD_OK) {
        /* The last line holds the reason. A line before it may name the file. */
        const char *end = reply.text + reply.text_len, *last;
        while (end > reply.text && end[-1] == '\n')
            end--;
        for (last = end; last > reply.text && last[-1] != '\n'; last--)
            ;
        say("%s: no heap dump: the JVM says: %.*s", jvm_target_name(jvm), (int)(end - last), last);
        status = CMD_FAILED;
    }
    attach_reply_done(&reply);
    return status;
}

static int put_path(struct request *r, const char *name)
{
    char folder[PATH_MAX] = "";
    int len;
    if (*name != '/' && !getcwd(folder, sizeof(folder))) {
        say("dump-heap: the working folder has no name; give the file with its folder");
        return -1;
    }
    len = snprintf(r->path, sizeof(r->path), "%s%s%s", folder, *name != '/' ? "/" : "", name);
    if (len < (int)sizeof(r->path))
        return 0;
    say("dump-heap: the name of the file is too long");
    return -1;
}

/* With --fork this command creates the file, with the permissions of all its files. The default
 * name has the form that `record` uses. */
static int dump_forked(struct attach *a, const struct jvm *jvm, void *with)
{
    const struct request *r = with;
    struct heap_fork how = {.output = r->output,
                            .is_live = r->is_live,
                            .stands = r->stands,
                            .gzip = r->gzip,
                            .library = r->library,
                            .redact = r->redact};
    char output[64];
    if (max_stop_check_heap(&a->counters.data, jvm_target_name(jvm),
                            r->stands ? MAX_STOP_STAND : MAX_STOP_FORK, r->is_live, r->max_stop_ns,
                            "") != CMD_OK)
        return CMD_FAILED;
    snprintf(output, sizeof(output), "hprof-%d.hprof%s", (int)jvm->process.pid,
             r->gzip != 0 ? ".gz" : "");
    if (!how.output)
        how.output = output;
    if (how.gzip == 0 && gzsink_suffix(how.output))
        how.gzip = GZIP_FAST;
    return heap_fork_dump(a, jvm, &how);
}

static int run_forked(const struct asking_line *line, struct request *r)
{
    if (agentlib_find(r->agent, &r->library) < 0 ||
        (r->output && strcmp(r->output, "-") != 0 &&
         outfile_check_folder(line->q.cmd->name, r->output) < 0)) {
        free(r->library);
        return CMD_FAILED;
    }
    umask(077);
    int status = asking_each(&line->q, dump_forked, r);
    free(r->library);
    return status;
}

/* ---- without the JVM's help */

static int write_packed(struct heapimage *h, struct sink *plain, uint32_t level,
                        const struct heapimage_dump_how *how, struct heapimage_dump *ret)
{
    struct gzsink packed = {0};
    int error = gzsink_open(&packed, plain);
    if (error == 0) {
        gzsink_set_level(&packed, (int)level);
        error = heapimage_dump_write(h, &packed.sink, how, ret);
    }
    int closed = gzsink_close(&packed);
    return error ? error : closed;
}

static int write_found(struct heapimage *h, const char *name, void *with)
{
    const struct request *r = with;
    struct heapimage_dump dump = {0};
    struct outfile file;
    struct sink sink = {.fd = -1};
    uint32_t level = r->gzip == 0 && gzsink_suffix(r->output) ? GZIP_FAST : r->gzip;
    if (outfile_open("dump-heap", r->output, &file) < 0)
        return CMD_FAILED;
    int error = sink_init(&sink, file.file.fd);
    const struct heapimage_dump_how how = {.created_ms = heap_outside_time_ms(name),
                                           .redact = r->redact};
    if (error == 0)
        error = level != 0 ? write_packed(h, &sink, level, &how, &dump)
                           : heapimage_dump_write(h, &sink, &how, &dump);
    int done = sink_done(&sink);
    error = error ? error : done;
    if (done < 0)
        say("dump-heap: %s: %s", r->output, strerror(-done));
    else if (error)
        heap_outside_say(name, h, error);
    if (outfile_close(&file, error) != 0)
        return CMD_FAILED;
    heap_outside_say_written(name, r->output, h, &dump);
    return CMD_OK;
}

static int run_outside(const struct asking_line *line, struct request *r)
{
    const struct heap_outside how = {
        .is_live = r->is_live, .max_stop_ns = r->max_stop_ns, .job = write_found, .with = r};
    if (strcmp(r->output, "-") != 0 && outfile_check_folder(line->q.cmd->name, r->output) < 0)
        return CMD_FAILED;
    umask(077);
    return heap_outside_each(line, &how);
}

/* Take one option. Returns an exit status if the command ends here, else a negative number. */
static int take(struct request *r, struct asking_line *line, const struct opts *opts, int id)
{
    switch (id) {
    case OPT_FORK:
        r->is_forked = true;
        return -1;
    case OPT_STAND:
        r->stands = true;
        return -1;
    case OPT_LIVE:
        r->is_live = true;
        return -1;
    case OPT_GZIP:
        return values_count(line->q.cmd, "gzip", opts->value, GZIP_MAX, &r->gzip) < 0 ? CMD_USAGE
                                                                                      : -1;
    case OPT_MAX_STOP:
        return max_stop_parse(line->q.cmd, opts->value, &r->max_stop_ns) < 0 ? CMD_USAGE : -1;
    case OPT_REDACT:
        r->redact.values = opts->value ? HPROF_REDACT_ALL : HPROF_REDACT_VALUES;
        if (!opts->value || strcmp(opts->value, "all") == 0)
            return -1;
        say("dump-heap: --redact='%s': wanted is --redact or --redact=all", opts->value);
        return CMD_USAGE;
    case OPT_KEEP:
        return heap_keep_add(&r->keep, line->q.cmd->name, opts->value) < 0 ? CMD_USAGE : -1;
    case OPT_NAMES:
        r->redact.has_names = true;
        return -1;
    case OPT_LIBRARY:
        r->agent = opts->value;
        return -1;
    case OPT_OUTPUT:
        r->output = opts->value;
        return -1;
    default:
        return asking_take(line, opts, id);
    }
}

/* Whether the options go together. Returns an exit status. */
static int check(const struct request *r, const struct asking_line *line)
{
    bool is_outside = asking_is_outside(line);
    if (r->agent && !r->is_forked)
        say("dump-heap: --agent is for --fork: without it no agent is loaded");
    else if (r->stands && !r->is_forked)
        say("dump-heap: --stand is for --fork: without it the JVM stands still in any case");
    else if (r->redact.values == HPROF_REDACT_NOTHING && (r->keep.len > 0 || r->redact.has_names))
        say("dump-heap: --%s is for --redact: without it all values and names are in the dump",
            r->keep.len > 0 ? "keep" : "names");
    else if (r->redact.values != HPROF_REDACT_NOTHING && !r->is_forked && !is_outside)
        say("dump-heap: --redact needs --fork: the JVM's own dump has all values; 'hprof redact' "
            "writes it again without them");
    else if (r->is_forked && is_outside)
        say("dump-heap: --fork needs a JVM that answers: leave it out for a core and with "
            "--outside");
    else
        return CMD_OK;
    return CMD_USAGE;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct asking_line line = {.q = {.cmd = self, .is_single = true}};
    struct request r = {.max_stop_ns = max_stop_usual_ns};
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        int status = take(&r, &line, &opts, id);
        if (status >= 0)
            return status;
    }
    int status = asking_check(&line, 1);
    r.redact.keep = r.keep.text;
    if (status == 0 && r.output && line.words[0]) {
        say("dump-heap: two files are named: %s and %s", r.output, line.words[0]);
        return CMD_USAGE;
    }
    if (!r.output)
        r.output = line.words[0];
    if (status == 0)
        status = check(&r, &line);
    if (status != 0)
        return status;
    if (r.is_forked)
        return run_forked(&line, &r);
    if (!r.output) {
        say("dump-heap: no file named, which only --fork can do without; usage: hprof dump-heap "
            "[OPTION...] %s",
            self->operands);
        return CMD_USAGE;
    }
    if (asking_is_outside(&line))
        return run_outside(&line, &r);
    return put_path(&r, r.output) < 0 ? CMD_USAGE : asking_each(&line.q, dump, &r);
}

const struct cmd cmd_dump_heap = {
    .name = "dump-heap",
    .group = CMD_LOOKS,
    .help = "Write the heap of a JVM, alive or dead, into a file",
    .operands = "TARGET|CORE [FILE]",
    .needs = "a live JVM or a core file",
    .others = "jmap",
    .options = options,
    .run = run,
};
