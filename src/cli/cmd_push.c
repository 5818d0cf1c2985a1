/*
 * cmd_push.c - `hprof push URL INPUT...`: profiles to a receiver over HTTP.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "command/help.h"
#include "command/opts.h"
#include "command/say.h"
#include "command/values.h"
#include "push/push.h"

enum {
    OPT_TO = 1,
    OPT_HEADER,
    OPT_SERVICE,
    OPT_ATTRIBUTE,
    OPT_MAX_REQUEST,
    OPT_COMPRESSION,
    OPT_TIMEOUT,
    OPT_RETRY,
};

static const struct opt options[] = {
    {OPT_TO, 0, "to", "otlp|pyroscope",
     "what the receiver is (a URL that ends in /ingest: pyroscope)"},
    {OPT_HEADER, 0, "header", "@FILE",
     "a file with a header in each line, as in 'Authorization: Bearer ...'; may be repeated"},
    {OPT_SERVICE, 0, "service", "NAME", "the service.name (OTEL_SERVICE_NAME, or the program)"},
    {OPT_ATTRIBUTE, 0, "attribute", "KEY=VALUE",
     "an attribute of the resource, or a label; may be repeated"},
    {OPT_MAX_REQUEST, 0, "max-request", "SIZE", "split requests below this size (4m)"},
    {OPT_COMPRESSION, 0, "compression", "gzip|none",
     "how requests are packed (OTEL_EXPORTER_OTLP_COMPRESSION, or none)"},
    {OPT_TIMEOUT, 0, "timeout", "TIME", "of a request (OTEL_EXPORTER_OTLP_TIMEOUT, or 10 seconds)"},
    {OPT_RETRY, 0, "retry", "TIME", "how long a request is tried again (1min)"},
    {0},
};

struct request {
    const struct cmd *cmd;
    struct push_how how;
    const char **files;
    size_t count;
};

static int take_to(struct request *r, const char *value)
{
    r->how.to = strcmp(value, "otlp") == 0        ? PUSH_OTLP
                : strcmp(value, "pyroscope") == 0 ? PUSH_PYROSCOPE
                                                  : PUSH_BY_URL;
    if (r->how.to != PUSH_BY_URL)
        return 0;
    say("push: --to '%s': wanted is otlp or pyroscope", value);
    return E_SYNTAX;
}

static int take_header(struct request *r, const char *value)
{
    if (*value == '@' && value[1] != '\0' && r->how.header_file_count < PUSH_HEADER_FILES) {
        r->how.header_files[r->how.header_file_count++] = value + 1;
        return 0;
    }
    /* The value may be a secret: it is not said. */
    say("push: --header: wanted is @FILE: everybody on this machine can read a command line");
    return E_SYNTAX;
}

static int take_attribute(struct request *r, char *value)
{
    char *equals = strchr(value, '=');
    if (!equals || equals == value) {
        say("push: --attribute '%s': wanted is KEY=VALUE", value);
        return E_SYNTAX;
    }
    *equals = '\0';
    int error = push_attribute(&r->how, value, equals + 1);
    if (error < 0)
        say("push: --attribute: %d at most", PUSH_ATTRIBUTES);
    return error;
}

/* The first operand may be a URL; a file is named later. */
static int take_word(struct request *r, const char *value)
{
    if (!r->how.url && r->count == 0 && strstr(value, "://"))
        r->how.url = value;
    else
        r->files[r->count++] = value;
    return 0;
}

/* Errors: 0; negative after saying why. */
static int take_option(struct request *r, int id, const char *value)
{
    switch (id) {
    case OPT_TO:
        return take_to(r, value);
    case OPT_HEADER:
        return take_header(r, value);
    case OPT_SERVICE:
        return push_attribute(&r->how, OTLP_SERVICE, value);
    case OPT_ATTRIBUTE:
        return take_attribute(r, (char *)value);
    case OPT_MAX_REQUEST:
        return values_size(r->cmd, "max-request", value, &r->how.max_bytes);
    case OPT_COMPRESSION:
        r->how.compression = value;
        return 0;
    case OPT_TIMEOUT:
        return values_seconds(r->cmd, "timeout", value, &r->how.timeout_ns);
    case OPT_RETRY:
        return values_seconds(r->cmd, "retry", value, &r->how.retry_ns);
    case OPTS_WORD:
        return take_word(r, value);
    default:
        return E_SYNTAX;
    }
}

static int parse(struct request *r, int argc, char **argv)
{
    struct opts opts;
    opts_init(&opts, r->cmd, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPTS_HELP) {
            help_cmd(stdout, r->cmd);
            return OPTS_HELP;
        }
        if (id == OPTS_ERROR || take_option(r, id, opts.value) < 0)
            return E_SYNTAX;
    }
    if (r->count > 0)
        return 0;
    say("push: no input named; usage: hprof push [OPTION...] %s", r->cmd->operands);
    return E_SYNTAX;
}

static int push(const struct request *r)
{
    struct push_result result;
    int error = push_files(&r->how, r->files, r->count, &result);
    if (error == E_SYNTAX)
        return CMD_USAGE;
    if (result.requests == 0 && error < 0)
        return CMD_FAILED;
    return push_say(&r->how, &result) && error == 0 ? CMD_OK : CMD_FAILED;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct request r = {.cmd = self, .how = {.command = "push"}};
    r.files = calloc((size_t)argc + 1, sizeof(*r.files));
    if (!r.files) {
        say("push: %s", err_text(-ENOMEM));
        return CMD_FAILED;
    }
    int error = parse(&r, argc, argv);
    int status = error == OPTS_HELP ? CMD_OK : error < 0 ? CMD_USAGE : push(&r);
    free(r.files);
    return status;
}

const struct cmd cmd_push = {
    .name = "push",
    .group = CMD_READS,
    .help = "Send profiles to a receiver: OpenTelemetry's collector, Pyroscope",
    .operands = "[URL] INPUT...",
    .needs = "a file",
    .others = "profilecli",
    .options = options,
    .run = run,
};
