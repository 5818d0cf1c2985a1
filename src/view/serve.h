/*
 * serve.h - a small HTTP server: for the browser of this machine (`hprof view`), and for a
 * monitoring system (`hprof metrics --serve`).
 *
 * By default it listens only on 127.0.0.1, at a port that the system chooses. It answers only
 * requests that name this address or localhost: a web page whose own name leads to this address
 * gets nothing. It answers only this user and root, because every user can read the arguments of
 * the browser, and the address with its token is among them. The fields of struct serve widen this.
 *
 * Each connection is one request. Requests, connections and their time are bounded. There is one
 * thread, and a slow peer does not delay others.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "view/http_request.h"
#include "view/serve_place.h"

enum { SERVE_WHY = 200 };

/** The answer to a request. All zero: 404. */
struct serve_answer {
    int status;       /* 200: the file; 204: nothing, the browser stays on its page; else: text */
    const char *why;  /* that text, one line of at most SERVE_WHY bytes; NULL: the status in words.
                       * It is borrowed until the next request. */
    const char *type; /* content type of the file: "text/html; charset=utf-8"; static */
    int fd;           /* the file, sent from its beginning; borrowed unless `closes` */
    bool closes;      /* close the descriptor after the answer */
};

/** Fills the answer to a request that named this server. */
typedef void serve_handler(void *with, const struct http_request *request,
                           struct serve_answer *ret_answer);

struct serve {
    int fd;
    struct serve_place place;   /* all zero: any free port of 127.0.0.1 */
    char url[SERVE_PLACE_TEXT]; /* "http://127.0.0.1:4711" */
    bool takes_any_user;        /* answers every user who reaches the place */
    bool takes_any_name;        /* answers whatever single host the request names */
    bool only_get;              /* refuses methods other than GET */
    /* Origin of pages that may read the answers: "https://..."; NULL: only our own. */
    const char *origin;
    uint64_t idle_ns; /* the server ends after this time without requests */
    serve_handler *handle;
    bool (*is_over)(void *with); /* called at least four times a second; NULL: never */
    void *with;
};

/** Starts to listen. Errors: 0; as serve_place_listen(). Owner: serve_close(), also after an
 * error. */
int serve_open(struct serve *s);
/** Answers requests until there were none for `idle_ns`, or until is_over() returns true. Errors:
 * 0; -errno. */
int serve_run(struct serve *s);
void serve_close(struct serve *s);
