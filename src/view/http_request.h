/*
 * http_request.h - the head of an HTTP/1.1 request, as browsers send it to `hprof view`.
 *
 * Only what `hprof view` needs is read: the method, the path and the host. The bytes come from any
 * process that can reach the port, so unusual requests are refused. Source: RFC 9112, RFC 3986.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum {
    HTTP_REQUEST_HEAD = 8192, /* longest head in bytes, with the empty line */
    HTTP_REQUEST_PATH = 1024,
    HTTP_REQUEST_HOST = 128,
};

enum http_method { HTTP_GET, HTTP_HEAD, HTTP_OPTIONS };

struct http_request {
    enum http_method method;
    char path[HTTP_REQUEST_PATH];  /* begins with "/"; percent signs decoded; without the query */
    char query[HTTP_REQUEST_PATH]; /* the text after "?", not decoded; empty: none */
    char host[HTTP_REQUEST_HOST];  /* field Host; empty: none, too long, or several */
};

/**
 * Parses the `len` bytes that have come. Returns 1: more bytes must come; 0: *ret is filled;
 * E_FORMAT: not a request; E_UNSUPPORTED: another method; E_LIMIT: too long. Context: any.
 */
int http_request_parse(const char *bytes, size_t len, struct http_request *ret);
/** The value of `name` in a query, with percent signs decoded. Returns false if the value is not
 * there or is malformed. */
bool http_request_value(const char *query, const char *name, char *ret, size_t room);
