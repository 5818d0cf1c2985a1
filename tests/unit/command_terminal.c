/*
 * cli_terminal.c - lines and keys on a pseudo terminal.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cmocka_all.h"
#include "command/terminal.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 20000 };

/* The user's side, and the program's. */
struct pair {
    int user, program;
};

/* Skips the test where the machine has no terminals to give: a bare chroot has no /dev/pts. */
static struct pair open_pair(void)
{
    struct pair p;
    struct winsize size = {.ws_row = 3, .ws_col = 10};
    p.user = posix_openpt(O_RDWR | O_NOCTTY);
    if (p.user < 0) {
        print_message("NOT TESTED: no pseudo terminal is to be had here (/dev/ptmx, /dev/pts)\n");
        skip();
    }
    assert_int_equal(grantpt(p.user), 0);
    assert_int_equal(unlockpt(p.user), 0);
    p.program = open(ptsname(p.user), O_RDWR | O_NOCTTY);
    assert_true(p.program >= 0);
    assert_int_equal(ioctl(p.program, TIOCSWINSZ, &size), 0);
    assert_int_equal(fcntl(p.user, F_SETFL, O_NONBLOCK), 0);
    return p;
}

static void close_pair(struct pair p)
{
    close(p.program);
    close(p.user);
}

/* What has been shown since the last call, up to this text: it comes through the kernel by and by.
 */
static const char *shown(struct pair p, const char *last)
{
    static char text[4096];
    struct pollfd output = {.fd = p.user, .events = POLLIN};
    size_t len = 0;
    text[0] = '\0';
    while (!strstr(text, last) && poll(&output, 1, PATIENCE_MS) == 1) {
        ssize_t n = read(p.user, text + len, sizeof(text) - 1 - len);
        if (n <= 0)
            break;
        len += (size_t)n;
        text[len] = '\0';
    }
    return text;
}

/* Returns when the program can read it. */
static void type(struct pair p, const char *keys)
{
    struct pollfd input = {.fd = p.program, .events = POLLIN};
    assert_int_equal(write(p.user, keys, strlen(keys)), (ssize_t)strlen(keys));
    assert_int_equal(poll(&input, 1, PATIENCE_MS), 1);
}

static tcflag_t modes(struct pair p)
{
    struct termios now;
    assert_int_equal(tcgetattr(p.program, &now), 0);
    return now.c_lflag & (tcflag_t)(ICANON | ECHO);
}

static void the_terminal_is_given_back_as_it_was(void **state)
{
    struct pair p = open_pair();
    struct terminal t;
    (void)state;
    tcflag_t before = modes(p);
    assert_int_equal(terminal_open(&t, p.program, p.program), 0);
    assert_int_equal(t.columns, 10);
    assert_int_equal(t.rows, 3);
    assert_int_equal(modes(p), 0);
    assert_non_null(strstr(shown(p, "\033[2J"), "\033[?1049h"));
    terminal_close(&t);
    assert_int_equal(modes(p), before);
    assert_non_null(strstr(shown(p, "\033[?1049l"), "\033[?25h"));
    close_pair(p);
}

static void a_signal_gives_it_back_before_it_ends_the_program(void **state)
{
    static const int numbers[] = {SIGTERM, SIGHUP, SIGSEGV};
    (void)state;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        struct pair p = open_pair();
        int status;
        tcflag_t before = modes(p);
        pid_t child = fork();
        if (child == 0) {
            struct terminal t;
            signal(numbers[i], SIG_DFL);
            raise(terminal_open(&t, p.program, p.program) == 0 ? numbers[i] : SIGKILL);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), numbers[i]);
        assert_int_equal(modes(p), before);
        assert_non_null(strstr(shown(p, "\033[?1049l"), "\033[?25h\033[?1049l"));
        close_pair(p);
    }
}

static void lines_that_do_not_fit_are_left_out(void **state)
{
    struct pair p = open_pair();
    struct terminal t;
    (void)state;
    assert_int_equal(terminal_open(&t, p.program, p.program), 0);
    static const char full[] = "\033[Ha\033[m\033[K\r\nb\033[m\033[K\r\nc\033[m\033[K";
    static const char short_one[] = "\033[Ha\033[m\033[K\r\n\033[J";
    shown(p, "\033[2J");
    terminal_paint(&t, "a\nb\nc\nd\n", 8);
    assert_string_equal(shown(p, full), full);
    terminal_paint(&t, "a\n", 2);
    assert_string_equal(shown(p, short_one), short_one);
    terminal_close(&t);
    close_pair(p);
}

static void keys_are_told_by_their_sequences(void **state)
{
    struct pair p = open_pair();
    struct terminal t;
    (void)state;
    assert_int_equal(terminal_open(&t, p.program, p.program), 0);
    assert_int_equal(terminal_read_key(&t), TERMINAL_NONE);
    type(p, "q\033[A\033OB\033[5~\033[6~\033[1;5H\033[15~\r\177");
    assert_int_equal(terminal_read_key(&t), 'q');
    assert_int_equal(terminal_read_key(&t), TERMINAL_UP);
    assert_int_equal(terminal_read_key(&t), TERMINAL_DOWN);
    assert_int_equal(terminal_read_key(&t), TERMINAL_PAGE_UP);
    assert_int_equal(terminal_read_key(&t), TERMINAL_PAGE_DOWN);
    assert_int_equal(terminal_read_key(&t), TERMINAL_HOME);
    assert_int_equal(terminal_read_key(&t), TERMINAL_OTHER);
    assert_int_equal(terminal_read_key(&t), TERMINAL_ENTER);
    assert_int_equal(terminal_read_key(&t), TERMINAL_BACKSPACE);
    type(p, "\033[C\033[D\033OF\033[8~\033[1~\033[3~\033[11~");
    assert_int_equal(terminal_wait_key(&t), TERMINAL_RIGHT);
    assert_int_equal(terminal_wait_key(&t), TERMINAL_LEFT);
    assert_int_equal(terminal_wait_key(&t), TERMINAL_END);
    assert_int_equal(terminal_wait_key(&t), TERMINAL_END);
    assert_int_equal(terminal_wait_key(&t), TERMINAL_HOME);
    assert_int_equal(terminal_wait_key(&t), TERMINAL_DELETE);
    assert_int_equal(terminal_wait_key(&t), TERMINAL_OTHER);
    type(p, "\033");
    assert_int_equal(terminal_read_key(&t), TERMINAL_ESCAPE);
    assert_int_equal(terminal_read_key(&t), TERMINAL_NONE);
    terminal_close(&t);
    close_pair(p);
}

static void a_terminal_that_is_gone_is_said(void **state)
{
    struct pair p = open_pair();
    struct terminal t;
    (void)state;
    assert_int_equal(terminal_open(&t, p.program, p.program), 0);
    signal(SIGHUP, SIG_IGN);
    close(p.user);
    assert_int_equal(terminal_read_key(&t), TERMINAL_GONE);
    terminal_close(&t);
    close(p.program);
}

static void what_is_no_terminal_is_refused(void **state)
{
    struct terminal t;
    int ends[2];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_true(terminal_open(&t, ends[0], ends[1]) < 0);
    terminal_close(&t);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_terminal_is_given_back_as_it_was),
        cmocka_unit_test(a_signal_gives_it_back_before_it_ends_the_program),
        cmocka_unit_test(lines_that_do_not_fit_are_left_out),
        cmocka_unit_test(keys_are_told_by_their_sequences),
        cmocka_unit_test(a_terminal_that_is_gone_is_said),
        cmocka_unit_test(what_is_no_terminal_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
