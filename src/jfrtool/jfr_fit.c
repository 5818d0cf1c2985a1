/*
 * jfr_fit.c - see jfr_fit.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_fit.h"
#include <string.h>
#include "jfrtool/jfr_printer.h"

/* A column that is cut still has room for one character and the dots. */
enum { LEAST = 4 };
static const char dots[] = "...";
enum { DOTS = sizeof(dots) - 1 };

static bool begins_character(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

size_t jfr_fit_length(const char *text, size_t len)
{
    size_t count = 0;
    for (size_t i = 0; i < len; i++)
        count += begins_character(text[i]);
    return count;
}

size_t jfr_fit_longest(const char *text)
{
    size_t longest = 0;
    for (size_t len; *text != '\0'; text += len + (text[len] == '\n')) {
        len = strcspn(text, "\n");
        size_t count = jfr_fit_length(text, len);
        longest = count > longest ? count : longest;
    }
    return longest;
}

/* The number of bytes of the first `count` characters. */
static size_t bytes_of(const char *text, size_t len, size_t count)
{
    size_t at = 0;
    while (at < len && count > 0) {
        do
            at++;
        while (at < len && !begins_character(text[at]));
        count--;
    }
    return at;
}

/* The width of all columns if no column that may be cut is wider than `most`. */
static size_t total(const size_t *widths, const bool *keeps, uint32_t count, size_t most)
{
    size_t sum = (count - (size_t)1) * JFR_FIT_GAP;
    for (uint32_t i = 0; i < count; i++)
        sum += (keeps && keeps[i]) || widths[i] < most ? widths[i] : most;
    return sum;
}

size_t jfr_fit_widths(const struct jfr_fit *l, size_t *widths, const bool *keeps, uint32_t count)
{
    size_t low = LEAST, high = l->width;
    if (l->width == 0 || count == 0 || total(widths, keeps, count, SIZE_MAX) <= l->width)
        return 0;
    size_t needed = total(widths, keeps, count, LEAST);
    if (needed > l->width)
        return needed;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;
        if (total(widths, keeps, count, middle) <= l->width)
            low = middle;
        else
            high = middle - 1;
    }
    size_t rest = l->width - total(widths, keeps, count, low);
    for (uint32_t i = 0; i < count; i++)
        if (!(keeps && keeps[i]) && widths[i] > low) {
            widths[i] = low + (rest > 0);
            rest -= rest > 0;
        }
    return 0;
}

/* In "pkg.Type.method(A, B)", the place of the parenthesis; 0: the text is not a method. */
static size_t arguments_at(const char *text, size_t len)
{
    const char *open = memchr(text, '(', len);
    if (!open || text[len - 1] != ')' || memchr(text, ' ', (size_t)(open - text)))
        return 0;
    return (size_t)(open - text);
}

/* Writes a text without line ends, cut to `room` characters; `room` is at least LEAST. */
static void put_cut(const struct jfr_fit *l, struct textbuf *to, const char *text, size_t len,
                    size_t room)
{
    static const char any_arguments[] = "(...)";
    size_t count = jfr_fit_length(text, len), open = count > room ? arguments_at(text, len) : 0;
    size_t start = to->len;
    if (open > 0) {
        textbuf_bytes(to, text, open);
        textbuf_text(to, any_arguments);
        count = jfr_fit_length(text, open) + sizeof(any_arguments) - 1;
    } else {
        textbuf_bytes(to, text, len);
    }
    if (count <= room || to->is_bad)
        return;
    size_t kept = room - DOTS;
    char *from = to->bytes + start;
    len = to->len - start;
    if (!l->cuts_beginning) {
        to->len = start + bytes_of(from, len, kept);
        textbuf_text(to, dots);
        return;
    }
    /* Cut a little more, because the dots take room too. */
    size_t at = bytes_of(from, len, count - kept);
    memmove(from + DOTS, from + at, len - at);
    memcpy(from, dots, DOTS);
    to->len = start + DOTS + len - at;
}

/* Writes the lines of a cell, each with a line end: the lines of the text itself, or pieces of a
 * text that continues from line to line. */
static void put_lines(const struct jfr_fit *l, struct textbuf *to, const char *text, size_t width,
                      uint32_t lines)
{
    size_t start = to->len;
    if (strchr(text, '\n')) {
        for (size_t len; *text != '\0' && lines > 0; lines--) {
            len = strcspn(text, "\n");
            put_cut(l, to, text, len, width);
            textbuf_char(to, '\n');
            text += len + (text[len] == '\n');
        }
        return;
    }
    put_cut(l, to, text, strlen(text), width * lines);
    for (uint32_t i = 1; i <= lines && !to->is_bad; i++) {
        size_t len = bytes_of(to->bytes + start, to->len - start, width);
        bool is_last = start + len == to->len;
        start += len;
        textbuf_char(to, '\n');
        if (is_last || to->is_bad)
            return;
        memmove(to->bytes + start + 1, to->bytes + start, to->len - start - 1);
        to->bytes[start++] = '\n';
    }
}

static uint32_t height(const struct jfr_fit *l)
{
    return l->cell_height > 0 ? l->cell_height : 1;
}

/* Writes the next line of a cell and moves *at after it. The lines of the cell end with NUL.
 * Returns whether more lines follow. */
static bool put_line(struct jfr_printer *o, const char **at, size_t width, bool is_right,
                     bool is_last)
{
    size_t len = strcspn(*at, "\n"), count = jfr_fit_length(*at, len),
           blanks = count < width ? width - count : 0;
    textbuf_fill(&o->text, ' ', is_right ? blanks : 0);
    jfr_printer_plain(o, *at, len);
    if (!is_last)
        textbuf_fill(&o->text, ' ', (is_right ? 0 : blanks) + JFR_FIT_GAP);
    *at += len + ((*at)[len] == '\n');
    return **at != '\0';
}

/* Writes a row in which nothing is cut and each cell is one line. */
static const char *put_whole(struct jfr_printer *o, const char *cell, const size_t *widths,
                             const bool *is_right, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        size_t len = strlen(cell), blanks = len < widths[i] ? widths[i] - len : 0;
        bool is_number = is_right && is_right[i];
        textbuf_fill(&o->text, ' ', is_number ? blanks : 0);
        jfr_printer_plain(o, cell, len);
        if (i + 1 < count)
            textbuf_fill(&o->text, ' ', (is_number ? 0 : blanks) + JFR_FIT_GAP);
        cell += len + 1;
    }
    textbuf_char(&o->text, '\n');
    return cell;
}

const char *jfr_fit_row(const struct jfr_fit *l, struct jfr_printer *o, const char *cells,
                        const size_t *widths, const bool *is_right, uint32_t count)
{
    struct textbuf lines = {0};
    const char *cell = cells;
    bool goes_on = count > 0;
    if (l->width == 0)
        return put_whole(o, cells, widths, is_right, count);
    for (uint32_t i = 0; i < count; i++, cell += strlen(cell) + 1) {
        put_lines(l, &lines, cell, widths[i], height(l));
        textbuf_char(&lines, '\0');
    }
    while (goes_on && !lines.is_bad) {
        const char *next = lines.bytes;
        size_t left = 0;
        goes_on = false;
        for (uint32_t i = 0; i < count; i++) {
            const char *at = next;
            goes_on |= put_line(o, &at, widths[i], is_right && is_right[i], i + 1 == count);
            next = at + strlen(at) + 1;
            /* Move the rest of each cell together, one after the other. */
            memmove(lines.bytes + left, at, (size_t)(next - at));
            left += (size_t)(next - at);
        }
        textbuf_char(&o->text, '\n');
    }
    o->text.is_bad |= lines.is_bad;
    textbuf_done(&lines);
    return cell;
}

void jfr_fit_text(const struct jfr_fit *l, struct jfr_printer *o, const char *text, size_t width,
                  uint32_t lines, size_t indent)
{
    struct textbuf made = {0};
    put_lines(l, &made, text, width < LEAST ? LEAST : width, lines);
    textbuf_char(&made, '\0');
    for (const char *at = made.is_bad ? NULL : made.bytes; at && *at != '\0';) {
        size_t len = strcspn(at, "\n");
        textbuf_fill(&o->text, ' ', at == made.bytes ? 0 : indent);
        jfr_printer_plain(o, at, len);
        textbuf_char(&o->text, '\n');
        at += len + (at[len] == '\n');
    }
    o->text.is_bad |= made.is_bad;
    textbuf_done(&made);
}

void jfr_fit_refuse(const struct jfr_fit *l, struct jfr_printer *o, size_t needed)
{
    textbuf_printf(&o->text, "Too many columns for a width of %u: they need %zu.\n", l->width,
                   needed);
}
