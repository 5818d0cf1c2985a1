/*
 * query_edit.c - see query_edit.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "query/query_edit.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "base/plain.h"

enum {
    CTRL_A = 1,
    CTRL_B = 2,
    CTRL_C = 3,
    CTRL_D = 4,
    CTRL_E = 5,
    CTRL_F = 6,
    TAB = 9,
    CTRL_K = 11,
    CTRL_L = 12,
    CTRL_N = 14,
    CTRL_P = 16,
    CTRL_U = 21,
    CTRL_W = 23,
    SHOWN_MAX = 60, /* names that a second Tab lists */
    WORD = 256,
};

int query_edit_init(struct query_edit *e, int in, int out, query_edit_namer *namer, void *with)
{
    *e = (struct query_edit){.terminal = {.in = in, .out = out}, .namer = namer, .with = with};
    if (!isatty(in) || !isatty(out) || tcgetattr(in, &e->terminal.before) < 0)
        return -ENOTTY;
    e->line = calloc(1, QUERY_EDIT_LINE);
    return e->line ? 0 : -ENOMEM;
}

void query_edit_done(struct query_edit *e)
{
    for (size_t i = 0; i < e->history_count; i++)
        free(e->history[i]);
    free(e->line);
    *e = (struct query_edit){.terminal = {.in = -1}};
}

/* ---- the screen */

static void put(const struct query_edit *e, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t n = write(e->terminal.out, text, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        text += n;
        len -= (size_t)n;
    }
}

static bool begins_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

/* Shows the line again: as much in front of the cursor as fits, then what is behind it. */
static void paint(struct query_edit *e)
{
    terminal_measure(&e->terminal);
    size_t prompt = strlen(e->prompt), room = e->terminal.columns;
    room = room > prompt + 2 ? room - prompt - 1 : 1;
    size_t from = e->at, to = e->at, columns = 0, shown;
    while (from > 0 && columns < room)
        columns += begins_character(e->line[--from]);
    for (shown = columns; to < e->len; to++) {
        shown += begins_character(e->line[to]);
        if (shown > room)
            break;
    }
    char move[64];
    put(e, "\r", 1);
    put(e, e->prompt, prompt);
    put(e, e->line + from, to - from);
    put(e, "\x1b[K\r", 4);
    int len = snprintf(move, sizeof(move), "\x1b[%zuC", prompt + columns);
    put(e, move, (size_t)len);
}

/* ---- editing */

static void delete_from(struct query_edit *e, size_t from, size_t to)
{
    memmove(e->line + from, e->line + to, e->len - to + 1);
    e->len -= to - from;
    e->at = from;
}

static void insert(struct query_edit *e, const char *text, size_t len)
{
    if (e->len + len + 1 > QUERY_EDIT_LINE)
        return;
    memmove(e->line + e->at + len, e->line + e->at, e->len - e->at + 1);
    memcpy(e->line + e->at, text, len);
    e->len += len;
    e->at += len;
}

static size_t before(const struct query_edit *e)
{
    size_t at = e->at;
    while (at > 0 && !begins_character(e->line[--at]))
        ;
    return at;
}

static size_t behind(const struct query_edit *e)
{
    size_t at = e->at < e->len ? e->at + 1 : e->len;
    while (at < e->len && !begins_character(e->line[at]))
        at++;
    return at;
}

static void show_old(struct query_edit *e, size_t number)
{
    const char *text = number < e->history_count ? e->history[number] : "";
    e->history_at = number;
    e->len = e->at = 0;
    e->line[0] = '\0';
    insert(e, text, strlen(text));
}

static size_t word_begin(const struct query_edit *e)
{
    size_t at = e->at;
    while (at > 0 && e->line[at - 1] == ' ')
        at--;
    while (at > 0 && e->line[at - 1] != ' ')
        at--;
    return at;
}

/* ---- completion */

static bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '#' || c == '$' || (unsigned char)c >= 0x80;
}

static bool needs_quotes(const char *name)
{
    for (const char *c = name; *c != '\0'; c++)
        if (!is_of_name(*c) || *c == '.' || *c == '#' || *c == '$')
            return *c != '(';
    return *name == '\0';
}

static bool is_plain(const char *name)
{
    size_t odd, len = strlen(name);
    return plain_run(name, len, &odd) == len && !strchr(name, '"');
}

/* The names that begin with a word. */
struct found {
    const char *word;
    size_t len, count, common; /* `common`: bytes in which all agree */
    char first[WORD];
};

static bool fits(const struct found *f, const char *name)
{
    return strncasecmp(name, f->word, f->len) == 0 && strlen(name) < WORD && is_plain(name);
}

static void find(struct query_edit *e, struct found *f)
{
    const char *name;
    for (size_t i = 0; (name = e->namer(e->with, i)) != NULL; i++) {
        if (!fits(f, name) || (f->count > 0 && strcmp(name, f->first) == 0))
            continue;
        if (f->count++ == 0) {
            snprintf(f->first, sizeof(f->first), "%s", name);
            f->common = strlen(name);
        }
        while (strncmp(name, f->first, f->common) != 0)
            f->common--;
    }
}

/* Lists the names below the line. */
static void list(struct query_edit *e, const struct found *f)
{
    const char *name;
    size_t shown = 0;
    put(e, "\r\n", 2);
    for (size_t i = 0; (name = e->namer(e->with, i)) != NULL && shown < SHOWN_MAX; i++)
        if (fits(f, name)) {
            put(e, name, strlen(name));
            put(e, "  ", 2);
            shown++;
        }
    if (f->count > shown)
        put(e, "...", 3);
    put(e, "\r\n", 2);
}

static void complete(struct query_edit *e)
{
    size_t begin = e->at;
    while (begin > 0 && is_of_name(e->line[begin - 1]))
        begin--;
    bool is_quoted = begin > 0 && e->line[begin - 1] == '"';
    char word[WORD];
    snprintf(word, sizeof(word), "%.*s", (int)(e->at - begin), e->line + begin);
    struct found f = {.word = word, .len = strlen(word)};
    if (e->namer && begin + f.len == e->at)
        find(e, &f);
    if (f.count == 0)
        return;
    if (f.count > 1 && f.common <= f.len) {
        if (e->was_tab)
            list(e, &f);
        e->was_tab = true;
        return;
    }
    bool wants_quotes = !is_quoted && needs_quotes(f.first);
    delete_from(e, begin, e->at);
    if (wants_quotes)
        insert(e, "\"", 1);
    insert(e, f.first, f.common);
    if (f.count == 1 && (wants_quotes || is_quoted) && e->line[e->at] != '"')
        insert(e, "\"", 1);
}

/* ---- keys */

static void edit(struct query_edit *e, int key)
{
    char c = (char)key;
    switch (key) {
    case CTRL_A:
    case TERMINAL_HOME:
        e->at = 0;
        break;
    case CTRL_E:
    case TERMINAL_END:
        e->at = e->len;
        break;
    case CTRL_B:
    case TERMINAL_LEFT:
        e->at = before(e);
        break;
    case CTRL_F:
    case TERMINAL_RIGHT:
        e->at = behind(e);
        break;
    case TERMINAL_BACKSPACE:
        delete_from(e, before(e), e->at);
        break;
    case CTRL_D:
    case TERMINAL_DELETE:
        delete_from(e, e->at, behind(e));
        break;
    case CTRL_K:
        delete_from(e, e->at, e->len);
        break;
    case CTRL_U:
        delete_from(e, 0, e->at);
        break;
    case CTRL_W:
        delete_from(e, word_begin(e), e->at);
        break;
    case CTRL_P:
    case TERMINAL_UP:
        if (e->history_at > 0)
            show_old(e, e->history_at - 1);
        break;
    case CTRL_N:
    case TERMINAL_DOWN:
        if (e->history_at < e->history_count)
            show_old(e, e->history_at + 1);
        break;
    default:
        if (key >= ' ' && key < 0x100)
            insert(e, &c, 1);
    }
}

bool query_edit_key(struct query_edit *e, int key)
{
    if (key == TERMINAL_ENTER)
        return false;
    if (key == TAB) {
        complete(e);
        return true;
    }
    e->was_tab = false;
    edit(e, key);
    return true;
}

const char *query_edit_read(struct query_edit *e, const char *prompt, bool *ret_is_cancelled)
{
    struct termios raw = e->terminal.before;
    bool is_ended = false;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG | IEXTEN);
    raw.c_iflag &= ~(tcflag_t)(IXON | ICRNL);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    *ret_is_cancelled = false;
    e->prompt = prompt;
    e->len = e->at = 0;
    e->line[0] = '\0';
    e->history_at = e->history_count;
    e->was_tab = false;
    if (tcsetattr(e->terminal.in, TCSADRAIN, &raw) < 0)
        return NULL;
    for (;;) {
        paint(e);
        int key = terminal_wait_key(&e->terminal);
        is_ended = key == TERMINAL_NONE || key == TERMINAL_GONE || (key == CTRL_D && e->len == 0);
        *ret_is_cancelled = key == CTRL_C;
        if (key == CTRL_L)
            put(e, "\x1b[H\x1b[2J", 7);
        if (is_ended || *ret_is_cancelled || !query_edit_key(e, key))
            break;
    }
    put(e, "\r\n", 2);
    tcsetattr(e->terminal.in, TCSADRAIN, &e->terminal.before);
    if (*ret_is_cancelled)
        e->line[0] = '\0';
    return is_ended ? NULL : e->line;
}

void query_edit_remember(struct query_edit *e, const char *line)
{
    if (*line == '\0' ||
        (e->history_count > 0 && strcmp(e->history[e->history_count - 1], line) == 0))
        return;
    if (e->history_count == QUERY_EDIT_HISTORY) {
        free(e->history[0]);
        memmove(e->history, e->history + 1, (QUERY_EDIT_HISTORY - 1) * sizeof(*e->history));
        e->history_count--;
    }
    e->history[e->history_count] = strdup(line);
    e->history_count += e->history[e->history_count] != NULL;
}
