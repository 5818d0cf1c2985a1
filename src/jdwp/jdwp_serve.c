/*
 * jdwp_serve.c - see jdwp_serve.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jdwp/jdwp_serve.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/err.h"
#include "jdwp/jdwp_session.h"
#include "safe/clock.h"
#include "view/peer_owner.h"

enum {
    WAITING = 4,  /* connections that wait to be accepted */
    GREET_S = 10, /* a peer that has not greeted by then is dropped */
    SEND_S = 30,  /* so is a debugger that takes nothing for so long */
    POLL_MS = 250,
    LOOPBACK = 127, /* the first byte of each address of the loopback interface */
};

bool jdwp_serve_is_safe(const struct serve_place *place)
{
    const struct sockaddr_in *in = (const struct sockaddr_in *)&place->address;
    return place->len > 0 && in->sin_family == AF_INET &&
           ntohl(in->sin_addr.s_addr) >> 24 == LOOPBACK;
}

int jdwp_serve_open(struct jdwp_serve *s)
{
    s->fd = serve_place_listen(&s->place, WAITING);
    return s->fd < 0 ? s->fd : 0;
}

void jdwp_serve_close(struct jdwp_serve *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    serve_place_leave(&s->place);
}

/* Take the next connection of our user. Returns its descriptor, or -1. */
static int welcome(struct jdwp_serve *s, bool is_busy)
{
    const int on = 1;
    int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return -1;
    bool is_ours = peer_owner_is_ours(fd);
    if (is_ours && !is_busy) {
        /* Commands and replies are short and take turns. */
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        return fd;
    }
    s->tell(s->with, is_ours ? JDWP_SERVE_BUSY : JDWP_SERVE_REFUSED);
    close(fd);
    return -1;
}

/* The connection to one debugger. */
struct wire {
    int fd;
    struct jdwp_session session;
    uint64_t since_ns; /* when the peer came, or last took something */
};

/* Read what has come. Returns 0; 1: the connection has ended; -ENOMEM. */
static int hear(struct wire *w)
{
    size_t len;
    uint8_t *room = jdwp_session_room(&w->session, &len);
    if (!room)
        return -ENOMEM;
    if (len == 0)
        return 0;
    ssize_t got = recv(w->fd, room, len, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (got <= 0)
        return 1;
    jdwp_session_took(&w->session, (size_t)got);
    return 0;
}

/* Send what waits. Returns 0; 1: the connection has ended. */
static int speak(struct wire *w)
{
    size_t len;
    const uint8_t *bytes = jdwp_session_waiting(&w->session, &len);
    ssize_t sent = len == 0 ? 0 : send(w->fd, bytes, len, MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (sent < 0)
        return 1;
    if (sent > 0)
        w->since_ns = clock_monotonic_ns();
    jdwp_session_gave(&w->session, (size_t)sent);
    return 0;
}

/* Answer what has come, as far as the peer takes the replies. Returns 0: wait; 1: the connection
 * has ended; errors as jdwp_session_step(). */
static int go_on(struct jdwp_serve *s, struct wire *w)
{
    for (;;) {
        int r = jdwp_session_step(&w->session);
        if (r <= 0)
            return r < 0 ? r : w->session.has_ended;
        r = speak(w);
        size_t left;
        jdwp_session_waiting(&w->session, &left);
        if (r != 0 || left > 0 || s->is_over(s->with))
            return r;
    }
}

static bool is_late(const struct wire *w)
{
    size_t waiting;
    jdwp_session_waiting(&w->session, &waiting);
    uint64_t limit_s = waiting > 0 ? SEND_S : w->session.has_begun ? 0 : GREET_S;
    return limit_s > 0 && clock_monotonic_ns() - w->since_ns > limit_s * NS_PER_S;
}

static void tell_end(struct jdwp_serve *s, int result)
{
    if (result == E_FORMAT || result == E_LIMIT)
        s->tell(s->with, JDWP_SERVE_STRANGE);
    else if (result == -ETIMEDOUT)
        s->tell(s->with, JDWP_SERVE_LATE);
    else if (result == 1)
        s->tell(s->with, JDWP_SERVE_LEFT);
}

/* Returns 0, or -errno: of this server, not of the peer. */
static int serve_one(struct jdwp_serve *s, int fd, struct jdwp_vm *vm)
{
    struct wire w = {.fd = fd, .since_ns = clock_monotonic_ns()};
    int r = 0;
    jdwp_session_init(&w.session, vm);
    while (r == 0 && !s->is_over(s->with)) {
        size_t waiting;
        jdwp_session_waiting(&w.session, &waiting);
        struct pollfd polls[] = {{.fd = fd, .events = waiting > 0 ? POLLOUT : POLLIN},
                                 {.fd = s->fd, .events = POLLIN}};
        if (poll(polls, 2, POLL_MS) < 0 && errno != EINTR)
            r = -errno;
        else if (polls[0].revents)
            r = waiting > 0 ? speak(&w) : hear(&w);
        if (r == 0)
            r = go_on(s, &w);
        if (r == 0 && is_late(&w))
            r = -ETIMEDOUT;
        if (polls[1].revents)
            welcome(s, true);
    }
    tell_end(s, r);
    jdwp_session_done(&w.session);
    /* First shut down: the peer can read all sent bytes before it sees the end. */
    shutdown(fd, SHUT_WR);
    close(fd);
    return r == -ENOMEM ? r : 0;
}

int jdwp_serve_run(struct jdwp_serve *s)
{
    int r = 0;
    bool goes_on = true;
    while (r == 0 && goes_on && !s->is_over(s->with)) {
        struct pollfd polled = {.fd = s->fd, .events = POLLIN};
        if (poll(&polled, 1, POLL_MS) < 0 && errno != EINTR)
            return -errno;
        int fd = polled.revents ? welcome(s, false) : -1;
        if (fd < 0)
            continue;
        struct jdwp_vm *vm = s->begin(s->with);
        if (vm)
            r = serve_one(s, fd, vm);
        else
            close(fd);
        goes_on = s->end(s->with) && vm;
    }
    return r;
}
