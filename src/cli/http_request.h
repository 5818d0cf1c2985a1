/*
 * http_request.h - the head of an HTTP/1.1 request, as browsers send it to `hprof view`.
 *
 * What is needed and nothing else: method, path, the hosts that it names. Bytes are those of
 * whoever can reach the port, so what is odd is refused. Source: RFC 9112, RFC 3986.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum {
    HTTP_REQUEST_HEAD = 8192, /* bytes of a head at most, with the empty line */
    HTTP_REQUEST_PATH = 1024,
    HTTP_REQUEST_HOST = 128,
};

enum http_method { HTTP_GET, HTTP_HEAD, HTTP_OPTIONS };

struct http_request {
    enum http_method method;
    char path[HTTP_REQUEST_PATH];  /* begins with "/"; percent signs undone, without a query */
    char query[HTTP_REQUEST_PATH]; /* what is behind "?", as it is; empty: none */
    char host[HTTP_REQUEST_HOST];  /* of the field Host; empty: none, or too long */
};

/**
 * Parses the `len` bytes that have come. Returns 1: more have to come; 0: *ret is filled; E_FORMAT:
 * no request; E_UNSUPPORTED: another method; E_LIMIT: too long. Context: any.
 */
int http_request_parse(const char *bytes, size_t len, struct http_request *ret);
/** The value of `name` in a query with percent signs undone: false: it is not there, or odd. */
bool http_request_value(const char *query, const char *name, char *ret, size_t room);
