/*
 * iohook.c - see iohook.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/iohook.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    DIGITS = 10,
    STRIPE_STACK_LOG2 = 14, /* the stacks of two threads differ from this bit on */
    STRIPE_SHIFT = 58,
};

static const char fd_folder[] = "/proc/self/fd/";
static const char pipe_name[] = "pipe:[";

struct iohook iohook;
__thread struct iohook_own iohook_own;

size_t iohook_sample_bytes(uint32_t depth)
{
    return sizeof(struct iohook_sample) + ((size_t)depth + 1) * sizeof(struct walk_frame) +
           IOHOOK_NAME;
}

/* ---- sums */

static void add(struct iohook_sums *s, const struct iohook_done *d, uint64_t ns)
{
    atomic_fetch_add_explicit(&s->calls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&s->ns, ns, memory_order_relaxed);
    if (d->bytes)
        atomic_fetch_add_explicit(d->op == IOHOOK_READ ? &s->read : &s->written, d->bytes,
                                  memory_order_relaxed);
}

static struct iohook_sums *stripe(void)
{
    uint64_t stack = (uint64_t)(uintptr_t)__builtin_frame_address(0) >> STRIPE_STACK_LOG2;
    return &iohook.shorter[stack * UINT64_C(0x9e3779b97f4a7c15) >> STRIPE_SHIFT].of;
}

/* Whether a sample at this moment is one too many of its second. Two threads that begin a second
 * may both set the count to 0, which allows a few more. */
static bool is_throttled(uint64_t now_ns)
{
    uint32_t most = atomic_load_explicit(&iohook.per_second, memory_order_relaxed);
    uint64_t second = now_ns / NS_PER_S;
    if (most == UINT32_MAX)
        return false;
    if (atomic_exchange_explicit(&iohook.second, second, memory_order_relaxed) != second)
        atomic_store_explicit(&iohook.taken, 0, memory_order_relaxed);
    return atomic_fetch_add_explicit(&iohook.taken, 1, memory_order_relaxed) >= most;
}

/* ---- the name of a descriptor */

/* "/proc/self/fd/" and the number; `ret` has room for it. */
static void put_fd_path(char *ret, int32_t fd)
{
    uint32_t at = sizeof(fd_folder) - 1, rest = (uint32_t)fd, scale = 1000000000;
    memcpy(ret, fd_folder, at);
    for (int i = 0; i < DIGITS; i++, scale /= 10)
        if (rest >= scale || scale == 1 || at > sizeof(fd_folder) - 1) {
            ret[at++] = (char)('0' + rest / scale);
            rest %= scale;
        }
    ret[at] = '\0';
}

/* Find the path or the peer of the descriptor, and write it to `to`, which has IOHOOK_NAME bytes.
 */
static void put_name(struct iohook_sample *s, int32_t fd, char *to)
{
    char path[sizeof(fd_folder) + DIGITS];
    uint32_t len = IOHOOK_PEER;
    s->name_bytes = 0;
    s->is_socket = true;
    if (fd < 0)
        return;
    if (syscall(SYS_getpeername, fd, to, &len) == 0) {
        s->name_bytes = (uint16_t)(len < IOHOOK_PEER ? len : IOHOOK_PEER);
        return;
    }
    s->is_socket = errno != ENOTSOCK && errno != EBADF;
    if (s->is_socket || errno == EBADF)
        return;
    put_fd_path(path, fd);
    long bytes = syscall(SYS_readlinkat, AT_FDCWD, path, to, (size_t)IOHOOK_NAME);
    if (bytes > 0)
        s->name_bytes = (uint16_t)bytes;
}

static void put_target(struct iohook_sample *s, int32_t fd, const struct iohook_done *d)
{
    char *to = (char *)&s->frames[hookring_frames(&s->stack)];
    if (d->peer && d->peer_bytes > 0) {
        s->is_socket = true;
        s->name_bytes = (uint16_t)(d->peer_bytes < IOHOOK_PEER ? d->peer_bytes : IOHOOK_PEER);
        memcpy(to, d->peer, s->name_bytes);
        return;
    }
    put_name(s, d->op == IOHOOK_ACCEPT ? d->from : fd, to);
    if (d->op != IOHOOK_TRANSFER)
        return;
    s->op = IOHOOK_WRITE;
    if (s->is_socket || s->name_bytes < sizeof(pipe_name) - 1 ||
        memcmp(to, pipe_name, sizeof(pipe_name) - 1) != 0)
        return;
    /* a pipe is a stop on the way from a descriptor to another: this part is the read */
    s->op = IOHOOK_READ;
    put_name(s, d->from, to);
}

/* ---- a sample */

/* Fill the draft and publish it. Returns false: there was no room. */
static bool publish(struct iohook_sample *s, int32_t fd, const struct iohook_done *d,
                    const struct hookwalk_caller *caller)
{
    struct walk_request request;
    s->op = (uint8_t)d->op;
    s->bytes = d->bytes;
    s->is_end = d->op == IOHOOK_READ && d->result == 0 && !d->needs_peer;
    s->with_metadata = d->with_metadata;
    hookring_look(&iohook.base, caller, &s->stack, s->frames, &request);
    put_target(s, fd, d);
    size_t frames = hookring_frames(&s->stack);
    return hookring_publish(
        &iohook.base, s, sizeof(*s) + frames * sizeof(struct walk_frame) + s->name_bytes, &request);
}

static void sample(int32_t fd, const struct iohook_done *d, uint64_t since_ns, uint64_t now_ns,
                   uint32_t timeout_ms, const struct hookwalk_caller *caller)
{
    struct iohook_sample *s;
    if (d->needs_peer) { /* only then is it an event */
        unsigned char peer[IOHOOK_PEER];
        uint32_t len = sizeof(peer);
        if (syscall(SYS_getpeername, fd, peer, &len) != 0)
            return;
    }
    if (is_throttled(now_ns)) {
        add(&iohook.throttled, d, now_ns - since_ns);
        return;
    }
    s = ring_claim(&iohook.base.ring);
    if (s) {
        s->start_ns = since_ns;
        s->end_ns = now_ns;
        s->timeout_ms = timeout_ms;
    }
    if (!s || !publish(s, fd, d, caller))
        add(&iohook.lost, d, now_ns - since_ns);
}

/* A call has ended that counts. */
static void note(int32_t fd, const struct iohook_done *d, uint64_t since_ns, uint64_t now_ns,
                 uint32_t timeout_ms, const struct hookwalk_caller *caller)
{
    if (now_ns - since_ns < atomic_load_explicit(&iohook.threshold_ns, memory_order_relaxed)) {
        if (!d->needs_peer && d->result >= 0)
            add(stripe(), d, now_ns - since_ns);
        return;
    }
    if (hookring_enter(&iohook.base))
        sample(fd, d, since_ns, now_ns, timeout_ms, caller);
    hookring_leave(&iohook.base);
}

/* ---- calls */

bool iohook_begin(struct iohook_call *call, int32_t fd, uintptr_t frame)
{
    struct iohook_own *own;
    if (!hookring_is_on(&iohook.base))
        return false;
    own = &iohook_own;
    if (own->inside && frame < own->inside && own->fd == fd + 1)
        return false;
    call->outer = frame < own->inside ? own->inside : 0;
    call->outer_fd = own->fd;
    call->fd = fd;
    own->inside = frame;
    own->fd = fd + 1;
    call->start_ns = clock_monotonic_ns();
    return true;
}

void iohook_leave(const struct iohook_call *call)
{
    iohook_own.inside = call->outer;
    iohook_own.fd = call->outer_fd;
}

/* ---- waits */

static void set_wait(struct iohook_own *own, enum iohook_wait wait, int32_t fd, uint64_t since_ns,
                     uint64_t now_ns, uint32_t timeout_ms)
{
    enum { LONGEST_MS = (1 << 30) - 1 };
    uint64_t ms = (now_ns - since_ns) / NS_PER_MS;
    own->wait = wait;
    own->waited = fd + 1;
    own->since_ns = since_ns;
    own->wait_ms = ms < LONGEST_MS ? (uint32_t)ms : LONGEST_MS;
    own->timeout_ms = timeout_ms;
}

/* Whether the thread has just waited for the descriptor, for which it now calls a function. */
static bool has_waited(const struct iohook_own *own, int32_t fd, uint64_t start_ns)
{
    return (own->wait == IOHOOK_READY || own->wait == IOHOOK_INTERRUPTED) &&
           own->waited == fd + 1 &&
           (start_ns - own->since_ns) / NS_PER_MS <= own->wait_ms + (uint64_t)IOHOOK_GAP_MS;
}

/* Take a row. Returns what its `fd` was; -1: another thread has it. */
static int32_t take_peer(struct iohook_peer **ret, int32_t fd)
{
    *ret = &iohook.peers[(uint32_t)fd % IOHOOK_PEERS];
    return atomic_exchange(&(*ret)->fd, -1);
}

static void keep_peer(int32_t fd, const struct iohook_done *d)
{
    struct iohook_peer *row;
    if (fd < 0 || !d->peer || d->peer_bytes > sizeof(row->address) || take_peer(&row, fd) == -1)
        return;
    row->bytes = d->peer_bytes;
    memcpy(row->address, d->peer, d->peer_bytes);
    atomic_store(&row->fd, fd + 1);
}

/* Copy the address to which the descriptor is being connected. Returns its bytes; 0: unknown. */
static uint32_t kept_peer(int32_t fd, unsigned char ret[IOHOOK_INET_PEER])
{
    struct iohook_peer *row;
    uint32_t bytes = 0;
    int32_t had = take_peer(&row, fd);
    if (had == -1)
        return 0;
    if (had == fd + 1) {
        bytes = row->bytes;
        memcpy(ret, row->address, bytes);
    }
    atomic_store(&row->fd, bytes ? 0 : had);
    return bytes;
}

/* ---- the end of a call */

static bool is_refusal(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK;
}

void iohook_end(const struct iohook_call *call, const struct iohook_done *done,
                const struct hookwalk_caller *caller)
{
    int saved = errno;
    struct iohook_own *own = &iohook_own;
    uint64_t now_ns = clock_monotonic_ns(), since_ns = call->start_ns;
    uint32_t timeout_ms = 0;
    iohook_leave(call);
    if (has_waited(own, call->fd, call->start_ns)) {
        since_ns = own->since_ns;
        timeout_ms = own->timeout_ms;
    }
    if (own->wait != IOHOOK_CONNECTING) /* the loop of an event-driven program goes on meanwhile */
        own->wait = IOHOOK_NO_WAIT;
    if (done->result < 0 && saved == EINTR) {
        set_wait(own, IOHOOK_INTERRUPTED, call->fd, since_ns, now_ns, timeout_ms);
    } else if (done->result < 0 && saved == EINPROGRESS && done->op == IOHOOK_CONNECT) {
        set_wait(own, IOHOOK_CONNECTING, call->fd, call->start_ns, now_ns, 0);
        keep_peer(call->fd, done);
    } else if (done->result >= 0 || !is_refusal(saved)) {
        note(call->fd, done, since_ns, now_ns, timeout_ms, caller);
    }
    errno = saved;
}

/* A connect() has an outcome, or the time of its wait is over. */
static void end_connect(struct iohook_own *own, int64_t result, uint64_t now_ns,
                        uint32_t timeout_ms, const struct hookwalk_caller *caller)
{
    unsigned char peer[IOHOOK_INET_PEER];
    int32_t fd = own->waited - 1;
    const struct iohook_done done = {.op = IOHOOK_CONNECT,
                                     .result = result > 0 ? 0 : -1,
                                     .peer = peer,
                                     .peer_bytes = kept_peer(fd, peer)};
    own->wait = IOHOOK_NO_WAIT;
    note(fd, &done, own->since_ns, now_ns, timeout_ms, caller);
}

void iohook_polled(struct iohook_call *call, int32_t fd, bool for_input, int timeout_ms,
                   int64_t result, const struct hookwalk_caller *caller)
{
    int saved = errno;
    struct iohook_own *own = &iohook_own;
    uint64_t now_ns = clock_monotonic_ns();
    bool is_same = own->waited == fd + 1;
    bool goes_on = is_same && own->wait == IOHOOK_INTERRUPTED;
    uint64_t since_ns = goes_on ? own->since_ns : call->start_ns;
    uint32_t limit_ms = timeout_ms > 0 ? (uint32_t)timeout_ms : 0;
    iohook_leave(call);
    if (is_same && own->wait == IOHOOK_CONNECTING) {
        if (result > 0 || (result == 0 && timeout_ms != 0))
            end_connect(own, result, now_ns, limit_ms, caller);
    } else if (result > 0 || (result < 0 && saved == EINTR)) {
        set_wait(own, result > 0 ? IOHOOK_READY : IOHOOK_INTERRUPTED, fd, since_ns, now_ns,
                 limit_ms);
    } else if (result == 0 && timeout_ms > 0 && for_input) {
        const struct iohook_done done = {.op = IOHOOK_READ, .needs_peer = true};
        own->wait = IOHOOK_NO_WAIT;
        note(fd, &done, since_ns, now_ns, limit_ms, caller);
    }
    errno = saved;
}
