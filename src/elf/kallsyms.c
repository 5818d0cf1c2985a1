/*
 * kallsyms.c - see kallsyms.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "elf/kallsyms.h"
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "safe/search.h"

enum {
    TEXT_BYTES_MAX = 64 << 20,
    SYMBOLS_MAX = 1 << 20,
};

/* Whether the symbol only marks the end of the functions. Such marks have a function's letter. */
static bool is_mark(const char *name)
{
    return strcmp(name, "_etext") == 0 || strcmp(name, "_einittext") == 0;
}

/* Make a symbol of one line; its name stays in the line. Returns false if it is not a symbol. */
static bool parse_line(char *line, struct kallsyms_symbol *ret)
{
    char *at;
    ret->start = strtoull(line, &at, 16);
    if (ret->start == 0 || at[0] != ' ' || !at[1] || at[2] != ' ')
        return false;
    char letter = at[1], *name = at + 3, *module = strstr(name, "\t[");
    ret->module = NULL;
    if (module) {
        *module = '\0';
        module += 2;
        module[strcspn(module, "]")] = '\0';
        ret->module = module;
    }
    ret->name = strchr("tTwW", letter) && !is_mark(name) ? name : "";
    return true;
}

static int by_start(const void *left, const void *right)
{
    const struct kallsyms_symbol *l = left, *r = right;
    size_t l_len = strlen(l->name), r_len = strlen(r->name);
    if (l->start != r->start)
        return l->start < r->start ? -1 : 1;
    if (!l_len || !r_len)
        return !l_len && r_len ? -1 : l_len && !r_len;
    return l_len != r_len ? (l_len > r_len ? -1 : 1) : strcmp(r->name, l->name);
}

void kallsyms_parse(char *text, struct kallsyms *ret)
{
    struct kallsyms_symbol *list = NULL;
    uint32_t count = 0, room = 0;
    for (char *line = text, *next; *line && count < SYMBOLS_MAX; line = next) {
        next = strchrnul(line, '\n');
        if (*next)
            *next++ = '\0';
        if (count == room) {
            room = room ? room * 2 : 65536;
            struct kallsyms_symbol *more = reallocarray(list, room, sizeof(*list));
            if (!more)
                break;
            list = more;
        }
        count += parse_line(line, &list[count]);
    }
    *ret = (struct kallsyms){0};
    if (count == 0) {
        free(list);
        free(text);
        return;
    }
    qsort(list, count, sizeof(*list), by_start);
    *ret = (struct kallsyms){.list = list, .count = count};
}

/* Read the whole file; the text is NUL-terminated and malloc'ed. NULL: it cannot be read. */
static char *read_text(const char *path)
{
    size_t room = (size_t)1 << 20, len = 0;
    char *text = malloc(room);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = -1;
    while (fd >= 0 && text && (n = read(fd, text + len, room - len - 1)) > 0) {
        len += (size_t)n;
        if (room - len < 4096 && room < TEXT_BYTES_MAX) {
            char *more = realloc(text, room *= 2);
            if (!more)
                break;
            text = more;
        }
    }
    if (fd >= 0)
        close(fd);
    if (!text || n != 0) {
        free(text);
        return NULL;
    }
    text[len] = '\0';
    return text;
}

void kallsyms_read(const char *path, struct kallsyms *ret)
{
    char *text = read_text(path);
    *ret = (struct kallsyms){0};
    if (text)
        kallsyms_parse(text, ret);
}

const struct kallsyms_symbol *kallsyms_at(const struct kallsyms *k, uint64_t address)
{
    uint32_t upto = SEARCH_UPTO(k->list, k->count, start, address);
    return upto > 0 && k->list[upto - 1].name[0] ? &k->list[upto - 1] : NULL;
}
