/*
 * annotate.c - see annotate.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/annotate.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "reading/load.h"
#include "command/diag_say.h"
#include "command/outfile.h"
#include "command/say.h"
#include "report/source.h"
#include "report/source_fit.h"
#include "report/source_show.h"
#include "profile/profile.h"
#include "profile/series.h"

static int put(const struct annotate *s, const struct source *source, const char *file,
               const struct series *series, FILE *out)
{
    const struct kind_value *type = &kind_all[series->kind]->values[series->value];
    int32_t misfit = source_fit(source, file);
    int r = misfit < 0 ? misfit
                       : source_show(out, source, file, type->words, misfit, s->output != NULL);
    if (r == 0 && misfit > 0)
        say("report: '%s' is of another version than the program that was measured: line %d has "
            "nothing there that was measured",
            file, misfit);
    if (r < 0)
        say("report: cannot read '%s': %s", file, strerror(-r));
    return r;
}

/* If writing fails, the incomplete page is removed. */
static int put_page(const struct annotate *s, const struct source *source, const char *file,
                    const struct series *series)
{
    struct outfile to;
    int r = outfile_open("report", s->output, &to);
    if (r < 0)
        return r;
    int fd = dup(to.file.fd);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    r = out ? put(s, source, file, series, out) : -errno;
    bool is_bad = !out || ferror(out);
    if ((out && fclose(out) != 0) || is_bad) {
        say("report: cannot write '%s'", s->output);
        r = -EIO;
    }
    if (!out && fd >= 0)
        close(fd);
    return outfile_close(&to, r);
}

static int show(const struct annotate *s, const struct source *source, const char *file,
                const struct series *series)
{
    return s->output ? put_page(s, source, file, series) : put(s, source, file, series, stdout);
}

static const struct series *find_series(const struct annotate *s, struct profile *p)
{
    for (const struct series *each = series_next_in(NULL, p); each; each = series_next_in(each, p))
        if (!s->series || s->series == each)
            return each;
    say("%s: has no %s", s->profile, s->series ? s->series->word : "counts");
    return NULL;
}

static int find_and_show(const struct annotate *s, struct profile *p, struct source *source)
{
    const struct series *series = find_series(s, p);
    char *file = NULL;
    if (!series)
        return E_NOT_FOUND;
    int r = source_read(source, p, series->kind, series->value, s->what);
    if (r == E_NOT_FOUND)
        say("%s: nothing of '%s' was measured; name a method as the tables have it, a class, or a "
            "file like Main.java",
            s->profile, s->what);
    else if (r == E_UNSUPPORTED)
        say("%s: has no lines of '%s'; was it recorded with lineno=n?", s->profile, s->what);
    else if (r < 0)
        say("%s: %s", s->profile, err_text(r));
    if (r < 0)
        return r;
    r = source_find(s->folders, s->folder_count, source->path, &file);
    if (r < 0)
        say("report: '%s' is not below the folders of --source, nor one level deeper",
            source->path);
    else
        r = show(s, source, file, series);
    free(file);
    return r;
}

int annotate_show(const struct annotate *s)
{
    struct load load;
    struct source source = {0};
    int r = load_open(s->profile, s->how, diag_say(), &load);
    if (r == 0)
        r = find_and_show(s, load.profile, &source);
    if (r == 0 && load.damaged)
        r = E_FORMAT;
    source_done(&source);
    load_close(&load);
    return r;
}
