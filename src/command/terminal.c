/*
 * terminal.c - see terminal.h.
 *
 * Source: ECMA-48; xterm's ctlseqs; termios(3).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/terminal.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "command/textbuf.h"

enum {
    COLUMNS_DEFAULT = 80,
    ROWS_DEFAULT = 24,
    /* The rest of a key's sequence comes within this time, even on a slow line. */
    SEQUENCE_MS = 50,
};

/* `enter` selects the alternate screen, hides the cursor and switches off line wrapping; `leave`
 * reverses this. */
static const char enter[] = "\033[?1049h\033[?25l\033[?7l\033[H\033[2J";
static const char leave[] = "\033[m\033[?7h\033[?25h\033[?1049l";

/* Signals that end the process, including those of a crash. */
static const int ends[] = {SIGHUP,  SIGINT, SIGQUIT, SIGTERM, SIGPIPE,
                           SIGSEGV, SIGBUS, SIGABRT, SIGFPE,  SIGILL};

/* The terminal that a signal handler must give back; NULL: none. */
static struct terminal *volatile active;
static volatile sig_atomic_t has_changed;

/* If writing to the terminal fails, the text is lost, because there is no other place for a
 * message. */
static void put(const struct terminal *t, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t n = write(t->out, text, len);
        if (n <= 0)
            return;
        text += n;
        len -= (size_t)n;
    }
}

/* The keys that send signals (Ctrl-C, Ctrl-Z) stay enabled, so the user can end or stop the
 * program. */
static void take_over(const struct terminal *t)
{
    struct termios raw = t->before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
    raw.c_iflag &= ~(tcflag_t)(ICRNL | IXON);
    raw.c_oflag &= ~(tcflag_t)OPOST;
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    tcsetattr(t->in, TCSADRAIN, &raw);
    put(t, enter, sizeof(enter) - 1);
}

static void give_back(const struct terminal *t)
{
    put(t, leave, sizeof(leave) - 1);
    tcsetattr(t->in, TCSADRAIN, &t->before);
}

/* The signal is blocked in its handler, so its default action follows when the handler returns. */
static void on_end(int number)
{
    if (active)
        give_back(active);
    active = NULL;
    signal(number, SIG_DFL);
    raise(number);
}

static void on_stop(int number)
{
    sigset_t let_through;
    if (active)
        give_back(active);
    signal(number, SIG_DFL);
    raise(number);
    sigemptyset(&let_through);
    sigaddset(&let_through, number);
    sigprocmask(SIG_UNBLOCK, &let_through, NULL); /* the process stops here */
    signal(number, on_stop);
    if (active)
        take_over(active);
    has_changed = 1;
}

static void on_size(int number)
{
    has_changed = 1;
}

/* A write goes on after the signal. poll(), which waits for keys, is interrupted and so notices
 * it. */
static void handle(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static void handle_all(bool is_open)
{
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
        handle(ends[i], is_open ? on_end : SIG_DFL);
    handle(SIGTSTP, is_open ? on_stop : SIG_DFL);
    handle(SIGWINCH, is_open ? on_size : SIG_DFL);
}

void terminal_measure(struct terminal *t)
{
    struct winsize size = {0};
    bool has_size = ioctl(t->out, TIOCGWINSZ, &size) == 0;
    t->columns = has_size && size.ws_col > 0 ? size.ws_col : COLUMNS_DEFAULT;
    t->rows = has_size && size.ws_row > 0 ? size.ws_row : ROWS_DEFAULT;
}

int terminal_open(struct terminal *t, int in, int out)
{
    *t = (struct terminal){.in = in, .out = out};
    if (tcgetattr(in, &t->before) != 0 || !isatty(out))
        return errno != 0 ? -errno : -ENOTTY;
    t->is_open = true;
    terminal_measure(t);
    active = t;
    handle_all(true);
    take_over(t);
    return 0;
}

void terminal_close(struct terminal *t)
{
    if (!t->is_open)
        return;
    active = NULL;
    give_back(t);
    handle_all(false);
    t->is_open = false;
}

bool terminal_has_changed(void)
{
    bool was = has_changed != 0;
    has_changed = 0;
    return was;
}

void terminal_paint(const struct terminal *t, const char *lines, size_t len)
{
    struct textbuf text = {0};
    unsigned row = 0;
    textbuf_text(&text, "\033[H");
    for (; len > 0 && row < t->rows; row++) {
        const char *end = memchr(lines, '\n', len);
        size_t line = end ? (size_t)(end - lines) : len;
        textbuf_text(&text, row > 0 ? "\r\n" : "");
        textbuf_bytes(&text, lines, line);
        textbuf_text(&text, "\033[m\033[K");
        line += end != NULL;
        lines += line;
        len -= line;
    }
    /* After the last row there is nothing to erase. */
    if (row < t->rows)
        textbuf_text(&text, row > 0 ? "\r\n\033[J" : "\033[J");
    put(t, text.bytes, text.len);
    textbuf_done(&text);
}

/* The next byte. Negative: none came within that time; TERMINAL_GONE: no byte will ever come. */
static int next_byte(struct terminal *t, int wait_ms)
{
    struct pollfd input = {.fd = t->in, .events = POLLIN};
    if (t->typed_at == t->typed_len) {
        t->typed_at = t->typed_len = 0;
        if (poll(&input, 1, wait_ms) <= 0)
            return -1;
        ssize_t n = read(t->in, t->typed, sizeof(t->typed));
        if (n < 0)
            return errno == EINTR || errno == EAGAIN ? -1 : TERMINAL_GONE;
        if (n == 0)
            return (input.revents & POLLHUP) != 0 ? TERMINAL_GONE : -1;
        t->typed_len = (unsigned)n;
    }
    return t->typed[t->typed_at++];
}

static int key_of(char last, int number)
{
    static const struct {
        char last;
        int number; /* 0: any */
        enum terminal_key key;
    } keys[] = {
        {'A', 0, TERMINAL_UP},        {'B', 0, TERMINAL_DOWN},   {'C', 0, TERMINAL_RIGHT},
        {'D', 0, TERMINAL_LEFT},      {'H', 0, TERMINAL_HOME},   {'F', 0, TERMINAL_END},
        {'~', 1, TERMINAL_HOME},      {'~', 7, TERMINAL_HOME},   {'~', 4, TERMINAL_END},
        {'~', 8, TERMINAL_END},       {'~', 3, TERMINAL_DELETE}, {'~', 5, TERMINAL_PAGE_UP},
        {'~', 6, TERMINAL_PAGE_DOWN},
    };
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (keys[i].last == last && (keys[i].number == 0 || keys[i].number == number))
            return keys[i].key;
    return TERMINAL_OTHER;
}

/* Reads what follows ESC: "[", numbers and ";", and a last character; or "O" and a last
 * character. */
static int read_sequence(struct terminal *t)
{
    int byte = next_byte(t, SEQUENCE_MS), number = 0;
    if (byte < 0)
        return TERMINAL_ESCAPE;
    if (byte != '[' && byte != 'O')
        return TERMINAL_OTHER;
    while ((byte = next_byte(t, SEQUENCE_MS)) >= 0 && byte < '@')
        number = byte >= '0' && byte <= '9' && number < 1000 ? number * 10 + byte - '0' : number;
    return byte < 0 || byte == TERMINAL_GONE ? TERMINAL_OTHER : key_of((char)byte, number);
}

static int read_key(struct terminal *t, int wait_ms)
{
    int byte = next_byte(t, wait_ms);
    if (byte < 0)
        return TERMINAL_NONE;
    if (byte == TERMINAL_ESCAPE)
        return read_sequence(t);
    if (byte == '\b')
        return TERMINAL_BACKSPACE;
    if (byte == 0) /* Ctrl-Space */
        return TERMINAL_OTHER;
    return byte == '\n' ? TERMINAL_ENTER : byte;
}

int terminal_read_key(struct terminal *t)
{
    return read_key(t, 0);
}

int terminal_wait_key(struct terminal *t)
{
    return read_key(t, -1);
}
