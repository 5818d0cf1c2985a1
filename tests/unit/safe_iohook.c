/*
 * safe_iohook.c - calls in hooks, with real descriptors, without a VM and without real hooks.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "safe/iohook.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cmocka_all.h"

enum { RING_BYTES = 1 << 20 };

static int walk(struct walk_request *request, struct walk_frame *frames, uint32_t max,
                bool *ret_truncated)
{
    errno = EBADF;
    frames[0] = (struct walk_frame){.method = 7};
    *ret_truncated = false;
    return 1;
}

static void leave(struct walk_request *request)
{
}

static void wake(void)
{
}

static const struct walker walker = {.name = "test", .walk = walk, .leave = leave};

static int make(void **state)
{
    void *ring = calloc(1, RING_BYTES);
    iohook.base.walk.threads = calloc(HOOKWALK_THREADS, sizeof(*iohook.base.walk.threads));
    assert_true(ring_init(&iohook.base.ring, ring, RING_BYTES, iohook_sample_bytes(4)));
    iohook.base.walk.walker = &walker;
    iohook.base.walk.depth = 4;
    iohook.base.pid = getpid();
    iohook.base.wake = wake;
    iohook.threshold_ns = 0;
    iohook.per_second = UINT32_MAX;
    iohook.base.is_on = true;
    iohook_own = (struct iohook_own){0};
    *state = ring;
    return 0;
}

static int drop(void **state)
{
    iohook.base.is_on = false;
    memset(iohook.shorter, 0, sizeof(iohook.shorter));
    iohook.throttled = iohook.lost = (struct iohook_sums){0};
    free(*state);
    free(iohook.base.walk.threads);
    return 0;
}

/* The next sample; its name is behind its frame. NULL: there is none. Valid until the next call. */
static const struct iohook_sample *next(char name[IOHOOK_NAME])
{
    static union {
        struct iohook_sample sample;
        char bytes[sizeof(struct iohook_sample) + IOHOOK_NAME];
    } copy;
    const struct iohook_sample *s = ring_peek(&iohook.base.ring);
    if (!s)
        return NULL;
    copy.sample = *s;
    assert_int_equal(s->stack.result, 1);
    memcpy(name, &s->frames[1], s->name_bytes);
    name[s->name_bytes] = '\0';
    ring_release(&iohook.base.ring);
    return &copy.sample;
}

/* A hook that ends with this result. `within`: what happens inside. */
static __attribute__((noinline)) bool hook(enum iohook_op op, int fd, int64_t result, int error,
                                           void (*within)(void))
{
    const struct hookwalk_caller caller = hookwalk_caller_here();
    struct iohook_call call;
    if (!iohook_begin(&call, fd, (uintptr_t)__builtin_frame_address(0)))
        return false;
    if (within)
        within();
    struct iohook_done done = {
        .op = op, .from = -1, .result = result, .bytes = result > 0 ? (uint64_t)result : 0};
    errno = error;
    iohook_end(&call, &done, &caller);
    assert_int_equal(errno, error);
    return true;
}

static void polled(int fd, int timeout_ms, int64_t result)
{
    const struct hookwalk_caller caller = hookwalk_caller_here();
    struct iohook_call call;
    assert_true(iohook_begin(&call, -1, (uintptr_t)__builtin_frame_address(0)));
    usleep(20000);
    errno = result < 0 ? EINTR : 0;
    iohook_polled(&call, fd, true, timeout_ms, result, &caller);
}

static uint64_t shorter(uint64_t *ret_read, uint64_t *ret_written)
{
    uint64_t calls = 0;
    *ret_read = *ret_written = 0;
    for (int i = 0; i < IOHOOK_STRIPES; i++) {
        calls += iohook.shorter[i].of.calls;
        *ret_read += iohook.shorter[i].of.read;
        *ret_written += iohook.shorter[i].of.written;
    }
    return calls;
}

static void a_file_is_named_by_its_path(void **state)
{
    char made[] = "iohook.XXXXXX", name[IOHOOK_NAME], path[PATH_MAX];
    int fd = mkstemp(made);
    (void)state;
    assert_true(fd >= 0);
    assert_non_null(realpath(made, path));
    assert_int_equal(unlink(made), 0);
    assert_true(hook(IOHOOK_READ, fd, 5, 0, NULL));
    const struct iohook_sample *s = next(name);
    assert_non_null(s);
    assert_false(s->is_socket);
    assert_int_equal(s->bytes, 5);
    assert_memory_equal(name, path, strlen(path));
    assert_string_equal(name + strlen(path), " (deleted)");
    int far = fcntl(fd, F_DUPFD, 1000); /* a number of four digits */
    assert_true(hook(IOHOOK_WRITE, far, 7, 0, NULL));
    s = next(name);
    assert_int_equal(s->op, IOHOOK_WRITE);
    assert_memory_equal(name, path, strlen(path));
    close(far);
    close(fd);
    assert_true(hook(IOHOOK_READ, fd, -1, EBADF, NULL));
    s = next(name);
    assert_int_equal(s->name_bytes, 0);
}

static void a_socket_is_named_by_its_peer(void **state)
{
    char name[IOHOOK_NAME];
    int pair[2];
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_true(hook(IOHOOK_WRITE, pair[0], 3, 0, NULL));
    const struct iohook_sample *s = next(name);
    assert_true(s->is_socket);
    assert_int_equal(((struct sockaddr *)(void *)name)->sa_family, AF_UNIX);
    close(pair[0]);
    close(pair[1]);
}

static void a_pipe_between_two_descriptors_makes_a_read(void **state)
{
    char name[IOHOOK_NAME];
    int ends[2], zero = open("/dev/zero", O_RDONLY);
    const struct hookwalk_caller caller = hookwalk_caller_here();
    struct iohook_call call;
    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_true(iohook_begin(&call, ends[1], (uintptr_t)__builtin_frame_address(0)));
    struct iohook_done done = {.op = IOHOOK_TRANSFER, .from = zero, .result = 9, .bytes = 9};
    iohook_end(&call, &done, &caller);
    const struct iohook_sample *s = next(name);
    assert_int_equal(s->op, IOHOOK_READ);
    assert_string_equal(name, "/dev/zero");
    assert_true(iohook_begin(&call, zero, (uintptr_t)__builtin_frame_address(0)));
    done.from = ends[0];
    iohook_end(&call, &done, &caller);
    s = next(name);
    assert_int_equal(s->op, IOHOOK_WRITE);
    assert_string_equal(name, "/dev/zero");
    close(zero);
    close(ends[0]);
    close(ends[1]);
}

static void shorter_calls_are_added_up(void **state)
{
    uint64_t read, written;
    char name[IOHOOK_NAME];
    (void)state;
    iohook.threshold_ns = UINT64_MAX;
    for (int i = 0; i < 10; i++) {
        hook(IOHOOK_READ, 0, 100, 0, NULL);
        hook(IOHOOK_WRITE, 1, 7, 0, NULL);
    }
    hook(IOHOOK_READ, 0, -1, EIO, NULL);
    hook(IOHOOK_READ, 0, 0, 0, NULL);
    assert_int_equal(shorter(&read, &written), 21);
    assert_int_equal(read, 1000);
    assert_int_equal(written, 70);
    assert_null(next(name));
}

static void a_call_that_would_have_had_to_wait_is_nothing(void **state)
{
    uint64_t read, written;
    char name[IOHOOK_NAME];
    (void)state;
    hook(IOHOOK_READ, 0, -1, EAGAIN, NULL);
    hook(IOHOOK_READ, 0, -1, EINTR, NULL);
    hook(IOHOOK_CONNECT, 0, -1, EINPROGRESS, NULL);
    assert_null(next(name));
    assert_int_equal(shorter(&read, &written), 0);
    hook(IOHOOK_READ, 0, -1, EIO, NULL); /* another failure is an event of 0 bytes */
    assert_int_equal(next(name)->bytes, 0);
}

static void inner_same(void)
{
    assert_false(hook(IOHOOK_READ, 3, 10, 0, NULL));
}

static void inner_other(void)
{
    assert_true(hook(IOHOOK_WRITE, 4, 20, 0, NULL));
}

static void an_inner_call_counts_only_for_another_descriptor(void **state)
{
    char name[IOHOOK_NAME];
    (void)state;
    assert_true(hook(IOHOOK_READ, 3, 10, 0, inner_same));
    assert_int_equal(next(name)->bytes, 10);
    assert_null(next(name));
    assert_true(hook(IOHOOK_READ, 3, 10, 0, inner_other));
    assert_int_equal(next(name)->bytes, 20);
    assert_int_equal(next(name)->bytes, 10);
    assert_int_equal(iohook_own.inside, 0);
}

static void a_call_that_was_left_is_forgotten(void **state)
{
    char here, name[IOHOOK_NAME];
    (void)state;
    iohook_own.inside = (uintptr_t)&here - 65536; /* a frame further down, which is gone */
    iohook_own.fd = 4;
    assert_true(hook(IOHOOK_READ, 3, 10, 0, NULL));
    assert_non_null(next(name));
    assert_int_equal(iohook_own.inside, 0);
}

static void the_wait_in_poll_belongs_to_the_call(void **state)
{
    char name[IOHOOK_NAME];
    (void)state;
    iohook.threshold_ns = 10 * NS_PER_MS;
    polled(3, 5000, 1);
    assert_true(hook(IOHOOK_READ, 3, 10, 0, NULL));
    const struct iohook_sample *s = next(name);
    assert_non_null(s);
    assert_int_equal(s->timeout_ms, 5000);
    assert_true(s->end_ns - s->start_ns >= 20 * NS_PER_MS);
    hook(IOHOOK_READ, 3, 10, 0, NULL); /* there was no other wait */
    assert_null(next(name));
    polled(4, 5000, 1);
    hook(IOHOOK_READ, 3, 10, 0, NULL); /* the wait was for another descriptor */
    assert_null(next(name));
    polled(3, 5000, -1);
    polled(3, 5000, 1);
    hook(IOHOOK_READ, 3, 10, 0, NULL); /* a signal came between */
    s = next(name);
    assert_true(s->end_ns - s->start_ns >= 40 * NS_PER_MS);
}

static void a_connect_ends_when_poll_tells_so(void **state)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(80)};
    char name[IOHOOK_NAME];
    const struct hookwalk_caller caller = hookwalk_caller_here();
    struct iohook_call call;
    const struct iohook_done begun = {
        .op = IOHOOK_CONNECT, .result = -1, .peer = &to, .peer_bytes = sizeof(to)};
    (void)state;
    for (int64_t result = 0; result < 2; result++) { /* it times out, and it is made */
        assert_true(iohook_begin(&call, 3, (uintptr_t)__builtin_frame_address(0)));
        errno = EINPROGRESS;
        iohook_end(&call, &begun, &caller);
        assert_null(next(name));
        polled(3, 0, 0); /* not yet */
        assert_null(next(name));
        polled(3, 100, result);
        const struct iohook_sample *s = next(name);
        assert_int_equal(s->op, IOHOOK_CONNECT);
        assert_int_equal(s->name_bytes, sizeof(to));
        assert_memory_equal(name, &to, sizeof(to));
    }
}

static void a_poll_that_timed_out_is_a_read_of_a_connected_socket(void **state)
{
    char name[IOHOOK_NAME];
    int pair[2], alone = socket(AF_INET, SOCK_STREAM, 0);
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    polled(alone, 100, 0);
    assert_null(next(name));
    polled(pair[0], 100, 0);
    const struct iohook_sample *s = next(name);
    assert_int_equal(s->op, IOHOOK_READ);
    assert_int_equal(s->bytes, 0);
    assert_false(s->is_end);
    close(alone);
    close(pair[0]);
    close(pair[1]);
}

static void so_many_in_a_second_are_enough(void **state)
{
    char name[IOHOOK_NAME];
    int count = 0;
    (void)state;
    iohook.per_second = 3;
    for (int i = 0; i < 1000; i++)
        hook(IOHOOK_READ, 0, 10, 0, NULL);
    while (next(name))
        count++;
    assert_true(count >= 3 && count < 500);
    assert_int_equal(iohook.throttled.calls, 1000 - count);
    assert_int_equal(iohook.throttled.read, (1000 - count) * 10);
}

static void what_finds_no_room_is_counted(void **state)
{
    char name[IOHOOK_NAME];
    uint64_t count = 0;
    (void)state;
    for (int i = 0; i < 100000; i++)
        hook(IOHOOK_WRITE, 1, 10, 0, NULL);
    while (next(name))
        count++;
    assert_true(iohook.lost.calls > 0);
    assert_int_equal(iohook.lost.calls + count, 100000);
    assert_int_equal(iohook.lost.written, iohook.lost.calls * 10);
}

static void a_child_passes_through(void **state)
{
    char name[IOHOOK_NAME];
    int status = -1;
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        hook(IOHOOK_READ, 0, 10, 0, NULL);
        _exit(next(name) ? 1 : 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void without_a_recording_nothing_happens(void **state)
{
    (void)state;
    iohook.base.is_on = false;
    assert_false(hook(IOHOOK_READ, 0, 10, 0, NULL));
    assert_true(hookring_is_quiet(&iohook.base));
}

#define EACH(name) cmocka_unit_test_setup_teardown(name, make, drop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EACH(a_file_is_named_by_its_path),
        EACH(a_socket_is_named_by_its_peer),
        EACH(a_pipe_between_two_descriptors_makes_a_read),
        EACH(shorter_calls_are_added_up),
        EACH(a_call_that_would_have_had_to_wait_is_nothing),
        EACH(an_inner_call_counts_only_for_another_descriptor),
        EACH(a_call_that_was_left_is_forgotten),
        EACH(the_wait_in_poll_belongs_to_the_call),
        EACH(a_connect_ends_when_poll_tells_so),
        EACH(a_poll_that_timed_out_is_a_read_of_a_connected_socket),
        EACH(so_many_in_a_second_are_enough),
        EACH(what_finds_no_room_is_counted),
        EACH(a_child_passes_through),
        EACH(without_a_recording_nothing_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
