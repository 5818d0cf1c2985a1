/*
 * listen.c - see listen.h. The server is one loop over poll(). Standard input is read only while a
 * peer is connected, because its commands go to peers.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "listen/listen.h"
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "listen/listen_words.h"
#include "command/resolve.h"
#include "command/say.h"
#include "safe/clock.h"

enum {
    DOORS_MAX = 8,  /* addresses to listen at */
    PEERS_MAX = 64, /* connected at one time */
    LINE_MAX_BYTES = 4096,
    REST_MS = 500, /* how long to wait for a free descriptor */
};

struct server {
    const struct listen_request *request;
    int doors[DOORS_MAX];
    int door_count;
    struct listen_peer peers[PEERS_MAX];
    int peer_count;
    unsigned accepted;
    char input[LINE_MAX_BYTES]; /* bytes of standard input that were not obeyed yet */
    size_t input_used;
    bool input_ended;
    uint64_t input_ns; /* the time to go on with the input, after a command "wait" */
    /* Until this time no peer is accepted, because no descriptor was free; 0: peers are
     * accepted. */
    uint64_t rest_until_ns;
    bool quits;
    bool failed;
};

/* ---- the address */

struct address {
    char *host; /* NULL: this machine only; "*": all addresses of this machine */
    char port[8];
};

static int refuse_address(const char *text)
{
    say("listen: '%s': [HOST:]PORT is wanted, as in 7000, 192.168.1.5:7000 or [::1]:7000", text);
    return -EINVAL;
}

static int parse_address(const char *text, struct address *ret)
{
    const char *colon = strrchr(text, ':'), *port = colon ? colon + 1 : text;
    size_t len = colon ? (size_t)(colon - text) : 0;
    bool brackets = len > 2 && text[0] == '[' && text[len - 1] == ']';
    char *end;
    unsigned long number = strtoul(port, &end, 10);
    if (*port < '0' || *port > '9' || *end != '\0' || number > UINT16_MAX)
        return refuse_address(text);
    if (colon && (len == 0 || (!brackets && memchr(text, ':', len))))
        return refuse_address(text);
    snprintf(ret->port, sizeof(ret->port), "%lu", number);
    ret->host = NULL;
    if (colon) {
        ret->host = strndup(text + brackets, len - 2 * (size_t)brackets);
        if (!ret->host) {
            say("listen: %s", strerror(ENOMEM));
            return -ENOMEM;
        }
    }
    return 0;
}

/* Listens at one address. Returns the descriptor, or -errno. */
static int open_door(const struct addrinfo *at, const struct sockaddr *address)
{
    static const int on = 1;
    int fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol), error;
    if (fd < 0)
        return -errno;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (at->ai_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
    if (bind(fd, address, at->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0)
        return fd;
    error = -errno;
    close(fd);
    return error;
}

/* The port of an IPv4 or IPv6 address, which can be changed. */
static in_port_t *port_of(struct sockaddr_storage *address)
{
    return address->ss_family == AF_INET6 ? &((struct sockaddr_in6 *)address)->sin6_port
                                          : &((struct sockaddr_in *)address)->sin_port;
}

static void say_where(int fd)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof(address);
    char host[64], port[8];
    if (getsockname(fd, (struct sockaddr *)&address, &size) == 0 &&
        getnameinfo((struct sockaddr *)&address, size, host, sizeof(host), port, sizeof(port),
                    NI_NUMERICHOST | NI_NUMERICSERV) == 0)
        say(strchr(host, ':') ? "listen: waiting for agents at [%s]:%s"
                              : "listen: waiting for agents at %s:%s",
            host, port);
}

/* Listens at all addresses of one family. If the port is 0, all addresses get the port of the
 * first. An address that does not exist (no IPv6) is skipped. A port that is in use is an error,
 * because agents could reach another server there. */
static int open_family(struct server *s, const struct addrinfo *all, int family, in_port_t *port,
                       int *ret_error)
{
    for (const struct addrinfo *at = all; at && s->door_count < DOORS_MAX; at = at->ai_next) {
        struct sockaddr_storage address;
        socklen_t size = sizeof(address);
        if (at->ai_family != family)
            continue;
        memcpy(&address, at->ai_addr, at->ai_addrlen);
        if (*port != 0)
            *port_of(&address) = *port;
        int fd = open_door(at, (struct sockaddr *)&address);
        if (fd < 0) {
            *ret_error = fd;
            if (fd == -EADDRINUSE)
                return fd;
            continue;
        }
        s->doors[s->door_count++] = fd;
        if (getsockname(fd, (struct sockaddr *)&address, &size) == 0)
            *port = *port_of(&address);
    }
    return 0;
}

static int open_doors(struct server *s, const struct address *address)
{
    bool every = address->host && strcmp(address->host, "*") == 0;
    struct addrinfo *all = NULL;
    in_port_t port = 0;
    int error = resolve_door(every ? NULL : address->host, address->port, every, &all);
    if (error != 0) {
        say("listen: '%s': %s", address->host ? address->host : "localhost",
            error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error));
        return -EADDRNOTAVAIL;
    }
    error = -EADDRNOTAVAIL;
    if (open_family(s, all, AF_INET, &port, &error) == 0)
        (void)open_family(s, all, AF_INET6, &port, &error);
    resolve_done(all);
    if (s->door_count > 0 && error != -EADDRINUSE) {
        for (int i = 0; i < s->door_count; i++)
            say_where(s->doors[i]);
        return 0;
    }
    say("listen: cannot listen at port %s: %s%s", address->port, strerror(-error),
        error == -EADDRINUSE      ? "; give another port, or 0 for any"
        : error == -EADDRNOTAVAIL ? "; give an address of this machine, or * for all"
                                  : "");
    return error;
}

static void close_doors(struct server *s)
{
    for (int i = 0; i < s->door_count; i++)
        close(s->doors[i]);
    s->door_count = 0;
}

/* ---- commands */

/* Obeys one command, for one peer or for all. */
static void obey(struct server *s, const struct listen_words *w, struct listen_peer *peer,
                 uint64_t *wait_until)
{
    switch (w->kind) {
    case LISTEN_WORDS_SEND:
        for (int i = 0; i < s->peer_count; i++)
            if (!peer || peer == &s->peers[i])
                listen_peer_send(&s->peers[i], &w->command);
        break;
    case LISTEN_WORDS_WAIT:
        *wait_until = clock_monotonic_ns() + w->wait_ns;
        break;
    case LISTEN_WORDS_QUIT:
        s->quits = true;
        break;
    case LISTEN_WORDS_HELP:
        listen_words_help(stderr);
        break;
    default:
        break;
    }
}

static void run_script(struct server *s, struct listen_peer *p)
{
    while (*p->script != '\0' && p->script_ns <= clock_monotonic_ns() && !s->quits) {
        struct listen_words w;
        if (listen_words_next(&p->script, &w) == 0)
            obey(s, &w, p, &p->script_ns);
    }
}

/* Obeys complete lines, up to a command "wait". */
static void run_input(struct server *s)
{
    while (s->input_used > 0 && s->input_ns <= clock_monotonic_ns() && !s->quits) {
        const char *at = s->input;
        struct listen_words w;
        if (!memchr(s->input, '\n', s->input_used) && !s->input_ended &&
            s->input_used < sizeof(s->input) - 1)
            return;
        s->input[s->input_used] = '\0';
        if (listen_words_next(&at, &w) == 0)
            obey(s, &w, NULL, &s->input_ns);
        s->input_used -= (size_t)(at - s->input);
        memmove(s->input, at, s->input_used);
    }
}

static void read_input(struct server *s)
{
    ssize_t n = read(STDIN_FILENO, s->input + s->input_used, sizeof(s->input) - 1 - s->input_used);
    for (ssize_t i = 0; i < n; i++)
        if (s->input[s->input_used + (size_t)i] == '\0')
            s->input[s->input_used + (size_t)i] = ' ';
    if (n > 0)
        s->input_used += (size_t)n;
    else if (n == 0 || errno != EINTR)
        s->input_ended = true;
}

/* ---- the loop */

static void accept_peer(struct server *s, int door)
{
    int fd = accept4(door, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0) {
        /* The connection stays in the queue, and poll() would report it again at once. */
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            if (s->rest_until_ns == 0)
                say("listen: no agent can connect for now: %s", strerror(errno));
            s->rest_until_ns = clock_monotonic_ns() + (uint64_t)REST_MS * NS_PER_MS;
        }
        return;
    }
    s->rest_until_ns = 0;
    struct listen_peer *p = &s->peers[s->peer_count++];
    listen_peer_init(p, fd, ++s->accepted, s->request->output, s->request->show);
    p->script = s->request->script;
    if (s->accepted == 1 && isatty(STDIN_FILENO))
        say("listen: commands can be typed; help lists them");
    if (!s->request->keep)
        close_doors(s);
}

static void end_peer(struct server *s, int i)
{
    if (listen_peer_done(&s->peers[i], s->quits) < 0)
        s->failed = true;
    s->peers[i] = s->peers[--s->peer_count];
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Milliseconds until the next command is due; -1: none is. */
static int poll_timeout(const struct server *s, uint64_t until)
{
    uint64_t now = clock_monotonic_ns();
    if (s->input_used > 0 && s->peer_count > 0)
        until = earlier(until, s->input_ns);
    for (int i = 0; i < s->peer_count; i++)
        if (*s->peers[i].script != '\0')
            until = earlier(until, s->peers[i].script_ns);
    if (until == UINT64_MAX)
        return -1;
    return until <= now ? 0 : (int)earlier((until - now) / NS_PER_MS + 1, 1000000);
}

/* One round of the loop: waits, then handles all descriptors that are ready. `until` is the end of
 * all waiting. */
static void turn(struct server *s, uint64_t until)
{
    struct pollfd fds[DOORS_MAX + PEERS_MAX + 1];
    nfds_t n = 0;
    bool rests = s->rest_until_ns > clock_monotonic_ns();
    int doors = s->peer_count < PEERS_MAX && !rests ? s->door_count : 0, peers = s->peer_count;
    bool reads_input = !s->input_ended && peers > 0 && s->input_ns <= clock_monotonic_ns();
    for (int i = 0; i < doors; i++)
        fds[n++] = (struct pollfd){.fd = s->doors[i], .events = POLLIN};
    for (int i = 0; i < peers; i++)
        fds[n++] = (struct pollfd){.fd = s->peers[i].fd, .events = POLLIN};
    if (reads_input)
        fds[n++] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
    if (poll(fds, n, poll_timeout(s, rests ? earlier(until, s->rest_until_ns) : until)) < 0)
        return;
    if (reads_input && fds[doors + peers].revents != 0)
        read_input(s);
    if (s->peer_count > 0)
        run_input(s);
    for (int i = peers - 1; i >= 0; i--) {
        if (fds[doors + i].revents != 0 && listen_peer_read(&s->peers[i]) <= 0)
            end_peer(s, i);
        else
            run_script(s, &s->peers[i]);
    }
    for (int i = 0; i < doors && s->door_count > 0 && s->peer_count < PEERS_MAX; i++)
        if (fds[i].revents != 0)
            accept_peer(s, s->doors[i]);
}

static int run_server(struct server *s)
{
    uint64_t until =
        s->request->wait_ns > 0 ? clock_monotonic_ns() + s->request->wait_ns : UINT64_MAX;
    while (!s->quits && (s->door_count > 0 || s->peer_count > 0)) {
        turn(s, s->accepted > 0 ? UINT64_MAX : until);
        if (s->accepted == 0 && clock_monotonic_ns() >= until) {
            say("listen: no agent has connected; start the JVM with net= and this address");
            return -ETIMEDOUT;
        }
    }
    while (s->peer_count > 0)
        end_peer(s, 0);
    return s->failed ? -EIO : 0;
}

int listen_serve(const struct listen_request *request)
{
    struct server *s = calloc(1, sizeof(*s));
    struct address address = {.host = NULL};
    int error = s ? parse_address(request->address, &address) : -ENOMEM;
    if (error == 0) {
        s->request = request;
        error = open_doors(s, &address);
        if (error == 0)
            error = run_server(s);
        close_doors(s);
    }
    free(address.host);
    free(s);
    return error;
}
