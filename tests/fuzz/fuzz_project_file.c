/*
 * fuzz_project_file.c - hprof.conf of a project that somebody has cloned: what is made of it is
 * options that it may have, one a line at most.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz.h"
#include "command/cmd.h"
#include "cli/project_file.h"
#include "cli/project_output.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct opt rows[] = {
    {1, 'd', "depth", "N", "frames"},
    {2, 'q', "quiet", NULL, "no summary"},
    {3, 0, "agent", "PATH", "a library"},
    {4, 'o', "output", "FILE", "where to"},
    {5, 0, "jfr", "[=SETTINGS]", "the JVM's own recording"},
    {0},
};
static const struct project_option project[] = {
    {1, PROJECT_ANY}, {2, PROJECT_ANY}, {4, PROJECT_OUTPUT}, {5, PROJECT_PRESET}, {0, PROJECT_ANY}};
static const struct cmd runner = {
    .name = "run", .options = rows, .ends_at_word = true, .project = project};

const struct cmd *const cmd_all[] = {&runner, NULL};

const char *project_output_refuse(const char *path)
{
    return path[0] == '/' ? "absolute" : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static FILE *quiet;
    char name[] = "run", *argv[] = {name, NULL};
    struct project_file p = {.argc = 1, .argv = argv};
    FILE *in = len > 0 ? fmemopen((void *)bytes, len, "r") : NULL;
    if (!quiet)
        quiet = freopen("/dev/null", "w", stderr); /* what is refused is said */
    if (!quiet)
        abort();
    if (!in)
        return 0;
    (void)project_file_parse(&p, &runner, in, "hprof.conf");
    for (size_t i = 0; i < p.made_count; i++)
        if (strncmp(p.made[i], "--agent", strlen("--agent")) == 0 ||
            strncmp(p.made[i], "--output=/", strlen("--output=/")) == 0)
            abort();
    fclose(in);
    project_file_done(&p);
    return 0;
}
