/*
 * push_http.h - one request over HTTP or HTTPS, by libcurl.
 *
 * The library is loaded when the first request is made: the command needs it for nothing else, and
 * runs on machines that lack it. Certificates are checked. Redirects are not followed, because
 * headers may be secrets. Source: curl.se/libcurl/c.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include "push/push_answer.h"
#include "push/push_setting.h"

struct push_http;

struct push_body {
    const char *type; /* the Content-Type */
    const unsigned char *bytes;
    size_t len;
    bool is_gzip; /* it is packed */
};

/** Errors: 0; E_UNSUPPORTED after saying why: there is no libcurl; -ENOMEM. Owner:
 * push_http_close(). */
int push_http_open(const struct push_setting *setting, struct push_http **ret_http);
/** Makes a request to `url`. The answer is valid until the next call. */
void push_http_post(struct push_http *h, const char *url, const struct push_body *body,
                    struct push_answer *ret_answer);
void push_http_close(struct push_http *h);
