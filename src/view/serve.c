/*
 * serve.c - see serve.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "view/serve.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "safe/clock.h"
#include "view/peer_owner.h"

enum {
    PEERS = 16,
    REQUEST_S = 10, /* a peer that has not sent its request by then is dropped */
    SEND_S = 30,    /* so is a peer that takes nothing for so long */
    WHOLE_S = 600,  /* and one that has not taken everything by then */
    HEAD = 1024,
    PIECE = 1 << 20, /* bytes of a file for one peer before the next peer's turn */
    MS_PER_S = 1000,
};

/* A connection: first the bytes of its request, then the answer that must be sent. */
struct peer {
    int fd;            /* -1: free */
    uint64_t since_ns; /* when it connected or last took something */
    uint64_t came_ns;  /* when it connected */
    size_t used;
    char bytes[HTTP_REQUEST_HEAD + 1];
    char head[HEAD]; /* head of the answer; empty while the request is read */
    size_t head_len, head_at;
    int file; /* sent after the head; -1: none */
    off_t at, size;
    bool closes_file;
    bool is_known; /* asked for an address that exists, so it counts as use */
};

int serve_open(struct serve *s)
{
    s->fd = serve_place_listen(&s->place, PEERS);
    if (s->fd < 0)
        return s->fd;
    serve_place_text(&s->place, s->url);
    return 0;
}

void serve_close(struct serve *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    serve_place_leave(&s->place);
}

static const char *words_of(int status)
{
    switch (status) {
    case 200:
        return "200 OK";
    case 204:
        return "204 No Content";
    case 400:
        return "400 Bad Request";
    case 403:
        return "403 Forbidden";
    case 405:
        return "405 Method Not Allowed";
    case 431:
        return "431 Request Header Fields Too Large";
    case 500:
        return "500 Internal Server Error";
    default:
        return "404 Not Found";
    }
}

/* Prepares the answer: after a 200 the file, otherwise the words. `q` NULL: the request could not
 * be read. */
static void answer(const struct serve *s, struct peer *p, const struct http_request *q,
                   const struct serve_answer *a)
{
    const char *words = words_of(a->status), *text = a->why ? a->why : words;
    bool has_file = a->status == 200, has_words = !has_file && a->status != 204;
    struct stat st = {.st_size = 0};
    char cross[HEAD / 2] = "";
    p->file = has_file ? a->fd : -1;
    p->closes_file = a->closes;
    if (has_file && fstat(a->fd, &st) < 0)
        return;
    if (s->origin)
        snprintf(cross, sizeof(cross),
                 "Access-Control-Allow-Origin: %s\r\nAccess-Control-Allow-Methods: GET, HEAD\r\n"
                 "Access-Control-Allow-Private-Network: true\r\n"
                 "Access-Control-Allow-Local-Network: true\r\nVary: Origin\r\n",
                 s->origin);
    if (q && q->method == HTTP_HEAD)
        has_words = false;
    else
        p->size = st.st_size;
    if (a->status == 405)
        snprintf(cross, sizeof(cross), "Allow: %s\r\n", s->only_get ? "GET" : "GET, HEAD");
    size_t text_len = strnlen(text, SERVE_WHY);
    long long len = has_words ? (long long)text_len + 1 : (long long)st.st_size;
    int head_len = snprintf(p->head, sizeof(p->head),
                            "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %lld\r\n%s"
                            "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n"
                            "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n%.*s%s",
                            words, has_file ? a->type : "text/plain; charset=utf-8", len, cross,
                            has_words ? (int)text_len : 0, text, has_words ? "\n" : "");
    p->head_len = head_len < (int)sizeof(p->head) ? (size_t)head_len : 0;
}

/* Whether a request for this host is for us: the host is our address or localhost, with our port.
 * A server for everybody is reached by names that it cannot know, and by a socket in the file
 * system every name leads to us. */
static bool is_our_name(const struct serve *s, const char *host)
{
    static const char scheme[] = "http://";
    if (s->takes_any_name)
        return host[0] != '\0';
    const char *own = s->url + strlen(scheme), *port = strrchr(own, ':');
    char local[SERVE_PLACE_TEXT];
    snprintf(local, sizeof(local), "localhost%s", port ? port : "");
    return strcmp(host, own) == 0 || strcmp(host, local) == 0;
}

static void refuse(const struct serve *s, struct peer *p, int status)
{
    answer(s, p, NULL, &(struct serve_answer){.status = status});
}

/* ---- requests and answers */

/* A preflight (OPTIONS) does not count as use, because the browser sends the real request after
 * it. */
static void take_request(struct serve *s, struct peer *p, const struct http_request *q)
{
    struct serve_answer a = {.status = 404, .fd = -1};
    if (!is_our_name(s, q->host) || (!s->takes_any_user && !peer_owner_is_ours(p->fd))) {
        refuse(s, p, 403);
        return;
    }
    if (s->only_get && q->method != HTTP_GET)
        a.status = 405;
    else if (q->method == HTTP_OPTIONS)
        a.status = 204;
    else
        s->handle(s->with, q, &a);
    p->is_known = q->method != HTTP_OPTIONS && a.status != 404;
    answer(s, p, q, &a);
}

static void drop(struct peer *p)
{
    if (p->closes_file && p->file >= 0)
        close(p->file);
    /* First shut down: the peer can read all sent bytes before it sees the end. */
    shutdown(p->fd, SHUT_WR);
    close(p->fd);
    p->fd = -1;
}

/* Reads what has come, and answers a complete request. */
static void hear(struct serve *s, struct peer *p)
{
    ssize_t got = recv(p->fd, p->bytes + p->used, HTTP_REQUEST_HEAD - p->used, 0);
    struct http_request q;
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        drop(p);
        return;
    }
    p->used += (size_t)got;
    p->bytes[p->used] = '\0';
    int r = http_request_parse(p->bytes, p->used, &q);
    if (r > 0)
        return;
    if (r == 0)
        take_request(s, p, &q);
    else
        refuse(s, p, r == E_LIMIT ? 431 : r == E_UNSUPPORTED ? 405 : 400);
    if (p->head_len == 0)
        drop(p);
}

/* Sends what the peer takes without blocking. A peer that has everything is dropped. */
static void go_on(struct peer *p)
{
    bool is_head = p->head_at < p->head_len;
    size_t left = (size_t)(p->size - p->at);
    ssize_t sent = is_head
                       ? send(p->fd, p->head + p->head_at, p->head_len - p->head_at, MSG_NOSIGNAL)
                       : sendfile(p->fd, p->file, &p->at, left < PIECE ? left : PIECE);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    p->head_at += is_head && sent > 0 ? (size_t)sent : 0;
    p->since_ns = clock_monotonic_ns();
    if (sent <= 0 || (p->head_at == p->head_len && p->at >= p->size))
        drop(p);
}

/* Accepts a peer. If there is no place, the peer that has waited longest is dropped. */
static void welcome(const struct serve *s, struct peer *peers)
{
    int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct peer *place = &peers[0];
    if (fd < 0)
        return;
    for (int i = 0; i < PEERS && place->fd >= 0; i++)
        if (peers[i].fd < 0 || peers[i].since_ns < place->since_ns)
            place = &peers[i];
    if (place->fd >= 0)
        drop(place);
    place->fd = fd;
    place->since_ns = place->came_ns = clock_monotonic_ns();
    place->used = place->head_len = place->head_at = 0;
    place->file = -1;
    place->at = place->size = 0;
    place->closes_file = place->is_known = false;
}

static bool is_late(const struct peer *p)
{
    uint64_t limit_s = p->head_len > 0 ? SEND_S : REQUEST_S, now_ns = clock_monotonic_ns();
    return now_ns - p->since_ns > limit_s * NS_PER_S ||
           now_ns - p->came_ns > (uint64_t)WHOLE_S * NS_PER_S;
}

static int wait_for_peers(struct serve *s, struct peer *peers, uint64_t *busy_ns)
{
    struct pollfd polls[PEERS + 1] = {{.fd = s->fd, .events = POLLIN}};
    for (int i = 0; i < PEERS; i++) {
        struct peer *p = &peers[i];
        if (p->fd >= 0 && is_late(p))
            drop(p);
        polls[i + 1] = (struct pollfd){.fd = p->fd, .events = p->head_len > 0 ? POLLOUT : POLLIN};
    }
    if (poll(polls, PEERS + 1, MS_PER_S / 4) < 0 && errno != EINTR)
        return -errno;
    for (int i = 0; i < PEERS; i++) {
        struct peer *p = &peers[i];
        if (p->fd < 0 || !polls[i + 1].revents)
            continue;
        if (p->head_len > 0)
            go_on(p);
        else
            hear(s, p);
        if (p->is_known)
            *busy_ns = clock_monotonic_ns();
    }
    if (polls[0].revents)
        welcome(s, peers);
    return 0;
}

/* The server ends when its owner says so, after the answers that are being sent. */
static bool is_over(struct serve *s, const struct peer *peers)
{
    if (!s->is_over || !s->is_over(s->with))
        return false;
    for (int i = 0; i < PEERS; i++)
        if (peers[i].fd >= 0 && peers[i].head_len > 0)
            return false;
    return true;
}

int serve_run(struct serve *s)
{
    struct peer *peers = calloc(PEERS, sizeof(*peers));
    uint64_t busy_ns = clock_monotonic_ns();
    int r = peers ? 0 : -ENOMEM;

    /* sendfile() has no flag MSG_NOSIGNAL, and a peer may close its connection at any time. */
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; peers && i < PEERS; i++)
        peers[i].fd = -1;
    while (r == 0 && clock_monotonic_ns() - busy_ns < s->idle_ns && !is_over(s, peers))
        r = wait_for_peers(s, peers, &busy_ns);
    for (int i = 0; peers && i < PEERS; i++)
        if (peers[i].fd >= 0)
            drop(&peers[i]);
    free(peers);
    return r;
}
