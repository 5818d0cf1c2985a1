/*
 * attach.c - see attach.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "attach/attach.h"
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "attach/start_options.h"
#include "base/err.h"
#include "process/process.h"
#include "safe/clock.h"

/* ---- answers */

enum { CODE_MAX = 1000000, ROOM_FIRST = 64 * 1024 };

int attach_reply_grow(struct attach_reply *r, size_t more)
{
    if (r->bytes && r->room - r->len > more)
        return 0;
    size_t room = r->room == 0 ? ROOM_FIRST : r->room * 2;
    while (room - r->len <= more)
        room *= 2;
    char *bytes = realloc(r->bytes, room);
    if (!bytes)
        return -ENOMEM;
    r->bytes = bytes;
    r->room = room;
    return 0;
}

int attach_reply_parse(struct attach_reply *r)
{
    size_t at = 0;
    int code = 0;
    r->text = "";
    r->text_len = 0;
    if (!r->bytes || r->len == 0)
        return E_TRUNCATED;
    r->bytes[r->len] = '\0';
    bool is_negative = r->bytes[0] == '-';
    at += is_negative;
    size_t first = at;
    for (; at < r->len && isdigit((unsigned char)r->bytes[at]); at++) {
        code = code * 10 + (r->bytes[at] - '0');
        if (code > CODE_MAX)
            return E_FORMAT;
    }
    if (at == r->len)
        return E_TRUNCATED;
    if (at == first || r->bytes[at] != '\n')
        return E_FORMAT;
    r->code = is_negative ? -code : code;
    r->text = r->bytes + at + 1;
    r->text_len = r->len - at - 1;
    return 0;
}

bool attach_reply_says(const struct attach_reply *r, const char *prefix)
{
    size_t len = strlen(prefix);
    return r->text_len >= len && memcmp(r->text, prefix, len) == 0;
}

void attach_reply_done(struct attach_reply *r)
{
    free(r->bytes);
    *r = (struct attach_reply){0};
}

/* ---- whether a JVM can be asked */

enum {
    PIDFD_OPEN = 434, /* number of a system call that older headers lack; the same on every CPU */
    LOOK_MS = 500,    /* how often the process is looked at while it does not answer */
    READ_BYTES = 256 * 1024,
};

static enum attach_cause cause_of(struct attach *a, int error)
{
    a->socket.error = error;
    return error == -ESRCH                       ? ATTACH_GONE
           : error == -EACCES || error == -EPERM ? ATTACH_NOT_PERMITTED
                                                 : ATTACH_SYSTEM;
}

/* Why a process that lives does nothing. ATTACH_OK: nothing is known that holds it up. */
static enum attach_cause held(const struct process *p)
{
    char state = process_lasting_state(p);
    if (state == 'Z' || state == 'X')
        return ATTACH_ZOMBIE;
    if (state == 'T' || state == 't')
        return ATTACH_STOPPED;
    return process_is_frozen(p->pid) ? ATTACH_FROZEN : ATTACH_OK;
}

/* Open what belongs to the process. The folders are opened with our own ids, the files in them with
 * the ids of the JVM's user. */
static enum attach_cause enter(struct attach *a, pid_t pid)
{
    struct attach_socket *s = &a->socket;
    s->pidfd = (int)syscall(PIDFD_OPEN, pid, 0);
    int error = process_read(pid, &s->process);
    if (error < 0)
        return cause_of(a, error);
    if (s->process.state == 'Z' || s->process.state == 'X')
        return ATTACH_ZOMBIE;
    error = process_find_mapped(s->process.task, "libjvm.so", &a->libjvm);
    if (error == E_NOT_FOUND)
        return ATTACH_NOT_JVM;
    if (error < 0)
        return cause_of(a, error);
    a->root = process_folder_root(s->process.task);
    if (a->root < 0)
        return cause_of(a, a->root);
    s->cwd = process_folder_working(s->process.task);
    error = process_ids_take(&s->process, &a->before);
    if (error < 0)
        return cause_of(a, error);
    s->tmp = process_folder_open(a->root, "tmp");
    (void)perfdata_file_open_process(&s->process, a->root, &a->counters);
    return ATTACH_OK;
}

/* Whether attaching is disabled. The counter "sun.rt.jvmCapabilities" is a text of the digits 0 and
 * 1; the first one says whether the JVM can be attached to. For a JVM without counters the options
 * are read with which it was started. */
static bool is_disabled(const struct attach *a)
{
    size_t len;
    const char *able = perfdata_text_of(&a->counters.data, "sun.rt.jvmCapabilities", &len);
    return able ? len > 0 && able[0] == '0'
                : start_options_have_flag(a->socket.process.task, "DisableAttachMechanism");
}

static bool has_reduced_signals(const struct attach *a)
{
    size_t len;
    const char *args = perfdata_text_of(&a->counters.data, "java.rt.vmArgs", &len);
    return args ? memmem(args, len, "-Xrs", 4) != NULL
                : start_options_have(a->socket.process.task, "-Xrs");
}

enum attach_cause attach_look(struct attach *a, pid_t pid, uint64_t timeout_ns)
{
    struct attach_socket *s = &a->socket;
    *a = (struct attach){
        .socket = {.pidfd = -1, .tmp = -1, .cwd = -1, .timeout_ns = timeout_ns},
        .root = -1,
        .counters = {.fd = -1},
    };
    enum attach_cause cause = enter(a, pid);
    if (cause == ATTACH_OK)
        cause = held(&s->process);
    if (cause != ATTACH_OK)
        return cause;
    if (is_disabled(a))
        return ATTACH_DISABLED;
    if (attach_socket_is_there(s))
        return ATTACH_OK;
    if (!s->process.catches_quit)
        return has_reduced_signals(a) ? ATTACH_REDUCED_SIGNALS : ATTACH_STARTING;
    return attach_socket_tmp_is_writable(s) ? ATTACH_OK : ATTACH_TMP_READ_ONLY;
}

static enum attach_cause send_all(struct attach *a, int fd, const char *bytes, size_t len)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    uint64_t waited_ms = 0;
    for (size_t at = 0; at < len;) {
        ssize_t n = send(fd, bytes + at, len - at, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN) {
            if (waited_ms * NS_PER_MS >= a->socket.timeout_ns)
                return ATTACH_NO_ANSWER;
            if (attach_socket_is_interrupted(&a->socket))
                return ATTACH_INTERRUPTED;
            waited_ms += poll(&p, 1, LOOK_MS) == 0 ? LOOK_MS : 0;
            continue;
        }
        /* A JVM that has refused the part it has read may still have written why. */
        if (n < 0)
            return errno == EPIPE || errno == ECONNRESET ? ATTACH_OK : cause_of(a, -errno);
        at += (size_t)n;
    }
    return ATTACH_OK;
}

/* Whether to wait longer: ATTACH_OK, or why the JVM will not answer. */
static enum attach_cause look_again(const struct attach *a)
{
    struct process now;
    if (process_read(a->socket.process.pid, &now) < 0)
        return ATTACH_GONE;
    return held(&now);
}

static uint64_t now_ms(void)
{
    return clock_monotonic_ns() / NS_PER_MS;
}

/* Read to the end of the answer as fast as the JVM writes. The end must come within `limit_ms`. */
static enum attach_cause receive(struct attach *a, int fd, uint64_t limit_ms,
                                 struct attach_reply *r)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    uint64_t start = now_ms();
    for (;;) {
        int ready = poll(&p, 1, LOOK_MS);
        if (ready < 0 && errno != EINTR)
            return cause_of(a, -errno);
        if (attach_socket_is_interrupted(&a->socket))
            return ATTACH_INTERRUPTED;
        if (a->socket.waits)
            a->socket.waits(a->socket.waits_with);
        if (now_ms() - start >= limit_ms)
            return a->answer_ms == 0 && limit_ms == ATTACH_ANSWER_MS ? ATTACH_TOO_SLOW
                                                                     : ATTACH_NO_ANSWER;
        if (ready <= 0) {
            enum attach_cause cause = look_again(a);
            if (cause != ATTACH_OK)
                return cause;
            continue;
        }
        if (r->len >= ATTACH_ANSWER_BYTES)
            return ATTACH_TOO_MUCH;
        if (attach_reply_grow(r, READ_BYTES) < 0)
            return cause_of(a, -ENOMEM);
        ssize_t n = recv(fd, r->bytes + r->len, READ_BYTES, 0);
        if (n > 0) {
            r->len += (size_t)n;
            continue;
        }
        /* If a JVM closes the connection and has not read all our bytes, the connection is reset.
         * This is an end, too. */
        if (n == 0 || (errno == ECONNRESET && r->len > 0))
            return ATTACH_OK;
        if (errno == ECONNRESET || errno == EPIPE)
            return ATTACH_CUT_OFF;
        if (errno != EINTR && errno != EAGAIN)
            return cause_of(a, -errno);
    }
}

/* A request: texts, each with a 0 behind it. */
struct request {
    char *bytes;
    size_t len, room;
    bool is_bad; /* there was no memory */
};

static void add(struct request *r, const char *text)
{
    size_t len = strlen(text) + 1;
    if (r->room - r->len < len) {
        size_t room = (r->room + len) * 2;
        char *bytes = realloc(r->bytes, room);
        if (!bytes) {
            r->is_bad = true;
            return;
        }
        r->bytes = bytes;
        r->room = room;
    }
    memcpy(r->bytes + r->len, text, len);
    r->len += len;
}

static bool fits_old(const char *name, const char *const *args, unsigned count)
{
    bool fits = strlen(name) <= ATTACH_OLD_NAME_BYTES && count <= ATTACH_OLD_ARGS;
    for (unsigned i = 0; i < count; i++)
        fits = fits && strlen(args[i]) <= ATTACH_OLD_ARG_BYTES;
    return fits;
}

static void compose(struct request *r, const struct attach *a, const char *name,
                    const char *const *args, unsigned count)
{
    char size[24], *head;
    if (!a->speaks_v2) {
        add(r, "1");
        add(r, name);
        for (unsigned i = 0; i < ATTACH_OLD_ARGS; i++)
            add(r, i < count ? args[i] : "");
        return;
    }
    if (asprintf(&head, "%s%s", name, a->speaks_pieces ? " streaming=0" : "") < 0) {
        r->is_bad = true;
        return;
    }
    size_t len = strlen(head) + 1;
    for (unsigned i = 0; i < count; i++)
        len += strlen(args[i]) + 1;
    snprintf(size, sizeof(size), "%zu", len);
    add(r, "2");
    add(r, size);
    add(r, head);
    for (unsigned i = 0; i < count; i++)
        add(r, args[i]);
    free(head);
}

/* Use one connection, from the request to the end of the answer. Closes `fd`. */
static enum attach_cause converse(struct attach *a, int fd, const struct request *request,
                                  uint64_t limit_ms, struct attach_reply *ret)
{
    enum attach_cause cause = send_all(a, fd, request->bytes, request->len);
    if (cause == ATTACH_OK)
        cause = receive(a, fd, limit_ms, ret);
    close(fd);
    if (cause == ATTACH_OK && ret->len == 0)
        cause = ATTACH_CUT_OFF;
    if (cause == ATTACH_OK && attach_reply_parse(ret) < 0)
        cause = ATTACH_BAD_REPLY;
    return cause;
}

static enum attach_cause call(struct attach *a, int fd, const char *name, const char *const *args,
                              unsigned count, uint64_t limit_ms, struct attach_reply *ret)
{
    struct request request = {0};
    enum attach_cause cause;
    compose(&request, a, name, args, count);
    if (request.is_bad) {
        close(fd);
        cause = cause_of(a, -ENOMEM);
    } else {
        cause = converse(a, fd, &request, limit_ms, ret);
    }
    free(request.bytes);
    return cause;
}

enum attach_cause attach_call(struct attach *a, const char *name, const char *const *args,
                              unsigned count, struct attach_reply *ret)
{
    int fd;
    *ret = (struct attach_reply){0};
    if (!a->speaks_v2 && !fits_old(name, args, count))
        return ATTACH_TOO_LONG;
    enum attach_cause cause = attach_socket_connect(&a->socket, &fd);
    /* The socket may have been removed by a cleaner of /tmp, which removes files that look old. A
     * signal through the pidfd never goes to another process. */
    if (cause == ATTACH_NO_SOCKET && a->socket.process.catches_quit && a->socket.pidfd >= 0)
        cause = attach_socket_ask(&a->socket, &fd);
    if (cause != ATTACH_OK)
        return cause;
    return call(a, fd, name, args, count, a->answer_ms != 0 ? a->answer_ms : ATTACH_ANSWER_MS, ret);
}

/* Learn which protocol the JVM speaks: JDK 24 and later answer "2 streaming", older ones refuse the
 * question. Closes `fd`. */
static enum attach_cause learn(struct attach *a, int fd)
{
    static const char *const asked[] = {"options"};
    struct attach_reply reply = {0};
    enum attach_cause cause =
        call(a, fd, "getversion", asked, 1, a->socket.timeout_ns / NS_PER_MS, &reply);
    if (cause == ATTACH_OK && reply.code == 0) {
        a->speaks_v2 = reply.text_len > 0 && reply.text[0] >= '2' && reply.text[0] <= '9';
        a->speaks_pieces = a->speaks_v2 && memmem(reply.text, reply.text_len, "streaming", 9);
    }
    attach_reply_done(&reply);
    return cause;
}

enum attach_cause attach_open(struct attach *a, pid_t pid, uint64_t timeout_ns)
{
    int fd;
    enum attach_cause cause = attach_look(a, pid, timeout_ns);
    if (cause != ATTACH_OK)
        return cause;
    cause = attach_socket_connect(&a->socket, &fd);
    if (cause == ATTACH_NO_SOCKET && a->socket.process.catches_quit)
        cause = attach_socket_ask(&a->socket, &fd);
    return cause == ATTACH_OK ? learn(a, fd) : cause;
}

bool attach_has_ended(const struct attach *a, int wait_ms)
{
    struct pollfd p = {.fd = a->socket.pidfd, .events = POLLIN};
    struct process now;
    if (a->socket.pidfd >= 0)
        return poll(&p, 1, wait_ms) > 0;
    return process_read(a->socket.process.pid, &now) < 0 || now.state == 'Z' || now.state == 'X';
}

static void close_folder(int fd)
{
    if (fd >= 0)
        close(fd);
}

void attach_close(struct attach *a)
{
    perfdata_file_close(&a->counters);
    close_folder(a->socket.tmp);
    close_folder(a->socket.cwd);
    close_folder(a->socket.pidfd);
    close_folder(a->root);
    free(a->libjvm);
    (void)process_ids_back(&a->before);
    a->libjvm = NULL;
    a->root = a->socket.tmp = a->socket.cwd = a->socket.pidfd = -1;
}

/* ---- the load of an agent */

#define STARTING "Dynamic agent loading is only permitted in the live phase"
enum { START_MS = 10000, START_POLL_MS = 20 };

static const char returned[] = "return code: ";

/* Read the number. JDK 8 answers with the number only; later releases have words in front of it. */
static bool read_code(const struct attach_reply *reply, int *ret_code)
{
    const char *text = reply->text;
    char *end;
    if (attach_reply_says(reply, returned))
        text += sizeof(returned) - 1;
    long code = strtol(text, &end, 10);
    if (end == text || (*end != '\n' && *end != '\0'))
        return false;
    *ret_code = (int)code;
    return true;
}

enum attach_load_result attach_load_understand(const struct attach_reply *reply, int *ret_code)
{
    *ret_code = reply->code;
    if (reply->code == 0 && read_code(reply, ret_code))
        return *ret_code == 0 ? ATTACH_LOAD_DONE : ATTACH_LOAD_FAILED;
    return attach_reply_says(reply, "Dynamic agent loading is not enabled") ? ATTACH_LOAD_DISABLED
                                                                            : ATTACH_LOAD_NOT_FOUND;
}

const char *attach_load_reason(const struct attach_reply *reply, int *ret_len)
{
    const char *line = reply->text, *behind = line + strcspn(line, "\n");
    if (behind[0] == '\n' && behind[1] != '\n' && behind[1] != '\0')
        line = behind + 1;
    *ret_len = (int)strcspn(line, "\n");
    return line;
}

enum attach_cause attach_load(struct attach *a, const char *library, const char *options,
                              struct attach_reply *reply, enum attach_load_result *ret_result,
                              int *ret_code)
{
    static const struct timespec pause = {.tv_nsec = START_POLL_MS * 1000000L};
    const char *const args[] = {library, library[0] == '/' ? "true" : "false",
                                options ? options : ""};
    enum attach_cause cause = attach_call(a, "load", args, sizeof(args) / sizeof(args[0]), reply);
    /* JDK 21 and later refuse agents while they start, although they answer already. */
    for (int i = 0; cause == ATTACH_OK && attach_reply_says(reply, STARTING) &&
                    i < START_MS / START_POLL_MS && !attach_socket_is_interrupted(&a->socket);
         i++) {
        attach_reply_done(reply);
        nanosleep(&pause, NULL);
        cause = attach_call(a, "load", args, sizeof(args) / sizeof(args[0]), reply);
    }
    if (cause == ATTACH_OK)
        *ret_result = attach_load_understand(reply, ret_code);
    return cause;
}
