/*
 * cmd_redact.c - `hprof redact IN OUT`: a heap dump again, with zeros in the place of its values.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "base/newfile.h"
#include "base/plural.h"
#include "base/sink.h"
#include "command/diag_say.h"
#include "command/heap_keep.h"
#include "command/help.h"
#include "command/opts.h"
#include "command/outfile.h"
#include "command/say.h"
#include "gzip/gzsink.h"
#include "heap/heapinput.h"
#include "heapredact/heapredact.h"

enum {
    OPT_ALL = 1,
    OPT_KEEP,
    OPT_NAMES,
    OPT_TMP,
    FILES = 2,
};

static const struct opt options[] = {
    {OPT_ALL, 'a', "all", NULL, "zero the numbers in fields of objects and classes as well"},
    {OPT_KEEP, 'k', "keep", "CLASS", HEAP_KEEP_HELP},
    {OPT_NAMES, 0, "names", NULL, "replace names of threads, methods and fields, too"},
    {OPT_TMP, 0, "tmp", "FOLDER", "where a packed dump is unpacked (the folder of IN)"},
    {0},
};

struct request {
    const struct cmd *cmd;
    struct heapredact_request redact;
    struct heap_keep keep;
    const char *files[FILES]; /* input, output */
    const char *tmp;          /* NULL: the folder of the input */
    int count;
};

/* Errors: 0; negative after saying why. */
static int take_option(struct request *r, int id, const char *value)
{
    switch (id) {
    case OPT_ALL:
        r->redact.rule.values = HPROF_REDACT_ALL;
        return 0;
    case OPT_NAMES:
        r->redact.rule.has_names = true;
        return 0;
    case OPT_KEEP:
        return heap_keep_add(&r->keep, r->cmd->name, value);
    case OPT_TMP:
        r->tmp = value;
        return 0;
    case OPTS_WORD:
        if (r->count < FILES)
            r->files[r->count] = value;
        r->count++;
        return 0;
    default:
        return E_SYNTAX;
    }
}

/* Says why the file could not be read to its end. */
static void say_why(const struct request *r, const struct heapredact_error *why)
{
    const char *text = why->detail ? why->detail : err_text(why->code);
    if (why->code == E_TRUNCATED && !why->detail)
        say("%s: offset %" PRIu64 ": the file ends in the middle of a record", r->files[0],
            why->offset);
    else if (why->code == -ENOMEM)
        say("%s: not enough memory for its classes and names", r->files[0]);
    else
        say("%s: offset %" PRIu64 ": %s", r->files[0], why->offset, text);
}

/* Whether the second file of the command line is the first one. */
static bool is_input(const struct request *r, const struct stat *in)
{
    struct stat out;
    int descriptor =
        strcmp(r->files[1], "-") == 0 ? STDOUT_FILENO : newfile_descriptor(r->files[1]);
    bool is_there = descriptor >= 0 ? fstat(descriptor, &out) == 0 : stat(r->files[1], &out) == 0;
    return is_there && in->st_dev == out.st_dev && in->st_ino == out.st_ino;
}

/* Opens the input. Errors: 0; negative after saying why. */
static int open_input(const struct request *r, struct heapinput *ret_in)
{
    const char *why;
    int error = heapinput_open(ret_in, r->files[0], r->tmp, diag_say(), &why);
    if (error < 0) {
        say("%s: %s", r->files[0], why ? why : strerror(-error));
    } else if (is_input(r, &ret_in->file)) {
        say("redact: '%s' is the input; name another file for the output", r->files[1]);
        heapinput_close(ret_in);
        error = -EINVAL;
    }
    return error;
}

static void say_done(const struct request *r, const struct heapredact_counts *c)
{
    char text[256];
    snprintf(text, sizeof(text),
             ": %" PRIu64 " array%s zeroed (%" PRIu64 " bytes), %" PRIu64 " text%s %s, %s%s",
             c->arrays, plural_s(c->arrays), c->array_bytes, c->texts, plural_s(c->texts),
             r->redact.rule.has_names ? "zeroed or replaced" : "zeroed",
             r->redact.rule.values == HPROF_REDACT_ALL ? "numbers in fields zeroed"
                                                       : "numbers in fields kept",
             r->redact.rule.has_names ? "" : "; names of threads, code and fields are in it");
    say_clean(stderr, strcmp(r->files[1], "-") == 0 ? "standard output" : r->files[1]);
    say_clean(stderr, text);
    fputc('\n', stderr);
    if (c->unknown > 0)
        say("%s: %" PRIu64 " object%s not as the file describes their classes; all their bytes are "
            "zero, references too",
            r->files[0], c->unknown, plural_of(c->unknown, " is", "s are"));
}

/* Reads the file for the second time, and writes it. Errors: 0; E_TRUNCATED after all was written
 * that is whole; negative after saying why. */
static int write_file(const struct request *r, struct heapredact *h, const struct heapinput *in,
                      int out_fd)
{
    bool is_packed = gzsink_suffix(r->files[1]) > 0;
    struct sink plain;
    struct gzsink packed = {0};
    int error = 0, written = sink_init(&plain, out_fd);
    if (written == 0 && is_packed)
        written = gzsink_open(&packed, &plain);
    if (written == 0) {
        error = heapredact_write(h, in, is_packed ? &packed.sink : &plain);
        written = sink_error(is_packed ? &packed.sink : &plain);
    }
    int closed = is_packed ? gzsink_close(&packed) : 0, done = sink_done(&plain);
    written = written != 0 ? written : closed != 0 ? closed : done;
    if (written < 0 && written != -EPIPE)
        say("%s: %s", r->files[1], err_text(written));
    if (written == 0 && error < 0 && error != E_TRUNCATED)
        say_why(r, heapredact_why(h));
    return written < 0 ? written : error;
}

static int redact(const struct request *r, struct heapredact *h, const struct heapinput *in)
{
    struct outfile file;
    int error = heapredact_learn(h, in);
    if (error < 0)
        say_why(r, heapredact_why(h));
    if (error < 0 && (error != E_TRUNCATED || heapredact_why(h)->offset == 0))
        return CMD_FAILED;
    if (outfile_open(r->cmd->name, r->files[1], &file) < 0)
        return CMD_FAILED;
    error = write_file(r, h, in, file.file.fd);
    if (outfile_close(&file, error == E_TRUNCATED ? 0 : error) < 0)
        return CMD_FAILED;
    say_done(r, heapredact_done(h));
    return error < 0 || heapredact_done(h)->unknown > 0 ? CMD_FAILED : CMD_OK;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct request r = {.cmd = self, .redact.rule.values = HPROF_REDACT_VALUES};
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPTS_HELP) {
            help_cmd(stdout, self);
            return CMD_OK;
        }
        if (id == OPTS_ERROR || take_option(&r, id, opts.value) < 0)
            return CMD_USAGE;
    }
    if (r.count != FILES) {
        say("redact: an input and an output are needed; usage: hprof redact [OPTION...] %s",
            self->operands);
        return CMD_USAGE;
    }
    r.redact.rule.keep = r.keep.text;
    r.redact.diag = diag_say();
    r.redact.place = r.files[0];
    struct heapinput in;
    if (open_input(&r, &in) < 0)
        return CMD_FAILED;
    struct heapredact *h = heapredact_new(&r.redact);
    int status = h ? redact(&r, h, &in) : CMD_FAILED;
    if (!h)
        say("redact: %s", strerror(ENOMEM));
    heapredact_free(h);
    heapinput_close(&in);
    return status;
}

const struct cmd cmd_redact = {
    .name = "redact",
    .group = CMD_READS,
    .help = "Write a heap dump again without its values, so that others may see it",
    .operands = "IN OUT",
    .needs = "a heap dump",
    .options = options,
    .run = run,
};
