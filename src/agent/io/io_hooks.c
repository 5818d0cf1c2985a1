/*
 * io_hooks.c - see io_hooks.h.
 *
 * There are four hooks for each of some forty functions, so a hook is only a stub: it adds the
 * address of its target to the arguments and jumps to narrow(), which does the work for all. All
 * parameters of these functions are integers and pointers, which both System V ABIs pass in the
 * first six (aarch64: eight) registers, and a function does not look at registers that it has no
 * parameter for. So a function of five longs can stand for all that have five parameters or fewer.
 * Of an int that is returned only the lower half of the register is valid. A function with six
 * parameters has no register left for the target: its stub calls wide() and says who has called.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/io/io_hooks.h"
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include "safe/iohook.h"

enum {
    ARGUMENTS = 6,
    MESSAGES_MOST = 1024, /* UIO_MAXIOV: the kernel takes no more */
};

/* What the result means, and where the descriptor is. */
enum form {
    FORM_BYTES,     /* bytes; the descriptor is the first argument */
    FORM_FILLED,    /* the same; the kernel has written the address of the sender */
    FORM_ADDRESSED, /* the same; the caller gave the address of the receiver */
    FORM_MESSAGE,   /* the same; the address is in a struct msghdr */
    FORM_MESSAGES,  /* structs mmsghdr that have been sent or received */
    FORM_ALONG,     /* bytes; to the first argument, from the second */
    FORM_ACROSS,    /* bytes; from the first argument, to the third */
    FORM_FLUSHED,   /* 0 */
    FORM_CONNECTED, /* 0; the address is the second argument */
    FORM_ACCEPTED,  /* a new descriptor */
    FORM_POLLED,    /* descriptors that are ready */
};

enum result { RESULT_INT, RESULT_LONG };

struct function {
    uint8_t form, op, result;
};

enum {
#define HOOK(name, ...) ROW_##name,
#include "agent/io/io_hooks.def"
#undef HOOK
    ROWS,
};

static const struct function functions[ROWS] = {
#define HOOK(name, stub, form, op, result)                                                         \
    [ROW_##name] = {FORM_##form, IOHOOK_##op, RESULT_##result},
#include "agent/io/io_hooks.def"
#undef HOOK
};

typedef _Atomic(imports_function) target;

static target targets[ROWS][IMPORTS_TARGETS];

static const struct function *function_of(const target *at)
{
    return &functions[(at - targets[0]) / IMPORTS_TARGETS];
}

static void *pointer_of(long argument)
{
    void *pointer;
    memcpy(&pointer, &argument, sizeof(pointer));
    return pointer;
}

/* ---- the end of a call: what it has done */

static void take_message(struct iohook_done *d, const struct msghdr *message)
{
    d->peer = message->msg_name;
    d->peer_bytes = message->msg_name ? message->msg_namelen : 0;
}

static void take_messages(struct iohook_done *d, const struct mmsghdr *messages)
{
    for (int64_t i = 0; i < d->result && i < MESSAGES_MOST; i++)
        d->bytes += messages[i].msg_len;
    if (d->result > 0)
        take_message(d, &messages[0].msg_hdr);
}

/* Whether connect() has read the address before it ended so. */
static bool has_address(int64_t result)
{
    static const int errors[] = {EINPROGRESS,  ECONNREFUSED, ETIMEDOUT,
                                 EHOSTUNREACH, ENETUNREACH,  ECONNRESET};
    bool has = result == 0;
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        has |= errno == errors[i];
    return has;
}

/* Memory of the program is read only if the call has succeeded, or failed so that the kernel had
 * read it before. */
static void take(struct iohook_done *d, enum form form, const long arguments[ARGUMENTS])
{
    if (form == FORM_CONNECTED && has_address(d->result)) {
        d->peer = pointer_of(arguments[1]);
        d->peer_bytes = (uint32_t)arguments[2];
    }
    if (d->result < 0)
        return;
    switch (form) {
    case FORM_MESSAGES:
        take_messages(d, pointer_of(arguments[1]));
        return;
    case FORM_MESSAGE:
        take_message(d, pointer_of(arguments[1]));
        break;
    case FORM_FILLED:
        d->peer = pointer_of(arguments[4]);
        d->peer_bytes = d->peer && arguments[5] ? *(socklen_t *)pointer_of(arguments[5]) : 0;
        break;
    case FORM_ADDRESSED:
        d->peer = pointer_of(arguments[4]);
        d->peer_bytes = (uint32_t)arguments[5];
        break;
    case FORM_ALONG:
        d->from = (int32_t)arguments[1];
        break;
    case FORM_ACROSS:
        d->from = (int32_t)arguments[0];
        break;
    case FORM_BYTES:
        break;
    case FORM_ACCEPTED:
        d->from = (int32_t)d->result;
        return;
    case FORM_CONNECTED:
    case FORM_FLUSHED:
    case FORM_POLLED:
        return;
    }
    d->bytes = (uint64_t)d->result;
}

static void end_poll(struct iohook_call *call, long result, const long arguments[ARGUMENTS],
                     const struct hookwalk_caller *caller)
{
    const struct pollfd *one = arguments[1] == 1 ? pointer_of(arguments[0]) : NULL;
    if (one && (result >= 0 || errno == EINTR))
        iohook_polled(call, one->fd, one->events & POLLIN, (int)arguments[2], result, caller);
    else
        iohook_leave(call);
}

static void end(struct iohook_call *call, const target *at, long result,
                const long arguments[ARGUMENTS], const struct hookwalk_caller *caller)
{
    const struct function *f = function_of(at);
    struct iohook_done done = {
        .op = (enum iohook_op)f->op,
        .from = -1,
        .result = f->result == RESULT_INT ? (int)result : result,
        .with_metadata = f != &functions[ROW_fdatasync],
    };
    if (f->form == FORM_POLLED) {
        end_poll(call, (int)result, arguments, caller);
        return;
    }
    take(&done, (enum form)f->form, arguments);
    iohook_end(call, &done, caller);
}

/* The descriptor of a call; -1: it is not known before the kernel has read the program's memory. */
static int32_t descriptor_of(const target *at, long first, long third)
{
    enum form form = (enum form)function_of(at)->form;
    return form == FORM_POLLED ? -1 : (int32_t)(form == FORM_ACROSS ? third : first);
}

/* ---- the hooks */

typedef long (*narrow_function)(long a, long b, long c, long d, long e);
typedef long (*wide_function)(long a, long b, long c, long d, long e, long f);

/* NOLINTBEGIN(bugprone-easily-swappable-parameters): the arguments of any function */

static __attribute__((noinline)) long narrow(long a, long b, long c, long d, long e, target *at)
{
    narrow_function next = (narrow_function)atomic_load_explicit(at, memory_order_relaxed);
    struct iohook_call call;
    if (!iohook_begin(&call, descriptor_of(at, a, c), (uintptr_t)__builtin_frame_address(0)))
        return next(a, b, c, d, e);
    long result = next(a, b, c, d, e);
    const long arguments[ARGUMENTS] = {a, b, c, d, e};
    const struct hookwalk_caller caller = hookwalk_caller_here();
    end(&call, at, result, arguments, &caller);
    return result;
}

static __attribute__((noinline)) long wide(long a, long b, long c, long d, long e, long f,
                                           target *at, const struct hookwalk_caller *caller)
{
    wide_function next = (wide_function)atomic_load_explicit(at, memory_order_relaxed);
    struct iohook_call call;
    if (!iohook_begin(&call, descriptor_of(at, a, c), (uintptr_t)__builtin_frame_address(0)))
        return next(a, b, c, d, e, f);
    long result = next(a, b, c, d, e, f);
    const long arguments[ARGUMENTS] = {a, b, c, d, e, f};
    end(&call, at, result, arguments, caller);
    return result;
}

/* NOLINTEND(bugprone-easily-swappable-parameters) */

#define NARROW(name, i)                                                                            \
    static long hook_##name##_##i(long a, long b, long c, long d, long e)                          \
    {                                                                                              \
        return narrow(a, b, c, d, e, &targets[ROW_##name][i]);                                     \
    }

#define WIDE(name, i)                                                                              \
    static long hook_##name##_##i(long a, long b, long c, long d, long e, long f)                  \
    {                                                                                              \
        const struct hookwalk_caller caller = hookwalk_caller_here();                              \
        return wide(a, b, c, d, e, f, &targets[ROW_##name][i], &caller);                           \
    }

#define HOOK(name, STUB, ...)                                                                      \
    STUB(name, 0)                                                                                  \
    STUB(name, 1)                                                                                  \
    STUB(name, 2)                                                                                  \
    STUB(name, 3)                                                                                  \
    static const imports_function hooks_##name[] = {                                               \
        (imports_function)hook_##name##_0, (imports_function)hook_##name##_1,                      \
        (imports_function)hook_##name##_2, (imports_function)hook_##name##_3};                     \
    _Static_assert(sizeof(hooks_##name) / sizeof(hooks_##name[0]) == IMPORTS_TARGETS,              \
                   "a hook for each target");
#include "agent/io/io_hooks.def"
#undef HOOK

/* ---- the table */

const struct imports_row io_hooks[] = {
#define HOOK(name, ...) {#name, hooks_##name, targets[ROW_##name], NULL, NULL},
#include "agent/io/io_hooks.def"
#undef HOOK
};
const uint32_t io_hooks_count = ROWS;
