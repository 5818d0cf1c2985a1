/*
 * dumpfiles.c - see dumpfiles.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "threaddump/dumpfiles.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "base/plural.h"
#include "command/cmd.h"
#include "command/plainout.h"
#include "command/say.h"
#include "command/tabular.h"
#include "format/json_out.h"
#include "jvm/threads_outside.h"
#include "jvm/threads_print.h"
#include "threaddump/dumpprint.h"
#include "threaddump/dumprows.h"
#include "threaddump/dumpseries.h"
#include "threaddump/dumptree.h"

bool dumpfiles_is_file(const char *word)
{
    struct stat st;
    size_t len = strlen(word);
    return strcmp(word, "-") == 0 || strchr(word, '/') ||
           (len > 4 && strcmp(word + len - 4, ".txt") == 0) ||
           (stat(word, &st) == 0 && !S_ISDIR(st.st_mode));
}

int dumpfiles_read(const char *name, struct dumpset *set)
{
    bool is_stdin = strcmp(name, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    int got = fd < 0 ? -errno : dumpset_read(set, name, fd);
    if (fd > STDIN_FILENO)
        close(fd);
    if (got > 0)
        return CMD_OK;
    if (got == 0)
        say("%s: there is no thread dump in it", name);
    else
        say("%s: %s", name, err_text(got));
    return CMD_FAILED;
}

/* ---- one dump */

static int print_one(const struct dumpfiles *f, const struct dumpset_dump *d,
                     const struct threads_outside *none)
{
    int error = f->is_grouped ? threads_print_groups(&d->threads) : 0;
    if (error == 0 && f->has_locks && !f->is_grouped && !f->is_summary)
        error = threads_print_locks(&d->threads, none);
    else if (error == 0)
        error = threads_print_summary(&d->threads, none);
    fflush(stdout);
    return error;
}

static int put_head(unsigned number, const struct dumpset_dump *d)
{
    struct plainout out;
    int error = plainout_open(&out, false);
    if (error < 0)
        return error;
    dumptree_head(&out.sink, number, d);
    return plainout_done(&out);
}

static int put_tree(const struct dumpseries *s)
{
    struct plainout out;
    uint32_t last = s->set->count - 1;
    int error = plainout_open(&out, false);
    if (error < 0)
        return error;
    error = dumptree_print(&out.sink, &s->set->dumps[last].threads, &s->locks[last]);
    int closed = plainout_done(&out);
    return error < 0 ? error : closed;
}

static int print_each(const struct dumpfiles *f, const struct dumpset *set,
                      const struct threads_outside *none)
{
    int error = 0;
    for (uint32_t i = 0; i < set->count && error == 0; i++) {
        if (set->count > 1)
            error = put_head(i + 1, &set->dumps[i]);
        if (error == 0)
            error = print_one(f, &set->dumps[i], none);
    }
    return error;
}

/* ---- all dumps */

static int put_series(const struct dumpseries *s)
{
    struct plainout out;
    int error = plainout_open(&out, false);
    if (error < 0)
        return error;
    error = dumpprint_series(&out.sink, s);
    sink_text(&out.sink, "\n");
    int closed = plainout_done(&out);
    return error < 0 ? error : closed;
}

/* Without an option that chooses: what is not in the text that the user has already. */
static int print_all(struct dumpfiles *f, const struct dumpseries *s,
                     const struct threads_outside *none)
{
    int error = 0;
    if (s->set->count == 1 || s->is_mixed)
        f->is_grouped = true;
    else
        error = put_series(s);
    if (error == 0 && f->is_grouped)
        error = print_each(f, s->set, none);
    else if (error == 0)
        error = print_one(f, &s->set->dumps[s->set->count - 1], none);
    return error < 0 ? error : put_tree(s);
}

static int print_json(const struct dumpseries *s, const struct threads_outside *none)
{
    struct sink out;
    int error = sink_init(&out, STDOUT_FILENO);
    for (uint32_t i = 0; error == 0 && i < s->set->count; i++) {
        const struct dumpset_dump *d = &s->set->dumps[i];
        sink_text(&out, "{\"file\":");
        json_out_text(&out, d->file, strlen(d->file));
        sink_printf(&out, ",\"line\":%" PRIu64 ",\"when\":", d->about.line);
        json_out_text(&out, d->about.when, strlen(d->about.when));
        sink_text(&out, ",\"vm\":");
        json_out_text(&out, d->about.vm, strlen(d->about.vm));
        sink_text(&out, ",");
        threads_print_json(&out, &d->threads, none);
    }
    if (error == 0 && s->set->count > 1 && !s->is_mixed)
        dumpprint_series_json(&out, s);
    return error < 0 ? error : sink_done(&out);
}

int dumpfiles_table(struct tabular_out *out, struct tabular *t, uint32_t top)
{
    struct plainout plain;
    if (!tabular_place(out, t, top))
        return CMD_OK;
    if (tabular_check(out) < 0)
        return CMD_FAILED;
    int error = plainout_open(&plain, false);
    if (error == 0) {
        tabular_print(t, top, &plain.sink);
        error = plainout_done(&plain);
    }
    if (error < 0 && error != -EPIPE)
        say("threads: %s", err_text(error));
    return error < 0 ? CMD_FAILED : CMD_OK;
}

static int print_table(struct dumpfiles *f, const struct dumpset *set,
                       const struct threads_outside *none)
{
    struct tabular t = {0};
    int error = 0, status = CMD_FAILED;
    dumprows_begin(&t);
    for (uint32_t i = 0; error == 0 && i < set->count; i++)
        error = dumprows_add(&t, i + 1, set->dumps[i].about.when, &set->dumps[i].threads, none);
    if (error == 0)
        status = dumpfiles_table(f->out, &t, f->top);
    else
        say("threads: %s", err_text(error));
    tabular_done(&t);
    return status;
}

/* Leaves out the dumps of other times. Returns an exit status, after saying why it is not 0. */
static int cut(struct dumpfiles *f, struct dumpset *set)
{
    unsigned timeless;
    int error = dumprows_cut(set, &f->window, &timeless);
    if (error < 0) {
        say("threads: --from, --to: a thread dump does not tell System.nanoTime()");
        return CMD_FAILED;
    }
    if (timeless > 0)
        say("threads: %u dump%s no time in front, and %s left out", timeless,
            plural_of(timeless, " has", "s have"), plural_of(timeless, "is", "are"));
    if (set->count > 0)
        return CMD_OK;
    say("threads: no dump was made between --from and --to");
    return CMD_FAILED;
}

static int print(struct dumpfiles *f, const struct dumpset *set)
{
    static const struct threads_outside none; /* no JVM is asked */
    struct dumpseries s;
    if (f->is_table)
        return print_table(f, set, &none);
    int error = dumpseries_make(set, &s);
    if (error == 0 && s.is_mixed)
        say("threads: the dumps are of several JVMs: each is shown alone");
    if (error == 0 && f->is_json)
        error = print_json(&s, &none);
    else if (error == 0 && (f->is_grouped || f->is_summary || f->has_locks))
        error = print_each(f, set, &none);
    else if (error == 0)
        error = print_all(f, &s, &none);
    dumpseries_done(&s);
    if (error < 0)
        say("threads: %s", err_text(error));
    return error < 0 ? CMD_FAILED : CMD_OK;
}

int dumpfiles_print(struct dumpfiles *f)
{
    struct dumpset set = {0};
    bool has_states = true;
    int status = CMD_OK;
    for (uint32_t i = 0; i < f->count; i++)
        status |= dumpfiles_read(f->names[i], &set);
    if (set.count > 0 && window_is_set(&f->window))
        status |= cut(f, &set);
    for (uint32_t i = 0; i < set.count; i++) {
        f->has_deadlock = f->has_deadlock || set.dumps[i].threads.deadlocks > 0;
        has_states = has_states && set.dumps[i].about.has_states;
    }
    if (!has_states)
        say("threads: a dump does not tell the states of its threads: they are taken from the "
            "frames, "
            "and a thread that is BLOCKED looks RUNNABLE");
    if (set.count > 0)
        status |= print(f, &set);
    dumpset_done(&set);
    return status;
}
