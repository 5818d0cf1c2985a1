/*
 * heap_output.c - see heap_output.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/heap_output.h"
#include <string.h>
#include "base/err.h"
#include "command/say.h"

int heap_output_form(const char *path, enum heap_output_form *ret_form)
{
    static const struct {
        const char *suffix;
        enum heap_output_form form;
    } forms[] = {{".html", HEAP_OUTPUT_PAGE},
                 {".htm", HEAP_OUTPUT_PAGE},
                 {".md", HEAP_OUTPUT_MARKDOWN},
                 {".json", HEAP_OUTPUT_JSON}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof(forms) / sizeof(forms[0]); i++)
        if (strcmp(dot, forms[i].suffix) == 0) {
            *ret_form = forms[i].form;
            return 0;
        }
    say("heap: -o '%s': the suffix says what is written: .html a page, .md Markdown, .json JSON",
        path);
    return E_SYNTAX;
}

int heap_output_open(const char *path, bool is_data, struct heap_output *ret_output)
{
    struct heap_output *o = ret_output;
    int error;
    *o = (struct heap_output){.path = path};
    if (!path) {
        error = plainout_open(&o->plain, is_data);
        o->sink = &o->plain.sink;
    } else {
        error = outfile_open("heap", path, &o->file);
        if (error < 0)
            return error;
        error = sink_init(&o->in_file, o->file.file.fd);
        o->sink = &o->in_file;
        if (error < 0)
            outfile_close(&o->file, error);
    }
    if (error < 0)
        say("heap: %s", err_text(error));
    return error;
}

int heap_output_close(struct heap_output *o, int error)
{
    int written = o->path ? sink_done(&o->in_file) : plainout_done(&o->plain);
    if (error == 0 && written < 0)
        say("heap: cannot write: %s", err_text(written));
    error = error < 0 ? error : written;
    return o->path ? outfile_close(&o->file, error) : error;
}
