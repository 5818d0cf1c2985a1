/*
 * serve.h - a small HTTP server for the browser of this machine, used by `hprof view`.
 *
 * It listens only on 127.0.0.1, at a port that the system chooses. It answers only requests that
 * name this address or localhost: a web page whose own name leads to this address gets nothing. It
 * answers only this user and root, because every user can read the arguments of the browser, and
 * the address with its token is among them. Each connection is one request. There is one thread,
 * and a slow peer does not delay others.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "view/http_request.h"

enum { SERVE_URL = 64 };

/** The answer to a request. All zero: 404. */
struct serve_answer {
    int status;       /* 200: the file; 204: nothing, the browser stays on its page; else: text */
    const char *type; /* content type of the file: "text/html; charset=utf-8"; static */
    int fd;           /* the file, sent from its beginning; borrowed unless `closes` */
    bool closes;      /* close the descriptor after the answer */
};

/** Fills the answer to a request that named this server. */
typedef void serve_handler(void *with, const struct http_request *request,
                           struct serve_answer *ret_answer);

struct serve {
    int fd;
    char url[SERVE_URL]; /* "http://127.0.0.1:4711" */
    /* Origin of pages that may read the answers: "https://..."; NULL: only our own. */
    const char *origin;
    uint64_t idle_ns; /* the server ends after this time without requests */
    serve_handler *handle;
    void *with;
};

/** Starts to listen. Errors: 0; -errno. Owner: serve_close(). */
int serve_open(struct serve *s);
/** Answers requests until there were none for `idle_ns`. Errors: 0; -errno. */
int serve_run(struct serve *s);
void serve_close(struct serve *s);
