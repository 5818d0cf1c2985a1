/*
 * http_request.c - see http_request.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "view/http_request.h"
#include <string.h>
#include <strings.h>
#include "base/err.h"
#include "base/hex.h"

static const char *const methods[] = {
    [HTTP_GET] = "GET ", [HTTP_HEAD] = "HEAD ", [HTTP_OPTIONS] = "OPTIONS "};

/* Decodes percent signs. Returns false if there is no room or if a byte is not text. */
static bool decode(const char *from, size_t len, char *to, size_t room)
{
    size_t used = 0;
    for (size_t i = 0; i < len; i++) {
        int c = (unsigned char)from[i];
        if (c == '%') {
            int high = i + 2 < len ? hex_digit(from[i + 1]) : -1;
            int low = high >= 0 ? hex_digit(from[i + 2]) : -1;
            if (low < 0)
                return false;
            c = high * 16 + low;
            i += 2;
        }
        if (c < ' ' || c == 0x7f || used + 1 >= room)
            return false;
        to[used++] = (char)c;
    }
    to[used] = '\0';
    return true;
}

/* Parses the words of the first line after the method: the path with its query, and the version. */
static int parse_target(const char *at, const char *end, struct http_request *ret)
{
    const char *blank = memchr(at, ' ', (size_t)(end - at));
    if (!blank || at == blank || *at != '/' || strncmp(blank, " HTTP/1.", 8) != 0)
        return E_FORMAT;
    const char *query = memchr(at, '?', (size_t)(blank - at));
    const char *path_end = query ? query : blank;
    size_t query_len = query ? (size_t)(blank - query - 1) : 0;

    if ((size_t)(path_end - at) >= sizeof(ret->path) || query_len >= sizeof(ret->query))
        return E_LIMIT;
    if (!decode(at, (size_t)(path_end - at), ret->path, sizeof(ret->path)))
        return E_FORMAT;
    if (query)
        memcpy(ret->query, query + 1, query_len);
    ret->query[query_len] = '\0';
    return 0;
}

/* Reads the line if it is the field Host. `hosts` counts these lines. */
static void take_host(const char *line, const char *end, int *hosts, struct http_request *ret)
{
    static const char name[] = "host:";
    const size_t name_len = sizeof(name) - 1;
    if ((size_t)(end - line) < name_len || strncasecmp(line, name, name_len) != 0)
        return;
    line += name_len;
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    while (end > line && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    size_t len = (size_t)(end - line);
    /* Several fields Host count as none. */
    if (++*hosts > 1 || len >= sizeof(ret->host)) {
        ret->host[0] = '\0';
        return;
    }
    memcpy(ret->host, line, len);
    ret->host[len] = '\0';
}

int http_request_parse(const char *bytes, size_t len, struct http_request *ret)
{
    const char *end = memmem(bytes, len, "\r\n\r\n", 4);
    struct http_request q = {0};
    size_t method = 0;
    int hosts = 0;
    if (memchr(bytes, '\0', end ? (size_t)(end - bytes) : len))
        return E_FORMAT;
    if (!end)
        return len >= HTTP_REQUEST_HEAD ? E_LIMIT : 1;
    if ((size_t)(end - bytes) + strlen("\r\n\r\n") > HTTP_REQUEST_HEAD)
        return E_LIMIT;
    while (method < sizeof(methods) / sizeof(*methods) &&
           strncmp(bytes, methods[method], strlen(methods[method])) != 0)
        method++;
    if (method == sizeof(methods) / sizeof(*methods))
        return E_UNSUPPORTED;
    q.method = (enum http_method)method;
    const char *line_end = memmem(bytes, len, "\r\n", 2);
    int r = parse_target(bytes + strlen(methods[method]), line_end, &q);
    while (r == 0 && line_end < end) {
        const char *line = line_end + 2;
        line_end = memmem(line, (size_t)(end + 2 - line), "\r\n", 2);
        take_host(line, line_end, &hosts, &q);
    }
    if (r == 0)
        *ret = q;
    return r;
}

bool http_request_value(const char *query, const char *name, char *ret, size_t room)
{
    size_t name_len = strlen(name);
    while (*query != '\0') {
        size_t len = strcspn(query, "&");
        if (len > name_len && query[name_len] == '=' && strncmp(query, name, name_len) == 0)
            return decode(query + name_len + 1, len - name_len - 1, ret, room);
        query += len + (query[len] == '&');
    }
    return false;
}
