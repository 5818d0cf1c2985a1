/*
 * top_watch.c - see top_watch.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "top/top_watch.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/err.h"
#include "base/sink.h"
#include "command/cmd.h"
#include "command/say.h"
#include "command/terminal.h"
#include "command/textbuf.h"
#include "mem/mem_stop.h"
#include "safe/clock.h"
#include "top/top_jvm.h"
#include "top/top_list.h"
#include "top/top_write.h"

#define PATIENCE_NS ((uint64_t)5 * NS_PER_S)
#define OWED_NS (NS_PER_S / 100)

/* The time from which the JVM may be stopped again. */
static uint64_t look_due(const struct top_watch *w)
{
    return w->jvm ? w->looked_ns + top_jvm_pause_ns(w->jvm, 0) : 0;
}

/* The time of the next page. A page includes a look, so it waits until a look is allowed. But after
 * one very long stop, as on a busy machine, the page does not wait for a hundred times that
 * long. */
static uint64_t page_due(const struct top_watch *w, uint64_t wanted_ns)
{
    uint64_t look_ns = look_due(w), late_ns = wanted_ns + PATIENCE_NS;
    return wanted_ns > look_ns ? wanted_ns : look_ns < late_ns ? look_ns : late_ns;
}

/* The time of the first page after `began_ns`. It comes soon, so that the user sees a page. */
static uint64_t first_page(const struct top_watch *w, uint64_t began_ns)
{
    return began_ns + (w->interval_ns < NS_PER_S ? w->interval_ns : NS_PER_S);
}

/* The time of the next look; UINT64_MAX: no look before the page. */
static uint64_t next_look(const struct top_watch *w)
{
    if (!w->jvm || w->look_ns == 0)
        return UINT64_MAX;
    return w->looked_ns + top_jvm_pause_ns(w->jvm, w->look_ns);
}

/*
 * Looks at the threads and waits until a page may be made: at `wanted_ns`, or later if looks would
 * cost the JVM too much. Ends early if `fd` can be read (-1: nothing is read). Errors: 0: it is
 * time for a page; 1: `fd` can be read, or a signal came; -ESRCH: the JVM has ended.
 */
static int wait_for_page(struct top_watch *w, uint64_t wanted_ns, int fd)
{
    for (;;) {
        uint64_t now_ns = clock_monotonic_ns(), look_ns = next_look(w);
        uint64_t until_ns = page_due(w, wanted_ns);
        uint64_t next_ns = look_ns < until_ns ? look_ns : until_ns;
        uint64_t left_ns = next_ns > now_ns ? next_ns - now_ns : 0;
        /* Threads that were stopped too late stand still until they are released, so wait only
         * briefly. */
        if (mem_stop_owed() > 0 && left_ns > OWED_NS) {
            left_ns = OWED_NS;
            next_ns = now_ns + OWED_NS;
        }
        struct timespec left = clock_timespec(left_ns);
        struct pollfd input = {.fd = fd, .events = POLLIN};

        /* A signal ends the wait too: the terminal has changed. */
        if (ppoll(&input, 1, &left, NULL) != 0)
            return 1;
        if (next_ns == until_ns)
            return 0;
        if (next_ns != look_ns)
            continue;
        int error = top_jvm_look(w->jvm);
        if (error < 0)
            return error;
        w->looked_ns = clock_monotonic_ns();
    }
}

/* Waits until `fd` can be read or a signal comes, and does not read the JVM. Returns 1. */
static int wait_for_key(int fd)
{
    struct pollfd input = {.fd = fd, .events = POLLIN};
    while (poll(&input, 1, mem_stop_owed() > 0 ? (int)(OWED_NS / NS_PER_MS) : -1) == 0)
        ;
    return 1;
}

/* Makes a page. Errors: 0; -ESRCH: the JVM has ended; another -errno. */
static int turn(struct top_watch *w)
{
    bool may_stop = clock_monotonic_ns() >= look_due(w);
    int error = w->jvm ? top_jvm_turn(w->jvm, may_stop) : top_list_turn(w->list);
    if (may_stop)
        w->looked_ns = clock_monotonic_ns();
    return error;
}

/* Writes the page as text. */
static void put_text(struct top_watch *w, struct textbuf *t)
{
    if (w->jvm)
        top_write_text(t, &w->jvm->page, &w->choice);
    else
        top_write_text_list(t, w->list, &w->choice);
}

/* ---- one page after the other */

static int print_page(struct top_watch *w, struct sink *s, bool is_first)
{
    struct textbuf text = {0};
    if (w->is_json && w->jvm) {
        top_write_json(s, &w->jvm->page, &w->choice);
    } else if (w->is_json) {
        top_write_json_list(s, w->list, &w->choice);
    } else {
        if (!is_first)
            textbuf_char(&text, '\n');
        put_text(w, &text);
        textbuf_flush(&text, s);
    }
    int error = text.is_bad ? -ENOMEM : sink_flush(s);
    textbuf_done(&text);
    return error;
}

int top_watch_end(const struct top_watch *w, int error)
{
    const char *who = w->jvm ? w->jvm->word : "top";
    if (error == 0)
        return CMD_OK;
    if (error == -ESRCH)
        say("%s: the JVM has ended", who);
    else
        say("%s: %s", who, err_text(error));
    return error == -ESRCH ? CMD_OK : CMD_FAILED;
}

int top_watch_print(struct top_watch *w)
{
    struct sink s;
    int error = sink_init(&s, STDOUT_FILENO);
    if (error < 0)
        return top_watch_end(w, error);
    uint64_t next_ns = first_page(w, clock_monotonic_ns());
    for (uint32_t pages = 0; error == 0 && (w->count == 0 || pages < w->count); pages++) {
        while ((error = wait_for_page(w, next_ns, -1)) == 1)
            ;
        if (error == 0)
            error = turn(w);
        if (error == 0)
            error = print_page(w, &s, pages == 0);
        next_ns += w->interval_ns;
    }
    int failed = sink_done(&s);
    return top_watch_end(w, error < 0 ? error : failed);
}

/* ---- a terminal */

enum {
    FILTER_MAX = 64,
    /* Rows of a JVM's page before the threads, with the heads of the columns; and the row of
     * keys. */
    HEAD_ROWS = 8,
    KEYS_ROWS = 1,
    METHODS_SHARE = 4, /* at most this fraction of the rows is for methods */
    METHODS_MAX = 10,
};

struct view {
    struct top_watch *watch;
    struct terminal terminal;
    /* The filter in use, and the one that is being typed. */
    char filter[FILTER_MAX], typed[FILTER_MAX];
    uint32_t frames, count; /* the frames that the user asked for; the number of pages */
    bool has_page, has_methods;
    bool is_paused, is_typing, has_help, is_over;
};

static const char help[] =
    "hprof top: keys\n"
    "\n"
    "  q        end\n"
    "  p, blank pause: the JVM is left alone, and this page stays\n"
    "  P M N A  sort by CPU time, memory, number, name\n"
    "  /        show only what has a text in its name, state or frames; none: all\n"
    "  f        frames of threads: none, one, some\n"
    "  m        methods of running threads: with, without\n"
    "  arrows, Page Up, Page Down, Home\n"
    "           go down and up in a list that is longer than the screen\n"
    "  h, ?     this page; any key: back\n"
    "\n"
    "%CPU       100 is one processor\n"
    "ALLOC/s    bytes of objects that the thread allocates in a second\n"
    "S          R runs or waits for a processor, S sleeps, D waits for a device\n"
    "*          as of the last collection\n"
    "\n"
    "A look stops the JVM for as long as the head says, for a hundredth of the time\n"
    "at most. The manual page hprof-top(1) has more.\n";

/* Divides the rows of the screen between the parts of a page. */
static void divide(struct view *v)
{
    struct top_choice *choice = &v->watch->choice;
    uint32_t rows = v->terminal.rows, methods = 0, taken = HEAD_ROWS + KEYS_ROWS;
    if (v->has_methods && v->watch->jvm) {
        methods = rows / METHODS_SHARE < METHODS_MAX ? rows / METHODS_SHARE : METHODS_MAX;
        if (methods > v->watch->jvm->methods.count)
            methods = v->watch->jvm->methods.count;
        taken += methods + 2;
    }
    choice->columns = v->terminal.columns;
    choice->rows = rows > taken ? rows - taken : 1;
    choice->methods = methods;
}

/* Highlights the heads of the columns, which follow the first empty line. */
static void put_page(const struct view *v, struct textbuf *screen, const struct textbuf *page)
{
    const char *heads = page->len > 0 ? memmem(page->bytes, page->len, "\n\n", 2) : NULL;
    size_t before = heads ? (size_t)(heads - page->bytes) + 2 : page->len;
    const char *end = heads ? memchr(page->bytes + before, '\n', page->len - before) : NULL;
    size_t line = end ? (size_t)(end - page->bytes) - before : 0;
    textbuf_bytes(screen, page->bytes, before);
    if (!end)
        return;
    textbuf_text(screen, "\033[7m");
    textbuf_bytes(screen, page->bytes + before, line);
    if (line < v->terminal.columns)
        textbuf_fill(screen, ' ', v->terminal.columns - line);
    textbuf_text(screen, "\033[m");
    textbuf_bytes(screen, end, page->len - before - line);
}

static uint32_t lines_of(const struct textbuf *t)
{
    uint32_t lines = 0;
    for (size_t i = 0; i < t->len; i++)
        lines += t->bytes[i] == '\n';
    return lines;
}

/* The last row: the text that is being typed, or a list of keys. */
static void put_keys(const struct view *v, struct textbuf *screen)
{
    static const char keys[] =
        "q end  p pause  P cpu M mem N id A name  / filter  f frames  h help";
    if (v->is_typing) {
        textbuf_printf(screen, "show only what has: %s_", v->typed);
        return;
    }
    textbuf_text(screen, v->is_paused ? "\033[7mPAUSED\033[m " : "");
    if (v->filter[0] != '\0')
        textbuf_printf(screen, "[%s] ", v->filter);
    textbuf_printf(screen, "by %s  %s", top_choice_word(v->watch->choice.sort), keys);
}

/* Shows the page, cut to the screen, with the keys in the last row. */
static void paint(struct view *v)
{
    struct textbuf page = {0}, screen = {0};
    divide(v);
    if (v->has_help)
        textbuf_text(&page, help);
    else if (v->has_page)
        put_text(v->watch, &page);
    else
        textbuf_text(&page, "looking ...\n");
    if (v->has_help)
        textbuf_bytes(&screen, page.bytes, page.len);
    else
        put_page(v, &screen, &page);
    uint32_t lines = lines_of(&screen), room = v->terminal.rows - KEYS_ROWS;
    for (; lines > room; lines--) {
        /* Remove the line break, then the line before it. */
        screen.len--;
        while (screen.len > 0 && screen.bytes[screen.len - 1] != '\n')
            screen.len--;
    }
    textbuf_fill(&screen, '\n', room - lines);
    put_keys(v, &screen);
    terminal_paint(&v->terminal, screen.bytes, screen.len);
    textbuf_done(&page);
    textbuf_done(&screen);
}

static void type(struct view *v, int key)
{
    size_t len = strlen(v->typed);
    if (key == TERMINAL_ENTER) {
        memcpy(v->filter, v->typed, sizeof(v->filter));
        v->watch->choice.filter = v->filter[0] != '\0' ? v->filter : NULL;
        v->watch->choice.first = 0;
        v->is_typing = false;
    } else if (key == TERMINAL_ESCAPE) {
        v->is_typing = false;
    } else if (key == TERMINAL_BACKSPACE) {
        /* Remove all bytes of a character. */
        while (len > 0 && ((unsigned char)v->typed[len - 1] & 0xc0) == 0x80)
            len--;
        v->typed[len > 0 ? len - 1 : 0] = '\0';
    } else if (key >= ' ' && key < 0x100 && len + 1 < sizeof(v->typed)) {
        v->typed[len] = (char)key;
        v->typed[len + 1] = '\0';
    }
}

static void scroll(struct view *v, int key)
{
    struct top_choice *choice = &v->watch->choice;
    uint32_t step = key == TERMINAL_PAGE_UP || key == TERMINAL_PAGE_DOWN ? choice->rows : 1;

    uint32_t count = v->watch->jvm ? v->watch->jvm->page.count : v->watch->list->count;

    if (key == TERMINAL_DOWN || key == TERMINAL_PAGE_DOWN)
        choice->first += choice->first + step < count ? step : 0;
    else if (key == TERMINAL_HOME)
        choice->first = 0;
    else
        choice->first -= step < choice->first ? step : choice->first;
}

static void sort(struct view *v, enum top_choice_sort by)
{
    v->watch->choice.sort = by;
    v->watch->choice.first = 0;
}

static void change_frames(struct view *v)
{
    struct top_choice *choice = &v->watch->choice;
    choice->frames = choice->frames == 0 ? 1 : choice->frames < v->frames ? v->frames : 0;
}

static void do_key(struct view *v, int key)
{
    switch (key) {
    case 'q':
    case TERMINAL_GONE:
        v->is_over = true;
        break;
    case 'p':
    case ' ':
        v->is_paused = !v->is_paused;
        break;
    case 'P':
        sort(v, TOP_CHOICE_CPU);
        break;
    case 'M':
        sort(v, TOP_CHOICE_MEM);
        break;
    case 'N':
        sort(v, TOP_CHOICE_ID);
        break;
    case 'A':
        sort(v, TOP_CHOICE_NAME);
        break;
    case '/':
        memcpy(v->typed, v->filter, sizeof(v->typed));
        v->is_typing = true;
        break;
    case 'f':
        change_frames(v);
        break;
    case 'm':
        v->has_methods = !v->has_methods;
        break;
    case 'h':
    case '?':
        v->has_help = true;
        break;
    case TERMINAL_UP:
    case TERMINAL_DOWN:
    case TERMINAL_PAGE_UP:
    case TERMINAL_PAGE_DOWN:
    case TERMINAL_HOME:
        scroll(v, key);
        break;
    default:
        break;
    }
}

static void take_keys(struct view *v)
{
    for (int key; !v->is_over && (key = terminal_read_key(&v->terminal)) != TERMINAL_NONE;) {
        if (key == TERMINAL_GONE)
            v->is_over = true;
        else if (v->has_help)
            v->has_help = false;
        else if (v->is_typing)
            type(v, key);
        else
            do_key(v, key);
    }
    if (terminal_has_changed())
        terminal_measure(&v->terminal);
}

/* Waits for the time of a page or for keys. Errors: 0; as wait_for_page() and turn(). */
static int step(struct view *v, uint64_t *next_ns)
{
    /* During a pause only keys are awaited, and the JVM is not read. */
    int result =
        v->is_paused ? wait_for_key(STDIN_FILENO) : wait_for_page(v->watch, *next_ns, STDIN_FILENO);

    if (result < 0)
        return result;
    if (result == 1) {
        take_keys(v);
        return 0;
    }
    int error = turn(v->watch);
    if (error < 0)
        return error;
    v->has_page = true;
    v->count++;
    *next_ns = clock_monotonic_ns() + v->watch->interval_ns;
    return 0;
}

int top_watch_view(struct top_watch *w)
{
    struct view v = {.watch = w, .frames = w->choice.frames, .has_methods = w->choice.methods > 0};
    int error = terminal_open(&v.terminal, STDIN_FILENO, STDOUT_FILENO);
    if (error < 0) {
        say("top: the terminal cannot be used: %s", err_text(error));
        return CMD_FAILED;
    }
    if (w->choice.filter) {
        snprintf(v.filter, sizeof(v.filter), "%s", w->choice.filter);
        w->choice.filter = v.filter;
    }
    uint64_t next_ns = first_page(w, clock_monotonic_ns());
    while (error == 0 && !v.is_over && (w->count == 0 || v.count < w->count)) {
        paint(&v);
        error = step(&v, &next_ns);
    }
    terminal_close(&v.terminal);
    w->choice.filter = NULL;
    return top_watch_end(w, error);
}
