/*
 * source.c - see source.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/source.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "command/beside.h"
#include "format/idmap.h"
#include "profile/profile.h"
#include "profile/sums.h"

/* How `what` matches a method. */
enum match { MATCH_NONE, MATCH_FILE, MATCH_METHOD };

static const char *text_of(struct profile *p, string_id id)
{
    return id ? profile_string_at(p, id)->bytes : "";
}

/* The path of a class: com/example/Main.java for com.example.Main$Inner, whether or not the file
 * Main.java is known. Returns 0; -ENOMEM. */
static int path_of(struct profile *p, const struct profile_method *m, char **ret_path)
{
    const char *klass = text_of(p, m->klass ? profile_class_at(p, m->klass)->name : 0);
    const char *source = text_of(p, m->source), *last = strrchr(klass, '.');
    const char *name = last ? last + 1 : klass;
    int package = (int)(name - klass), outer = (int)strcspn(name, "$/");
    int r = *source != '\0' ? asprintf(ret_path, "%.*s%s", package, klass, source)
                            : asprintf(ret_path, "%.*s%.*s.java", package, klass, outer, name);
    if (r < 0)
        return -ENOMEM;
    for (int i = 0; i < package; i++)
        if ((*ret_path)[i] == '.')
            (*ret_path)[i] = '/';
    return 0;
}

/* Whether `text` is `end`, or ends in it after one of the characters `parts`. */
static bool ends_in(const char *text, const char *end, const char *parts)
{
    size_t len = strlen(text), end_len = strlen(end);
    return len >= end_len && strcmp(text + len - end_len, end) == 0 &&
           (len == end_len || strchr(parts, text[len - end_len - 1]));
}

static enum match match(struct profile *p, const struct profile_method *m, const char *path,
                        const char *what)
{
    const char *klass = text_of(p, m->klass ? profile_class_at(p, m->klass)->name : 0);
    char *name = NULL;
    enum match found =
        ends_in(path, what, "/") || ends_in(klass, what, ".$") ? MATCH_FILE : MATCH_NONE;
    if (found == MATCH_NONE && asprintf(&name, "%s.%s", klass, text_of(p, m->name)) >= 0 &&
        ends_in(name, what, ".$"))
        found = MATCH_METHOD;
    free(name);
    return found;
}

/* Arrays by method: its file, and whether it was named. */
struct look {
    struct profile *p;
    char **paths;
    unsigned char *matches;
    uint64_t *values; /* the sum of all stacks with the method */
    uint32_t count;
};

static void look_done(struct look *l)
{
    for (uint32_t i = 0; l->paths && i <= l->count; i++)
        free(l->paths[i]);
    free(l->paths);
    free(l->matches);
    free(l->values);
}

static int look_init(struct look *l, struct profile *p, const char *what)
{
    uint32_t count = profile_method_count(p);
    *l = (struct look){.p = p,
                       .paths = calloc(count + (size_t)1, sizeof(*l->paths)),
                       .matches = calloc(count + (size_t)1, 1),
                       .values = calloc(count + (size_t)1, sizeof(*l->values)),
                       .count = count};
    if (!l->paths || !l->matches || !l->values)
        return -ENOMEM;
    for (method_id id = 1; id <= count; id++) {
        const struct profile_method *m = profile_method_at(p, id);
        if (m->klass && path_of(p, m, &l->paths[id]) < 0)
            return -ENOMEM;
        if (l->paths[id])
            l->matches[id] = (unsigned char)match(p, m, l->paths[id], what);
    }
    return 0;
}

/* The named method with the largest value; 0: none was measured. */
static method_id find_best(struct look *l, const struct sums *sums, uint32_t value)
{
    method_id best = 0;
    for (uint32_t i = 1; i <= sums->rows.count; i++) {
        const struct sum *sum = sums_at(sums, i);
        const struct profile_trace *trace = profile_trace_at(l->p, sum->trace);
        for (uint32_t k = 0; k < trace->depth; k++)
            l->values[profile_frame_at(l->p, trace->frames[k])->method] += sum->value[value];
    }
    for (method_id id = 1; id <= l->count; id++)
        if (l->matches[id] && l->values[id] > (best ? l->values[best] : 0))
            best = id;
    return best;
}

static void count_line(struct source *s, const struct look *l, const struct profile_frame *f,
                       uint64_t value, bool is_innermost, bool is_first)
{
    s->self[f->line] += is_innermost ? value : 0;
    s->total[f->line] += is_first ? value : 0;
    if (l->matches[f->method] != MATCH_METHOD)
        return;
    if (s->first == 0 || f->line < s->first)
        s->first = f->line;
    if (f->line > s->last)
        s->last = f->line;
}

/* Whether a source line that calls the method contains its name. The VM calls some methods itself.
 * The compiler calls others for code that is written differently, such as `append` for '+'. */
static bool is_written(const char *name)
{
    static const char *const others[] = {
        "access$",  "append",  "addSuppressed", "check",    "close",   "equals", "find", "get",
        "hashCode", "hasNext", "invoke",        "iterator", "lambda$", "link",   "load", "make",
        "next",     "ordinal", "run",           "toString", "valueOf", "values"};
    size_t len = strlen(name);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (strncmp(name, others[i], strlen(others[i])) == 0)
            return false;
    return len > 0 && !strpbrk(name, "$<") && (len < 5 || strcmp(name + len - 5, "Value") != 0);
}

static int note_call(struct source *s, struct profile *p, int32_t line, frame_id callee,
                     struct idmap *known)
{
    const struct profile_frame *f = profile_frame_at(p, callee);
    string_id name = profile_method_at(p, f->method)->name;
    uint64_t key = (uint64_t)line << 32 | name;
    if (!frame_kind_is_java(f->kind) || !name || idmap_get(known, key) ||
        !is_written(profile_string_at(p, name)->bytes))
        return 0;
    idmap_put(known, key, 1);
    if (s->call_count == s->call_room) {
        size_t room = s->call_room ? s->call_room * 2 : 64;
        struct source_call *calls = reallocarray(s->calls, room, sizeof(*calls));
        if (!calls)
            return -ENOMEM;
        s->calls = calls;
        s->call_room = room;
    }
    s->calls[s->call_count++] = (struct source_call){line, profile_string_at(p, name)->bytes};
    return idmap_error(known);
}

/* `seen` holds, for each line, the row that was counted last. */
static int count_row(struct source *s, const struct look *l, const struct sum *sum, uint64_t value,
                     uint32_t row, uint32_t *seen, struct idmap *known)
{
    const struct profile_trace *trace = profile_trace_at(l->p, sum->trace);
    int r = 0;
    for (uint32_t i = 0; i < trace->depth && r == 0; i++) {
        const struct profile_frame *f = profile_frame_at(l->p, trace->frames[i]);
        if (f->line <= 0 || f->line >= SOURCE_LINES || !l->paths[f->method] ||
            strcmp(l->paths[f->method], s->path) != 0)
            continue;
        count_line(s, l, f, value, i == 0, seen[f->line] != row);
        seen[f->line] = row;
        r = i > 0 ? note_call(s, l->p, f->line, trace->frames[i - 1], known) : 0;
    }
    return r;
}

static int read_lines(struct source *s, struct look *l, const struct sums *sums, uint32_t value,
                      method_id best)
{
    uint32_t *seen = calloc(SOURCE_LINES, sizeof(*seen));
    struct idmap known;
    idmap_init(&known);
    s->path = strdup(l->paths[best]);
    s->self = calloc(SOURCE_LINES, sizeof(*s->self));
    s->total = calloc(SOURCE_LINES, sizeof(*s->total));
    s->is_method = l->matches[best] == MATCH_METHOD;
    s->whole = sums->total[value];
    int r = seen && s->path && s->self && s->total ? 0 : -ENOMEM;
    for (uint32_t i = 1; r == 0 && i <= sums->rows.count; i++)
        r = count_row(s, l, sums_at(sums, i), sums_at(sums, i)->value[value], i, seen, &known);
    idmap_done(&known);
    free(seen);
    return r == 0 && source_hottest(s) == 0 ? E_UNSUPPORTED : r;
}

int source_read(struct source *s, struct profile *p, enum kind_id kind, uint32_t value,
                const char *what)
{
    const struct sums *sums = profile_sums(p, kind);
    struct look l;
    int r = look_init(&l, p, what);
    *s = (struct source){0};
    method_id best = r == 0 ? find_best(&l, sums, value) : 0;
    if (r == 0)
        r = best ? read_lines(s, &l, sums, value, best) : E_NOT_FOUND;
    look_done(&l);
    return r;
}

void source_done(struct source *s)
{
    free(s->path);
    free(s->self);
    free(s->total);
    free(s->calls);
    *s = (struct source){0};
}

int32_t source_hottest(const struct source *s)
{
    int32_t best = 0;
    for (int32_t line = s->is_method && s->first ? s->first : 1; line < SOURCE_LINES; line++) {
        if (s->is_method && s->last && line > s->last)
            break;
        if (s->self[line] > s->self[best] ||
            (s->self[line] == s->self[best] && s->total[line] > s->total[best]))
            best = line;
    }
    return best;
}

/* Whether the file is below the folder; the links of both are resolved. */
static bool is_below(const char *folder, const char *file)
{
    size_t len = strlen(folder);
    return strncmp(file, folder, len) == 0 && (file[len] == '/' || strcmp(folder, "/") == 0);
}

static int find_at(const char *folder, const char *below, const char *path, char **ret_file)
{
    char *asked = NULL;
    int r = asprintf(&asked, "%s/%s/%s", folder, below, path) < 0 ? -ENOMEM : 0;
    if (r < 0)
        return r;
    r = beside_readable(asked) == 0 ? 0 : -ENOENT;
    char *file = r == 0 ? realpath(asked, NULL) : NULL, *real = realpath(folder, NULL);
    if (file && real)
        r = is_below(real, file) ? 0 : -ENOENT;
    else if (r == 0)
        r = -errno;
    if (r == 0)
        *ret_file = file;
    else
        free(file);
    free(real);
    free(asked);
    return r;
}

/* Looks in the folder itself, then in each of its folders. */
static int find_in(const char *folder, const char *path, char **ret_file)
{
    int r = find_at(folder, ".", path, ret_file);
    DIR *all = r == -ENOENT ? opendir(folder) : NULL;
    for (const struct dirent *below; all && r == -ENOENT && (below = readdir(all)) != NULL;)
        if (below->d_name[0] != '.')
            r = find_at(folder, below->d_name, path, ret_file);
    if (all)
        closedir(all);
    return r;
}

/* The path comes from a file of others, and the folder may have links. So no path may lead out of
 * the folder. */
int source_find(const char *const *folders, size_t count, const char *path, char **ret_file)
{
    int r = -ENOENT;
    if (*path == '/' || strstr(path, ".."))
        return r;
    for (size_t i = 0; i < count && r == -ENOENT; i++)
        r = find_in(folders[i], path, ret_file);
    return r;
}

/* ---- whether a file is the one that was compiled
 *
 * A compiler gives no line number to a comment, an import or an empty line. If the profile has
 * values in such a line, or after the end of the file, the file is of another version. The file is
 * also of another version if most lines that called methods do not contain their names. A file of
 * another version that looks the same passes. */

static bool is_word(const char *text, const char *word)
{
    size_t len = strlen(word);
    return strncmp(text, word, len) == 0 && (text[len] == ' ' || text[len] == '\t');
}

/* The state at the beginning or end of a line. */
enum within { WITHIN_CODE, WITHIN_COMMENT, WITHIN_TEXT };

static const char *behind(const char *text, const char *end)
{
    const char *found = strstr(text, end);
    return found ? found + strlen(end) : NULL;
}

/* The first code in a line. NULL: the line has only blanks and comments; the last comment may
 * continue in the next line. */
static const char *find_code(const char *text, enum within *within)
{
    while (text) {
        if (*within == WITHIN_COMMENT && !(text = behind(text, "*/")))
            return NULL;
        *within = WITHIN_CODE;
        text += strspn(text, " \t\r\n\f");
        if (*text == '\0' || strncmp(text, "//", 2) == 0)
            return NULL;
        if (strncmp(text, "/*", 2) != 0)
            return text;
        text += 2;
        *within = WITHIN_COMMENT;
    }
    return NULL;
}

/* The state at the end of a line that begins with code. */
static enum within end_of(const char *text)
{
    while (text && *text != '\0') {
        if (strncmp(text, "//", 2) == 0)
            return WITHIN_CODE;
        if (strncmp(text, "/*", 2) == 0) {
            if (!(text = behind(text + 2, "*/")))
                return WITHIN_COMMENT;
        } else if (strncmp(text, "\"\"\"", 3) == 0) {
            if (!(text = behind(text + 3, "\"\"\"")))
                return WITHIN_TEXT;
        } else if (*text == '"' || *text == '\'') {
            char quote = *text++;
            while (*text != '\0' && *text != quote)
                text += *text == '\\' && text[1] != '\0' ? 2 : 1;
            text += *text != '\0';
        } else {
            text++;
        }
    }
    return WITHIN_CODE;
}

/* Whether a line has code. *within is the state before the line, and then the state after it. */
static bool has_code(const char *text, enum within *within)
{
    if (*within == WITHIN_TEXT) {
        const char *rest = behind(text, "\"\"\"");
        *within = rest ? end_of(rest) : WITHIN_TEXT;
        return true;
    }
    text = find_code(text, within);
    if (text)
        *within = end_of(text);
    return text && !is_word(text, "import") && !is_word(text, "package");
}

static bool is_part_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static bool names(const char *text, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at += len)
        if ((at == text || !is_part_of_name(at[-1])) && !is_part_of_name(at[len]))
            return true;
    return false;
}

/* Marks the calls whose line contains the name of the method. A call has the line of its
 * parenthesis. Source: javac, Gen.visitApply(). */
static void mark_calls(const struct source *s, int32_t line, const char *text, bool *is_named)
{
    for (size_t i = 0; i < s->call_count; i++)
        if (s->calls[i].line == line)
            is_named[i] = names(text, s->calls[i].name);
}

/* The first line that does not contain the name of the method that it calls, if this is true for
 * most calls; 0: it is true for few. */
static int32_t find_unnamed(const struct source *s, const bool *is_named)
{
    size_t missing = 0;
    int32_t line = 0;
    for (size_t i = 0; i < s->call_count; i++) {
        missing += !is_named[i];
        if (!is_named[i] && (line == 0 || s->calls[i].line < line))
            line = s->calls[i].line;
    }
    return missing * 2 > s->call_count ? line : 0;
}

int32_t source_fit(const struct source *s, const char *path)
{
    FILE *in = fopen(path, "re");
    bool *is_named = calloc(s->call_count + 1, sizeof(*is_named));
    enum within within = WITHIN_CODE;
    int32_t line = 1, found = 0;
    char *text = NULL;
    size_t room = 0;
    if (!in || !is_named) {
        found = in ? -ENOMEM : -errno;
        goto out;
    }
    for (; line < SOURCE_LINES && getline(&text, &room, in) >= 0; line++) {
        if (!has_code(text, &within) && s->total[line] && found == 0)
            found = line;
        mark_calls(s, line, text, is_named);
    }
    for (; line < SOURCE_LINES && found == 0; line++)
        if (s->total[line])
            found = line;
    if (found == 0)
        found = find_unnamed(s, is_named);
out:
    free(is_named);
    free(text);
    if (in)
        fclose(in);
    return found;
}
