/*
 * push_setting.c - see push_setting.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "push/push_setting.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/err.h"
#include "command/say.h"
#include "safe/clock.h"

#define OTLP_PATH "/v1development/profiles"
#define PYROSCOPE_PATH "/ingest"

enum { HEADER_FILE_MAX = 1 << 16, TIMEOUT_MS = 10000 };

/* The variable of this signal, or that of all; NULL: neither is set. */
static const char *variable(const char *name)
{
    char whole[128];
    snprintf(whole, sizeof(whole), "OTEL_EXPORTER_OTLP_PROFILES_%s", name);
    const char *value = getenv(whole);
    if (!value || *value == '\0') {
        snprintf(whole, sizeof(whole), "OTEL_EXPORTER_OTLP_%s", name);
        value = getenv(whole);
    }
    return value && *value != '\0' ? value : NULL;
}

/* ---- the URL */

/* The path of a URL; it may be "". NULL: it is none that requests go to. */
static const char *path_of(const char *url)
{
    const char *host = strncasecmp(url, "http://", 7) == 0    ? url + 7
                       : strncasecmp(url, "https://", 8) == 0 ? url + 8
                                                              : NULL;
    if (!host || strcspn(host, "/?#") == 0)
        return NULL;
    for (const char *c = url; *c != '\0'; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f)
            return NULL;
    return host + strcspn(host, "/?#");
}

static int check_url(const struct push_setting *s, const char *url)
{
    const char *path = path_of(url), *protocol = variable("PROTOCOL");
    if (strncasecmp(url, "grpc", 4) == 0 ||
        (protocol && strcmp(protocol, "grpc") == 0 && !s->is_pyroscope)) {
        say("%s: gRPC is not built in: receivers of OTLP take HTTP as well, most of them at port "
            "4318",
            s->command);
        return E_UNSUPPORTED;
    }
    if (protocol && strcmp(protocol, "http/protobuf") != 0 && !s->is_pyroscope) {
        say("%s: OTEL_EXPORTER_OTLP_PROTOCOL is '%s': only http/protobuf is built in", s->command,
            protocol);
        return E_UNSUPPORTED;
    }
    if (!path) {
        say("%s: '%s': wanted is a URL, as in http://collector:4318", s->command, url);
        return E_SYNTAX;
    }
    const char *at = memchr(url, '@', (size_t)(path - url));
    if (!at)
        return 0;
    say("%s: the URL has a user's name or password, which everybody on this machine can read on "
        "the command line; a file has the header: --header @FILE",
        s->command);
    return E_SYNTAX;
}

static bool ends_in(const char *text, const char *end)
{
    size_t len = strlen(text), tail = strlen(end);
    return len >= tail && strcmp(text + len - tail, end) == 0;
}

/* `is_whole`: the URL has its path. */
static int take_url(struct push_setting *s, const char *url, bool is_whole, enum push_to to)
{
    const char *path = path_of(url);
    s->is_pyroscope =
        to == PUSH_PYROSCOPE || (to == PUSH_BY_URL && path && ends_in(url, PYROSCOPE_PATH));
    int error = check_url(s, url);
    if (error < 0 || !path)
        return error < 0 ? error : E_SYNTAX;
    size_t len = strlen(url);
    bool is_bare = *path == '\0' || strcmp(path, "/") == 0;
    const char *more = s->is_pyroscope        ? (ends_in(url, PYROSCOPE_PATH) ? "" : PYROSCOPE_PATH)
                       : is_bare || !is_whole ? OTLP_PATH
                                              : "";
    while (*more != '\0' && len > 0 && url[len - 1] == '/')
        len--;
    return asprintf(&s->url, "%.*s%s", (int)len, url, more) < 0 ? -ENOMEM : 0;
}

static int find_url(struct push_setting *s, const struct push_how *how)
{
    if (how->url)
        return take_url(s, how->url, true, how->to);
    const char *own = getenv("OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT");
    const char *base = getenv("OTEL_EXPORTER_OTLP_ENDPOINT");
    if (own && *own != '\0')
        return take_url(s, own, true, PUSH_OTLP);
    if (base && *base != '\0')
        return take_url(s, base, false, PUSH_OTLP);
    say("%s: no URL: neither the command line nor OTEL_EXPORTER_OTLP_ENDPOINT names a receiver",
        s->command);
    return E_SYNTAX;
}

/* ---- headers */

bool push_setting_is_header(const char *text)
{
    size_t name = strspn(text, "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (name == 0 || text[name] != ':')
        return false;
    for (const char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return false;
    return true;
}

static int add_header(struct push_setting *s, const char *text, const char *where)
{
    if (s->header_count == PUSH_HEADERS || !push_setting_is_header(text)) {
        /* What it says may be a secret. */
        say("%s: %s: header %u: wanted is 'Name: value'%s", s->command, where, s->header_count + 1,
            s->header_count == PUSH_HEADERS ? ", 64 at most" : "");
        return E_SYNTAX;
    }
    char *copy = strdup(text);
    if (!copy)
        return -ENOMEM;
    s->headers[s->header_count++] = copy;
    return 0;
}

static int read_header_file(struct push_setting *s, const char *path)
{
    char line[8192];
    FILE *file = fopen(path, "re");
    long read = 0;
    int error = 0;
    if (!file) {
        error = -errno;
        say("%s: --header @%s: %s", s->command, path, strerror(-error));
        return error;
    }
    while (error == 0 && fgets(line, sizeof(line), file)) {
        read += (long)strlen(line);
        line[strcspn(line, "\r\n")] = '\0';
        if (read > HEADER_FILE_MAX)
            error = E_LIMIT;
        else if (line[0] != '\0' && line[0] != '#')
            error = add_header(s, line, path);
    }
    if (error == E_LIMIT)
        say("%s: --header @%s: it is longer than 64 KB", s->command, path);
    fclose(file);
    return error;
}

void push_setting_decode(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++, to++) {
        *to = *from;
        if (*from != '%' || !isxdigit((unsigned char)from[1]) || !isxdigit((unsigned char)from[2]))
            continue;
        const char digits[] = {from[1], from[2], '\0'};
        unsigned long byte = strtoul(digits, NULL, 16);
        if (byte != 0) {
            *to = (char)byte;
            from += 2;
        }
    }
    *to = '\0';
}

static char *trim(char *text)
{
    text += strspn(text, " \t");
    for (size_t len = strlen(text); len > 0 && strchr(" \t", text[len - 1]); len--)
        text[len - 1] = '\0';
    return text;
}

/* "key=value,key=value", where values are encoded as in URLs. */
static int read_header_variable(struct push_setting *s)
{
    const char *value = variable("HEADERS");
    char *copy = value ? strdup(value) : NULL, *rest = NULL;
    int error = value && !copy ? -ENOMEM : 0;
    for (char *part = copy ? strtok_r(copy, ",", &rest) : NULL; part && error == 0;
         part = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(part, '='), *header = NULL;
        if (*trim(part) == '\0')
            continue;
        if (equals) {
            *equals = '\0';
            push_setting_decode(equals + 1);
            if (asprintf(&header, "%s: %s", trim(part), trim(equals + 1)) < 0)
                header = NULL;
        }
        error = add_header(s, header ? header : "", "OTEL_EXPORTER_OTLP_HEADERS");
        free(header);
    }
    free(copy);
    return error;
}

/* ---- the rest */

static int find_compression(struct push_setting *s, const struct push_how *how)
{
    const char *value = how->compression ? how->compression : variable("COMPRESSION");
    if (value && strcmp(value, "gzip") != 0 && strcmp(value, "none") != 0) {
        say("%s: %s '%s': wanted is gzip or none", s->command,
            how->compression ? "--compression" : "OTEL_EXPORTER_OTLP_COMPRESSION", value);
        return E_SYNTAX;
    }
    s->is_gzip = value && strcmp(value, "gzip") == 0;
    return 0;
}

static int find_timeout(struct push_setting *s, const struct push_how *how)
{
    const char *value = variable("TIMEOUT");
    char *end = NULL;
    long ms = value ? strtol(value, &end, 10) : TIMEOUT_MS;
    s->timeout_ns = how->timeout_ns > 0 ? how->timeout_ns : (uint64_t)ms * NS_PER_MS;
    if (how->timeout_ns > 0 || !value || (*end == '\0' && ms > 0 && ms < INT32_MAX))
        return 0;
    say("%s: OTEL_EXPORTER_OTLP_TIMEOUT '%s': wanted are milliseconds", s->command, value);
    return E_SYNTAX;
}

int push_setting_read(struct push_setting *s, const struct push_how *how)
{
    *s = (struct push_setting){.command = how->command,
                               .certificate = variable("CERTIFICATE"),
                               .client_certificate = variable("CLIENT_CERTIFICATE"),
                               .client_key = variable("CLIENT_KEY"),
                               .service = getenv("OTEL_SERVICE_NAME")};
    if (s->service && *s->service == '\0')
        s->service = NULL;
    int error = find_url(s, how);
    if (error == 0)
        error = find_compression(s, how);
    if (error == 0)
        error = find_timeout(s, how);
    for (size_t i = 0; i < how->header_file_count && error == 0; i++)
        error = read_header_file(s, how->header_files[i]);
    if (error == 0 && !s->is_pyroscope)
        error = read_header_variable(s);
    const char *attributes = getenv("OTEL_RESOURCE_ATTRIBUTES");
    if (error == 0 && attributes && !(s->attributes = strdup(attributes)))
        error = -ENOMEM;
    if (error == -ENOMEM)
        say("%s: %s", s->command, err_text(error));
    return error;
}

void push_setting_done(struct push_setting *s)
{
    for (uint32_t i = 0; i < s->header_count; i++)
        free(s->headers[i]);
    free(s->url);
    free(s->attributes);
    *s = (struct push_setting){0};
}
