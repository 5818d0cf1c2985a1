/*
 * serve.c - see serve.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/serve.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include "base/err.h"

enum {
    PEERS = 16,
    REQUEST_S = 10, /* a peer that has not asked by then is put off */
    SEND_S = 30,    /* one that takes nothing for so long, too */
    HEAD = 1024,
    MS_PER_S = 1000,
    NS_PER_MS = 1000000,
};

/* Who has connected, and what he has sent. */
struct peer {
    int fd; /* -1: nobody */
    uint64_t since_ns;
    size_t used;
    char bytes[HTTP_REQUEST_HEAD + 1];
};

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * MS_PER_S * NS_PER_MS + (uint64_t)t.tv_nsec;
}

int serve_open(struct serve *s)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);

    s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->fd < 0 || bind(s->fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
        listen(s->fd, PEERS) < 0 || getsockname(s->fd, (struct sockaddr *)&address, &len) < 0)
        return -errno;
    snprintf(s->url, sizeof(s->url), "http://127.0.0.1:%u", (unsigned)ntohs(address.sin_port));
    return 0;
}

void serve_close(struct serve *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

static int send_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t sent = send(fd, bytes, len, MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return -1;
        bytes += sent;
        len -= (size_t)sent;
    }
    return 0;
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
    default:
        return "404 Not Found";
    }
}

/* Behind a 200 the file, behind others the words. */
static void answer(const struct serve *s, int fd, const struct http_request *q,
                   const struct serve_answer *a)
{
    const char *words = words_of(a->status);
    bool has_file = a->status == 200;
    struct stat st = {.st_size = 0};
    char head[HEAD], cross[HEAD / 2] = "";

    if (has_file && fstat(a->fd, &st) < 0)
        return;
    if (s->origin)
        snprintf(cross, sizeof(cross),
                 "Access-Control-Allow-Origin: %s\r\nAccess-Control-Allow-Methods: GET, HEAD\r\n"
                 "Access-Control-Allow-Private-Network: true\r\n"
                 "Access-Control-Allow-Local-Network: true\r\nVary: Origin\r\n",
                 s->origin);
    long long len = has_file           ? (long long)st.st_size
                    : a->status == 204 ? 0
                                       : (long long)strlen(words) + 1;
    int head_len = snprintf(head, sizeof(head),
                            "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %lld\r\n%s"
                            "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n"
                            "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
                            words, has_file ? a->type : "text/plain; charset=utf-8", len, cross);
    if (head_len >= (int)sizeof(head) || send_all(fd, head, (size_t)head_len) < 0 ||
        (q && q->method == HTTP_HEAD))
        return;
    if (!has_file) {
        if (len > 0 && send_all(fd, words, strlen(words)) == 0)
            (void)send_all(fd, "\n", 1);
        return;
    }
    for (off_t at = 0; at < st.st_size;)
        if (sendfile(fd, a->fd, &at, (size_t)(st.st_size - at)) <= 0)
            return;
}

/* By the address or as localhost, with the port. */
static bool is_our_name(const struct serve *s, const char *host)
{
    const char *own = s->url + strlen("http://"), *port = strchr(own, ':');
    char local[SERVE_URL];

    snprintf(local, sizeof(local), "localhost%s", port);
    return strcmp(host, own) == 0 || strcmp(host, local) == 0;
}

static void refuse(const struct serve *s, int fd, int status)
{
    answer(s, fd, NULL, &(struct serve_answer){.status = status});
}

/* Returns whether somebody was answered who knows what he wants. */
static bool take_request(struct serve *s, int fd, const struct http_request *q)
{
    struct serve_answer a = {.status = 404, .fd = -1};

    if (!is_our_name(s, q->host)) {
        refuse(s, fd, 403);
        return false;
    }
    if (q->method == HTTP_OPTIONS)
        a.status = 204;
    else
        s->handle(s->with, q, &a);
    answer(s, fd, q, &a);
    if (a.closes)
        close(a.fd);
    return a.status != 404;
}

static void drop(struct peer *p)
{
    /* What was sent is read by the peer before it hears of the end. */
    shutdown(p->fd, SHUT_WR);
    close(p->fd);
    p->fd = -1;
}

/* Reads what has come; answers where that is a request, and then the peer is gone. */
static bool hear(struct serve *s, struct peer *p)
{
    ssize_t got = recv(p->fd, p->bytes + p->used, HTTP_REQUEST_HEAD - p->used, MSG_DONTWAIT);
    struct http_request q;
    bool is_answered = false;

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (got > 0) {
        p->used += (size_t)got;
        p->bytes[p->used] = '\0';
        int r = http_request_parse(p->bytes, p->used, &q);
        if (r > 0)
            return false;
        if (r == 0)
            is_answered = take_request(s, p->fd, &q);
        else
            refuse(s, p->fd, r == E_LIMIT ? 431 : r == E_UNSUPPORTED ? 405 : 400);
    }
    drop(p);
    return is_answered;
}

/* The one who has waited longest makes room. */
static void welcome(const struct serve *s, struct peer *peers)
{
    const struct timeval limit = {.tv_sec = SEND_S};
    int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC);
    struct peer *place = &peers[0];

    if (fd < 0)
        return;
    for (int i = 0; i < PEERS && place->fd >= 0; i++)
        if (peers[i].fd < 0 || peers[i].since_ns < place->since_ns)
            place = &peers[i];
    if (place->fd >= 0)
        drop(place);
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    place->fd = fd;
    place->since_ns = now_ns();
    place->used = 0;
}

static int wait_for_peers(struct serve *s, struct peer *peers, uint64_t *busy_ns)
{
    struct pollfd polls[PEERS + 1] = {{.fd = s->fd, .events = POLLIN}};
    uint64_t now = now_ns();

    for (int i = 0; i < PEERS; i++) {
        if (peers[i].fd >= 0 &&
            now - peers[i].since_ns > (uint64_t)REQUEST_S * MS_PER_S * NS_PER_MS)
            drop(&peers[i]);
        polls[i + 1] = (struct pollfd){.fd = peers[i].fd, .events = POLLIN};
    }
    if (poll(polls, PEERS + 1, MS_PER_S / 4) < 0 && errno != EINTR)
        return -errno;
    for (int i = 0; i < PEERS; i++)
        if (peers[i].fd >= 0 && polls[i + 1].revents && hear(s, &peers[i]))
            *busy_ns = now_ns();
    if (polls[0].revents)
        welcome(s, peers);
    return 0;
}

int serve_run(struct serve *s)
{
    struct peer *peers = calloc(PEERS, sizeof(*peers));
    uint64_t busy_ns = now_ns();
    int r = peers ? 0 : -ENOMEM;

    for (int i = 0; peers && i < PEERS; i++)
        peers[i].fd = -1;
    while (r == 0 && now_ns() - busy_ns < s->idle_ns)
        r = wait_for_peers(s, peers, &busy_ns);
    for (int i = 0; peers && i < PEERS; i++)
        if (peers[i].fd >= 0)
            drop(&peers[i]);
    free(peers);
    return r;
}
