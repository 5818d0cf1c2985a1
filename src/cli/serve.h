/*
 * serve.h - a small HTTP server for the browser of this machine: the one behind `hprof view`.
 *
 * Listens on 127.0.0.1 alone, at a port that the system chooses. It answers only who calls it by
 * that name: a page of somewhere else that has its own name lead here gets nothing; and only this
 * user and root: a token in an address stands among the arguments of browsers, for all to read.
 * Each connection is one request. One thread; a slow peer holds up no other.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "cli/http_request.h"

enum { SERVE_URL = 64 };

/** What a request gets. All zero: 404. */
struct serve_answer {
    int status;       /* 200: the file; 204: nothing, the browser stays where it is; else words */
    const char *type; /* of the file: "text/html; charset=utf-8"; static */
    int fd;           /* the file, from its beginning; borrowed unless `closes` */
    bool closes;      /* the descriptor is closed behind the answer */
};

/** Fills the answer to a request that was sent to this server by its name. */
typedef void serve_handler(void *with, const struct http_request *request,
                           struct serve_answer *ret_answer);

struct serve {
    int fd;
    char url[SERVE_URL]; /* "http://127.0.0.1:4711" */
    const char *origin;  /* whose pages may read the answers, "https://..."; NULL: our own alone */
    uint64_t idle_ns;    /* so long nobody asks: the end */
    serve_handler *handle;
    void *with;
};

/** Listens. Errors: 0; -errno. Owner: serve_close(). */
int serve_open(struct serve *s);
/** Answers until nobody has asked for `idle_ns`. Errors: 0; -errno. */
int serve_run(struct serve *s);
void serve_close(struct serve *s);
