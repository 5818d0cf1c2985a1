/*
 * run_options.c - see run_options.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "recording/run_options.h"
#include <stddef.h>
#include "recording/inject.h"
#include "recording/request.h"
#include "recording/run_file.h"

/* The option for the format; NULL: the agent takes it from the file's name. */
static const char *format_of(const struct run_file *output)
{
    if (output->is_agents_picture)
        return NULL;
    if (output->is_recording || output->is_timed)
        return "format=jfr";
    return output->binary ? "format=b" : "format=a";
}

static void add_measured(struct inject *all, const struct request *req,
                         const struct run_file *output, const char *manifest)
{
    const char *format = format_of(output);
    if (req->measured.text)
        inject_add_all(all, &req->measured);
    else
        inject_add_raw(all, "cpu=samples", "");
    inject_add_raw(all, "depth=512", "");
    inject_add_raw(all, "cutoff=0", "");
    inject_add_raw(all, "verbose=n", "");
    inject_add_raw(all, "force=n", "");
    inject_add_raw(all, "expand=y", "");
    if (manifest && !req->all)
        inject_add_raw(all, "tools=n", "");
    if (req->debug_is_asked)
        inject_add_raw(all, "onjcmd=y", "");
    if (format)
        inject_add_raw(all, format, "");
    inject_add(all, "file", output->path, "--output");
    if (manifest)
        inject_add(all, "manifest", manifest, "temporary file");
    inject_add_all(all, &req->watched);
    /* Last, because the agent uses the last value of an option. */
    inject_add_all(all, &req->agent_options);
}

char *run_options(const struct request *req, const struct run_file *output, const char *manifest,
                  const char *library, const char *before)
{
    char *value = NULL;
    struct inject all = {.command = "run"};
    if (request_measures(req))
        add_measured(&all, req, output, manifest);
    else
        inject_add_raw(&all, "onjcmd=only", "");
    if (!all.failed)
        (void)inject_tool_options(&all, before && *before ? before : NULL, library, &value);
    inject_done(&all);
    return value;
}
