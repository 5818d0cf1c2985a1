/*
 * cmd_bundle.c - `hprof bundle TARGET -o FILE`: an incident in one archive.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "base/err.h"
#include "base/plural.h"
#include "base/secret.h"
#include "base/sink.h"
#include "bundle/bundle_make.h"
#include "command/end_signals.h"
#include "command/help.h"
#include "command/opts.h"
#include "command/outfile.h"
#include "command/say.h"
#include "command/values.h"
#include "gzip/gzsink.h"
#include "gzip/zstdsink.h"
#include "jvm/jvm_target.h"
#include "jvm/outside.h"
#include "safe/clock.h"

enum { OPT_OUTPUT = 1, OPT_DURATION, OPT_OUTSIDE, OPT_KEY, OPT_ARGUMENT };

static const struct opt options[] = {
    {OPT_OUTPUT, 'o', "output", "FILE", "where to: .tar.zst, .tar.gz or .tar"},
    {OPT_DURATION, 'd', "duration", "TIME", "record and watch for so long (30s)"},
    {OPT_OUTSIDE, 0, "outside", NULL, "only what the JVM does not feel: nothing is attached"},
    {OPT_KEY, 0, "redact-key", "NAMES",
     "properties whose values are replaced; +NAMES adds, none shows all"},
    {OPT_ARGUMENT, 0, "redact-argument", "NAMES", "arguments that are replaced, in the same way"},
    {0},
};

enum packing { PACKING_NONE, PACKING_GZIP, PACKING_ZSTD };

struct request {
    const char *target, *path;
    struct bundle_make make;
};

static bool ends_in(const char *word, const char *with)
{
    size_t len = strlen(word), end = strlen(with);
    return len > end && strcmp(word + len - end, with) == 0;
}

/* ---- writing */

static int write_zstd(struct bundle_make *m, struct sink *to)
{
    struct zstdsink z;
    int error = zstdsink_open(&z, to);
    if (error == 0)
        error = bundle_make_write(m, &z.sink);
    int closed = zstdsink_close(&z);
    return error < 0 ? error : closed;
}

static int write_gzip(struct bundle_make *m, struct sink *to)
{
    struct gzsink z;
    int error = gzsink_open(&z, to);
    if (error == 0)
        error = bundle_make_write(m, &z.sink);
    int closed = gzsink_close(&z);
    return error < 0 ? error : closed;
}

static int write_packed(struct request *r, struct sink *to)
{
    return ends_in(r->path, ".tar.zst")  ? write_zstd(&r->make, to)
           : ends_in(r->path, ".tar.gz") ? write_gzip(&r->make, to)
                                         : bundle_make_write(&r->make, to);
}

static void say_made(const struct request *r)
{
    const struct bundle_make *m = &r->make;
    say("%s: %u file%s, %u item%s refused, %u value%s replaced; index.json in it says more",
        r->path, m->files, plural_s(m->files), m->refused, plural_s(m->refused), m->redacted,
        plural_s(m->redacted));
    say("%s: names of classes, threads and files, and logs are as they are; its reader is 'hprof "
        "doctor' or 'hprof threads'",
        r->path);
}

static int make(struct request *r, const struct jvm *jvm)
{
    struct outfile file;
    struct sink out;
    r->make.jvm = jvm;
    r->make.version = HPROF_VERSION;
    if (outfile_open("bundle", r->path, &file) < 0)
        return CMD_FAILED;
    if (file.file.is_ours)
        fchmod(file.file.fd, S_IRUSR | S_IWUSR); /* it says much about the program */
    bundle_make_say(&r->make);
    r->make.is_ended = end_signals_catch(true);
    int error = sink_init(&out, file.file.fd);
    if (error == 0) {
        error = write_packed(r, &out);
        int closed = sink_done(&out);
        error = error < 0 ? error : closed;
    }
    if (error == E_UNSUPPORTED)
        say("bundle: %s: this program was built without libzstd; name it .tar.gz", r->path);
    else if (error < 0)
        say("bundle: %s: %s", r->path, err_text(error));
    if (outfile_close(&file, error) < 0)
        return CMD_FAILED;
    say_made(r);
    return *r->make.is_ended != 0 ? CMD_FAILED : CMD_OK;
}

/* ---- the command line */

static int take_option(struct request *r, const struct cmd *self, const struct opts *opts, int id)
{
    switch (id) {
    case OPT_OUTPUT:
        r->path = opts->value;
        return 0;
    case OPT_DURATION:
        return values_seconds(self, "duration", opts->value, &r->make.during_ns);
    case OPT_OUTSIDE:
        r->make.is_quiet = true;
        return 0;
    case OPT_KEY:
        r->make.secret.keys = opts->value;
        return 0;
    case OPT_ARGUMENT:
        r->make.secret.arguments = opts->value;
        return 0;
    case OPTS_WORD:
        if (!r->target) {
            r->target = opts->value;
            return 0;
        }
        say("bundle: one JVM, not '%s' and '%s'", r->target, opts->value);
        return E_SYNTAX;
    default:
        return E_SYNTAX;
    }
}

static int check(const struct request *r, const struct cmd *self)
{
    if (!r->target || !r->path) {
        say("bundle: %s; usage: hprof bundle [OPTION...] %s",
            r->target ? "no file named (-o incident.tar.zst)" : "no JVM named", self->operands);
        return E_SYNTAX;
    }
    if (!ends_in(r->path, ".tar.zst") && !ends_in(r->path, ".tar.gz") &&
        !ends_in(r->path, ".tar")) {
        say("bundle: -o '%s': a name that ends in .tar.zst, .tar.gz or .tar is wanted", r->path);
        return E_SYNTAX;
    }
    return 0;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct request r = {
        .make = {.during_ns = 30 * (uint64_t)NS_PER_S, .secret = {.keys = "", .arguments = ""}}};
    struct jvms jvms = {0};
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPTS_HELP) {
            help_cmd(stdout, self);
            return CMD_OK;
        }
        if (id == OPTS_ERROR || take_option(&r, self, &opts, id) < 0)
            return CMD_USAGE;
    }
    if (check(&r, self) < 0)
        return CMD_USAGE;
    int status = jvm_target_find(self, r.target, JVM_TARGET_ONE, &jvms);
    if (status == 0)
        status = outside_check_jvm(r.target, &jvms.rows[0]);
    if (status == 0)
        status = make(&r, &jvms.rows[0]);
    jvms_done(&jvms);
    return status;
}

const struct cmd cmd_bundle = {
    .name = "bundle",
    .group = CMD_LOOKS,
    .help = "Put an incident into one archive: dumps, counters, flags, a recording, logs",
    .operands = "TARGET",
    .needs = "a live JVM",
    .options = options,
    .run = run,
};
