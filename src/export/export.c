/*
 * export.c - see export.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "export/export.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "base/diag.h"
#include "base/err.h"
#include "export/export_columns.h"
#include "export/export_events.h"
#include "export/export_fixed.h"
#include "export/export_state.h"
#include "export/export_stop.h"
#include "export/export_table.h"
#include "query/query.h"
#include "query/query_state.h"
#include "safe/clock.h"

enum { DAY_S = 86400 };

static const struct export_writer *const writers[] = {&export_sqlite_writer,
                                                      &export_parquet_writer};

const struct export_writer *export_writer_named(const char *word)
{
    for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++)
        if (strcmp(writers[i]->word, word) == 0)
            return writers[i];
    return NULL;
}

/* ---- inputs */

/* The day of an input whose rows have no times. */
static int64_t day_of_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && st.st_mtime >= 0 ? st.st_mtime / DAY_S
                                                    : export_day((int64_t)clock_ns(CLOCK_REALTIME));
}

static int put_input(struct export_state *s)
{
    const struct query_input *in = &s->query->inputs[0];
    uint64_t before = s->rows;
    int error;
    if (in->pid != 0) {
        diag_tell(s->options->diag, E_UNSUPPORTED, in->word,
                  "a process is no file; 'hprof record' makes one of it");
        return E_UNSUPPORTED;
    }
    s->place = (struct export_place){day_of_file(in->word), export_columns_service(s, "")};
    s->pid = s->start_ms = 0;
    error = in->is_jfr ? export_events(s) : export_fixed_samples(s);
    if (error == 0 && s->rows == before && in->is_heap) {
        diag_tell(s->options->diag, E_UNSUPPORTED, in->word,
                  "a heap dump without samples; 'hprof query' answers questions about it");
        return E_UNSUPPORTED;
    }
    return error == 0 ? export_fixed_rest(s) : error;
}

/* Exports one input, whose query is then over. */
static int export_input(struct export_state *s, const char *word, bool *ret_is_damaged)
{
    const struct query_options how = {
        .memory_bytes = s->options->memory_bytes, .tmp = s->options->tmp, .diag = s->options->diag};
    int error = query_open(&how, &s->query);
    if (error == 0)
        error = query_add(s->query, word);
    bool is_told = error < 0 && error != -ENOMEM;
    if (error == 0)
        error = query_begin(s->query);
    if (error == 0 && export_stop_is_asked())
        error = -EINTR;
    if (error == 0) {
        error = put_input(s);
        is_told = error == E_UNSUPPORTED || error == -EIO || error == -ENOSPC;
        *ret_is_damaged |= s->query->is_damaged;
    }
    if (error < 0 && !is_told)
        diag_tell(s->options->diag, error, word, "%s",
                  error == -EINTR ? "interrupted; nothing was exported" : err_text(error));
    query_close(s->query);
    s->query = NULL;
    return error;
}

int export_run(const struct export_options *options, const char *const *inputs, size_t count,
               struct export_result *ret_result)
{
    struct export_state s = {.options = options};
    *ret_result = (struct export_result){0};
    int error = options->writer->open(options, &s.out);
    if (error < 0)
        return error;
    s.input = options->writer->first_input(s.out);
    for (size_t i = 0; i < count && error == 0; i++, s.input++)
        error = export_input(&s, inputs[i], &ret_result->is_damaged);
    error = options->writer->close(s.out, error, &ret_result->files);
    ret_result->rows = s.rows;
    return error;
}
