/*
 * annotate.c - see annotate.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/annotate.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/plain.h"
#include "command/diag_say.h"
#include "command/outfile.h"
#include "command/say.h"
#include "profile/profile.h"
#include "profile/series.h"
#include "reading/load.h"
#include "report/report_text.h"
#include "report/source.h"

enum {
    AROUND = 5,  /* lines around a method */
    SHADES = 10, /* steps of colour */
    LINKS = 10,  /* links to hot lines */
};

static void put_escaped(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '&' || *text == '<' || *text == '>')
            fprintf(out, "&#%d;", *text);
        else
            putc(*text, out);
    }
}

static void put_share(FILE *out, uint64_t value, uint64_t whole, const char *before)
{
    if (value)
        fprintf(out, "%s%6.2f%%", before, report_text_percent(value, whole));
    else
        fprintf(out, "%s       ", before);
}

static bool is_wanted(const struct source *s, int32_t line)
{
    return !s->is_method || s->first == 0 ||
           (line >= s->first - AROUND && line <= s->last + AROUND);
}

static bool is_hotter(const struct source *s, int32_t line, int32_t than)
{
    if (s->self[line] != s->self[than])
        return s->self[line] > s->self[than];
    return s->total[line] > s->total[than];
}

/* Finds the lines with the largest values, the largest first. Returns how many. */
static int find_hottest(const struct source *s, int32_t ret[LINKS])
{
    int count = 0;
    for (int32_t line = 1; line < SOURCE_LINES; line++) {
        int at = count;
        if (!s->total[line] || !is_wanted(s, line))
            continue;
        while (at > 0 && is_hotter(s, line, ret[at - 1]))
            at--;
        if (at == LINKS)
            continue;
        count += count < LINKS;
        memmove(ret + at + 1, ret + at, (size_t)(count - at - 1) * sizeof(*ret));
        ret[at] = line;
    }
    return count;
}

/* Links to the hot lines, because a file is long and its first lines seldom matter. */
static void put_links(FILE *out, const struct source *s)
{
    int32_t lines[LINKS];
    int count = find_hottest(s, lines);
    if (count == 0)
        return;
    fputs("<nav aria-label=\"lines that have most\">most is in line", out);
    for (int i = 0; i < count; i++) {
        fprintf(out, "%s <a href=\"#L%d\">%d</a>", i ? "," : "", lines[i], lines[i]);
        if (s->self[lines[i]])
            put_share(out, s->self[lines[i]], s->whole, "");
    }
    fputs("</nav>\n", out);
}

/* The page runs no script and loads nothing. */
static void put_head(FILE *out, const struct source *s, const char *words, int32_t misfit)
{
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'\">\n<title>",
          out);
    put_escaped(out, s->path);
    fputs("</title>\n<style>\n"
          ":root { color-scheme: light dark; }\n"
          "body { font: 13px/1.45 ui-monospace, monospace; margin: 0; }\n"
          "h1 { font-size: 1.1em; padding: .4em .6em; margin: 0; overflow-wrap: anywhere; }\n"
          "nav, p { padding: 0 .6em .4em; margin: 0; }\n"
          "table { border-collapse: collapse; }\n"
          "th { position: sticky; top: 0; background: Canvas; }\n"
          "tr { scroll-margin-top: 8em; }\n"
          "tr:target td { outline: 1px solid; outline-offset: -1px; }\n"
          "td, th { text-align: right; padding: 0 .6em; white-space: pre; }\n"
          "td:last-child, th:last-child { text-align: left; tab-size: 4; }\n",
          out);
    for (int i = 1; i <= SHADES; i++)
        fprintf(out, ".h%d { background: rgb(230 60 20 / %d%%); }\n", i, 5 * i);
    fputs("</style>\n</head>\n<body>\n<h1>", out);
    put_escaped(out, s->path);
    fputs("</h1>\n", out);
    if (misfit)
        fprintf(out,
                "<p>This source is of another version than the program that was measured: "
                "<a href=\"#L%d\">line %d</a> has nothing that was measured.</p>\n",
                misfit, misfit);
    put_links(out, s);
    fprintf(out,
            "<table>\n<thead><tr><th scope=\"col\">self</th><th scope=\"col\">total</th>"
            "<th scope=\"col\">line</th><th scope=\"col\">%s: %llu in all</th></tr></thead>\n"
            "<tbody>\n",
            words, (unsigned long long)s->whole);
}

/* The shade of a line: a line with half of the whole or more has the last shade. */
static int shade_of(uint64_t self, uint64_t whole)
{
    double share = self ? report_text_percent(self, whole) * 2 / 100 * SHADES : 0;
    return share > SHADES - 1 ? SHADES : (int)share + 1;
}

static void put_html_line(FILE *out, const struct source *s, int32_t line, const char *text)
{
    if (s->self[line])
        fprintf(out, "<tr class=\"h%d\" id=\"L%d\">", shade_of(s->self[line], s->whole), line);
    else
        fprintf(out, "<tr id=\"L%d\">", line);
    put_share(out, s->self[line], s->whole, "<td>");
    put_share(out, s->total[line], s->whole, "</td><td>");
    fprintf(out, "</td><td>%d</td><td>", line);
    put_escaped(out, text);
    fputs("</td></tr>\n", out);
}

static void put_text_line(FILE *out, const struct source *s, int32_t line, const char *text)
{
    put_share(out, s->self[line], s->whole, "");
    put_share(out, s->total[line], s->whole, " ");
    fprintf(out, " %6d  ", line);
    for (size_t len = strlen(text), odd = 0; len > 0; len -= odd) {
        size_t n = plain_run(text, len, &odd);
        fwrite(text, 1, n, out);
        if (odd)
            putc(text[n] == '\t' ? '\t' : '?', out);
        text += n + odd;
        len -= n;
    }
    putc('\n', out);
}

/* Prints the file at `path`: the whole file, or the lines around a method that was named. `words`
 * name the value: "samples". `misfit` is the line that source_fit() returned; 0: none. Errors: 0;
 * -errno: the file cannot be read. */
static int put_file(FILE *out, const struct source *s, const char *path, const char *words,
                    int32_t misfit, bool as_html)
{
    FILE *in = fopen(path, "re");
    char *text = NULL;
    size_t room = 0;
    if (!in)
        return -errno;
    if (as_html) {
        put_head(out, s, words, misfit);
    } else {
        say_clean(out, path);
        fprintf(out, "\n%s: %llu in all\n   self   total   line\n", words,
                (unsigned long long)s->whole);
    }
    for (int32_t line = 1; line < SOURCE_LINES && getline(&text, &room, in) >= 0; line++) {
        text[strcspn(text, "\r\n")] = '\0';
        if (is_wanted(s, line))
            (as_html ? put_html_line : put_text_line)(out, s, line, text);
    }
    if (as_html)
        fputs("</tbody>\n</table>\n</body>\n</html>\n", out);
    free(text);
    int r = ferror(in) ? -EIO : 0;
    fclose(in);
    return r;
}

/* ---- the profile, the file and the output */

static int put(const struct annotate *s, const struct source *source, const char *file,
               const struct series *series, FILE *out)
{
    const struct kind_value *type = &kind_all[series->kind]->values[series->value];
    int32_t misfit = source_fit(source, file);
    int r =
        misfit < 0 ? misfit : put_file(out, source, file, type->words, misfit, s->output != NULL);
    if (r == 0 && misfit > 0)
        say("report: '%s' is of another version than the program that was measured: line %d has "
            "nothing there that was measured",
            file, misfit);
    if (r < 0)
        say("report: cannot read '%s': %s", file, strerror(-r));
    return r;
}

/* If writing fails, the incomplete page is removed. */
static int put_page(const struct annotate *s, const struct source *source, const char *file,
                    const struct series *series)
{
    struct outfile to;
    int r = outfile_open("report", s->output, &to);
    if (r < 0)
        return r;
    int fd = dup(to.file.fd);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    r = out ? put(s, source, file, series, out) : -errno;
    bool is_bad = !out || ferror(out);
    if ((out && fclose(out) != 0) || is_bad) {
        say("report: cannot write '%s'", s->output);
        r = -EIO;
    }
    if (!out && fd >= 0)
        close(fd);
    return outfile_close(&to, r);
}

static const struct series *find_series(const struct annotate *s, struct profile *p)
{
    for (const struct series *each = series_next_in(NULL, p); each; each = series_next_in(each, p))
        if (!s->series || s->series == each)
            return each;
    say("%s: has no %s", s->profile, s->series ? s->series->word : "counts");
    return NULL;
}

static int find_and_show(const struct annotate *s, struct profile *p, struct source *source)
{
    const struct series *series = find_series(s, p);
    char *file = NULL;
    if (!series)
        return E_NOT_FOUND;
    int r = source_read(source, p, series->kind, series->value, s->what);
    if (r == E_NOT_FOUND)
        say("%s: nothing of '%s' was measured; name a method as the tables have it, a class, or a "
            "file like Main.java",
            s->profile, s->what);
    else if (r == E_UNSUPPORTED)
        say("%s: has no lines of '%s'; was it recorded with lineno=n?", s->profile, s->what);
    else if (r < 0)
        say("%s: %s", s->profile, err_text(r));
    if (r < 0)
        return r;
    r = source_find(s->folders, s->folder_count, source->path, &file);
    if (r < 0)
        say("report: '%s' is not below the folders of --source, nor one level deeper",
            source->path);
    else
        r = s->output ? put_page(s, source, file, series) : put(s, source, file, series, stdout);
    free(file);
    return r;
}

int annotate_show(const struct annotate *s)
{
    struct load load;
    struct source source = {0};
    int r = load_open(s->profile, s->how, diag_say(), &load);
    if (r == 0)
        r = find_and_show(s, load.profile, &source);
    if (r == 0 && load.damaged)
        r = E_FORMAT;
    source_done(&source);
    load_close(&load);
    return r;
}
