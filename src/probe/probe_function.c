/*
 * probe_function.c - see probe_function.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "probe/probe_function.h"
#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/libraryname.h"
#include "base/wildcard.h"
#include "command/demangle.h"
#include "elf/elf_file.h"
#include "probe/probe_sites.h"

enum {
    FUNCTIONS_MOST = 512, /* of one name */
    ARGUMENTS_MOST = 6,   /* that are passed in registers on every CPU that we know */
    PART = 256,
    TEXT = 512,
};

static const char entry_prefix[] = "uprobe:", return_prefix[] = "uretprobe:";

/* The parts of a name. */
struct asked {
    const char *text; /* the name as it was given */
    bool is_return;
    char library[PART], function[PART];
    char words[TEXT], args[2][TEXT]; /* for probe_hit_form(); args of x86-64 and of aarch64 */
};

static const struct {
    const char *name, *size, *mark;
} types[] = {
    {"long", "-8", ""},  {"int", "-4", ""},   {"ulong", "8", ""},   {"uint", "4", ""},
    {"short", "-2", ""}, {"ushort", "2", ""}, {"char", "-1", ""},   {"uchar", "1", ""},
    {"bool", "1", ""},   {"ptr", "8", ""},    {"str", "8", ":str"},
};

static const char types_wanted[] = "the type of an argument is long, int, short, char, ulong, "
                                   "uint, ushort, uchar, bool, ptr or str";

bool probe_function_is(const char *name)
{
    return strncmp(name, entry_prefix, sizeof(entry_prefix) - 1) == 0 ||
           strncmp(name, return_prefix, sizeof(return_prefix) - 1) == 0;
}

/* ---- the name */

static void add_text(char *to, size_t room, const char *text)
{
    size_t at = strlen(to);
    snprintf(to + at, room - at, "%s%s", at ? " " : "", text);
}

/* Add argument `i`, a type, with a name of `name_len` bytes. Returns whether there is such a type.
 */
static bool add_argument(struct asked *a, unsigned i, const char *name, size_t name_len,
                         const char *type, size_t type_len)
{
    static const char *const x86[] = {"rdi", "rsi", "rdx", "rcx", "r8", "r9"};
    char word[64];
    for (size_t t = 0; t < sizeof(types) / sizeof(*types); t++) {
        if (strlen(types[t].name) != type_len || strncmp(types[t].name, type, type_len) != 0)
            continue;
        snprintf(word, sizeof(word), "%.*s%s", (int)(name_len < 31 ? name_len : 31), name,
                 types[t].mark);
        add_text(a->words, sizeof(a->words), word);
        snprintf(word, sizeof(word), "%s@%%%s", types[t].size, a->is_return ? "rax" : x86[i]);
        add_text(a->args[0], sizeof(a->args[0]), word);
        snprintf(word, sizeof(word), "%s@x%u", types[t].size, i);
        add_text(a->args[1], sizeof(a->args[1]), word);
        return true;
    }
    return false;
}

static bool is_word(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    return len > 0;
}

/* Read "fd:int,name:str)", or of a return "int)". */
static bool take_arguments(struct asked *a, const char *at, const char **ret_why)
{
    unsigned i = 0;
    for (; *at && *at != ')'; i++) {
        size_t len = strcspn(at, ",)"), name = strcspn(at, ":,)");
        const char *type = name < len ? at + name + 1 : "long";
        size_t type_len = name < len ? len - name - 1 : strlen(type);
        if (a->is_return && name == len) {
            type = at;
            type_len = len;
        }
        *ret_why = a->is_return && i > 0 ? "a function returns one value: (int)"
                   : i == ARGUMENTS_MOST ? "at most 6 arguments"
                   : !is_word(at, name)  ? "arguments are named as in (fd:int,buf,size)"
                                         : types_wanted;
        if ((a->is_return && i > 0) || i == ARGUMENTS_MOST || !is_word(at, name) ||
            !add_argument(a, i, a->is_return ? "retval" : at, a->is_return ? 6 : name, type,
                          type_len))
            return false;
        at += len;
        at += *at == ',';
    }
    *ret_why = "a ) is wanted behind the arguments, and nothing behind it";
    return at[0] == ')' && at[1] == '\0';
}

static bool take_name(const char *name, struct asked *ret, const char **ret_why)
{
    *ret = (struct asked){.text = name, .is_return = name[1] == 'r'};
    const char *library =
        name + (ret->is_return ? sizeof(return_prefix) : sizeof(entry_prefix)) - 1;
    size_t len = strcspn(library, "(");
    /* the colons of a C++ name are double */
    const char *colon = strchr(library, ':');
    *ret_why = "LIBRARY:FUNCTION is wanted, as in uprobe:libc:read or uretprobe:libc:read(long)";
    if (!colon || colon == library || colon >= library + len || colon + 1 == library + len ||
        colon[1] == ':')
        return false;
    snprintf(ret->library, sizeof(ret->library), "%.*s", (int)(colon - library), library);
    snprintf(ret->function, sizeof(ret->function), "%.*s", (int)(library + len - colon - 1),
             colon + 1);
    *ret_why = "the name is too long";
    if ((size_t)(colon - library) >= PART || (size_t)(library + len - colon - 1) >= PART)
        return false;
    if (library[len] == '(')
        return take_arguments(ret, library + len + 1, ret_why);
    return !ret->is_return || add_argument(ret, 0, "retval", 6, "long", 4);
}

bool probe_function_check(const char *name, const char **ret_why)
{
    struct asked a;
    return take_name(name, &a, ret_why);
}

/* ---- where a return may be watched */

static bool matches(const char *pattern, const char *text)
{
    return wildcard_matches(pattern, strlen(pattern), text, strlen(text), false);
}

static bool is_go(const struct elf_file *f)
{
    struct elf_section section;
    for (unsigned i = 0; i < f->section_count; i++)
        if (elf_file_section(f, i, &section) == 0 && section.name &&
            (strcmp(section.name, ".gopclntab") == 0 ||
             strcmp(section.name, ".note.go.buildid") == 0))
            return true;
    return false;
}

/* Why no return in the whole file may be watched; NULL: they may. */
static const char *why_no_return_in(const struct probe_file *file)
{
    static const char *const unwinders[] = {"__cxa_throw", "__gxx_personality_v0",
                                            "_Unwind_RaiseException"};
    if (is_go(&file->elf))
        return "the library is made by Go, whose stacks move";
    for (size_t i = 0; i < sizeof(unwinders) / sizeof(*unwinders); i++)
        if (elf_file_has_dynamic(&file->elf, unwinders[i]))
            return "the library uses C++ exceptions, which would end the program there";
    return NULL;
}

static const char *why_no_return_of(const struct probe_file *file, const char *name)
{
    static const struct {
        const char *pattern, *why;
    } rows[] = {
#define NO_RETURN(pattern, why) {pattern, why},
#include "probe/probe_no_return.def"
#undef NO_RETURN
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (matches(rows[i].pattern, name))
            return rows[i].why;
    if (strcmp(file->name, "libjvm.so") == 0 && !elf_file_has_dynamic(&file->elf, name))
        return "libjvm.so does not export it, and the VM reads such return addresses itself";
    return NULL;
}

/* ---- the functions of a file */

struct search {
    struct probe_sites *s;
    const struct asked *asked;
    uint32_t file;
    const char *no_return; /* in the whole file */
    uint32_t found, usable;
    const char *why_not; /* the last one that is not usable */
};

/* The offset of an instruction in the file; UINT64_MAX: it is in no code of the file. */
static uint64_t offset_of(const struct elf_file *f, uint64_t addr)
{
    struct elf_segment segment;
    for (unsigned i = 0; i < f->segment_count; i++)
        if (elf_file_segment(f, i, &segment) == 0 && segment.type == PT_LOAD &&
            (segment.flags & PF_X) && addr >= segment.addr &&
            addr - segment.addr < segment.file_size)
            return addr - segment.addr + segment.offset;
    return UINT64_MAX;
}

static const char *keep(struct probe_sites *s, const char *text)
{
    size_t len = strlen(text) + 1;
    char *kept = arena_alloc(&s->texts, len);
    return kept ? memcpy(kept, text, len) : NULL;
}

/* Whether the function is already among the sites; if nobody has asked for it, this name does. */
static bool is_there(struct probe_sites *s, const struct probe_site *site)
{
    for (uint32_t i = 0; i < s->count; i++) {
        struct probe_site *other = &s->rows[i];
        if (other->kind != site->kind || other->file != site->file ||
            other->at.offset != site->at.offset)
            continue;
        if (!other->asked[0] && site->asked[0]) {
            other->asked = site->asked;
            other->words = site->words;
            other->at.args = site->at.args;
        }
        return true;
    }
    return false;
}

/* Add the entry or the return of a function. */
static int add_site(struct search *f, const struct elf_symbol *symbol, const char *name,
                    uint64_t offset, bool is_return)
{
    struct probe_sites *s = f->s;
    const struct probe_file *file = &s->files[f->file];
    char provider[PART];
    bool is_asked = is_return == f->asked->is_return;
    bool is_x86 = file->elf.machine == EM_X86_64;
    struct probe_site site = {.file = f->file,
                              .kind = is_return ? PROBE_SITE_RETURN : PROBE_SITE_ENTRY,
                              .asked = is_asked ? f->asked->text : "",
                              .at = {.offset = offset}};
    snprintf(provider, sizeof(provider), "%s%.200s", is_return ? return_prefix : entry_prefix,
             file->name);
    site.why_not = symbol->is_chosen_late ? "it is chosen when the program is loaded (IFUNC)"
                   : !file->is_certain
                       ? "the file on disk is not the one that runs, or has no build-id"
                   : !is_return   ? NULL
                   : f->no_return ? f->no_return
                                  : why_no_return_of(file, symbol->name);
    site.is_usable = !site.why_not;
    f->found += is_asked;
    f->usable += is_asked && site.is_usable;
    if (is_asked && site.why_not)
        f->why_not = site.why_not;
    site.at.provider = keep(s, provider);
    site.at.name = keep(s, name);
    site.words = is_asked ? keep(s, f->asked->words) : is_return ? "retval" : "";
    site.at.args = is_asked     ? keep(s, f->asked->args[is_x86 ? 0 : 1])
                   : !is_return ? ""
                   : is_x86     ? "-8@%rax"
                                : "-8@x0";
    if (!site.at.provider || !site.at.name || !site.words || !site.at.args)
        return -ENOMEM;
    return is_there(s, &site) ? 0 : probe_sites_add(s, &site);
}

/* Whether the symbol has the name that is asked for; *ret_name is what it is called then. */
static bool is_asked_for(const struct asked *a, const struct elf_symbol *symbol, char *name)
{
    char *owned = NULL;
    bool is_cxx = strstr(a->function, "::") != NULL, is_it;
    snprintf(name, PART, "%s", symbol->name);
    if (!is_cxx || strncmp(symbol->name, "_Z", 2) != 0 || strchr(symbol->name, '.'))
        return !is_cxx && symbol->name[0] && strlen(symbol->name) < PART &&
               matches(a->function, symbol->name);
    const char *readable = demangle(symbol->name, &owned);
    size_t len = demangle_without_parameters(readable);
    is_it = len < PART && wildcard_matches(a->function, strlen(a->function), readable, len, false);
    if (is_it)
        snprintf(name, PART, "%.*s", (int)len, readable);
    free(owned);
    return is_it;
}

static int look_at(void *arg, const struct elf_symbol *symbol)
{
    struct search *f = arg;
    char name[PART];
    if (!is_asked_for(f->asked, symbol, name))
        return 0;
    uint64_t offset = offset_of(&f->s->files[f->file].elf, symbol->value);
    if (offset == UINT64_MAX)
        return 0;
    if (f->found >= 2 * FUNCTIONS_MOST) /* a symbol of both tables comes twice */
        return E_LIMIT;
    int error = add_site(f, symbol, name, offset, false);
    return error ? error : add_site(f, symbol, name, offset, true);
}

static int say_why(char why[PROBE_FUNCTION_WHY], int error, const struct search *f, bool has_file)
{
    if (error == E_LIMIT)
        snprintf(why, PROBE_FUNCTION_WHY, "more than %d functions have this name; name fewer",
                 FUNCTIONS_MOST);
    else if (!has_file)
        snprintf(why, PROBE_FUNCTION_WHY, "the process has no file of this name mapped");
    else if (error == E_NOT_FOUND)
        snprintf(why, PROBE_FUNCTION_WHY, "the library has no symbol of such a function");
    else if (error == E_UNSUPPORTED)
        snprintf(why, PROBE_FUNCTION_WHY, "no probe may be put: %s", f->why_not);
    return error;
}

int probe_function_add(struct probe_sites *s, const char *name, char why[PROBE_FUNCTION_WHY])
{
    const struct image *image = &s->live.image;
    struct search f = {.s = s};
    struct asked asked;
    const char *wanted;
    bool has_file = false;
    int error = 0;
    why[0] = '\0';
    if (!take_name(name, &asked, &wanted)) /* probe_function_check() has said so */
        return E_SYNTAX;
    f.asked = &asked;
    for (uint32_t i = 0; i < image->map_count && !error; i++) {
        const struct image_map *map = &image->maps[i];
        if (map->offset != 0 || !libraryname_is(asked.library, strlen(asked.library), map->path) ||
            !probe_sites_is_first(s, map))
            continue;
        int file = probe_sites_file(s, map);
        if (file == E_NOT_FOUND)
            continue;
        if (file < 0)
            return file;
        has_file = true;
        f.file = (uint32_t)file;
        f.no_return = why_no_return_in(&s->files[file]);
        error = elf_file_each_symbol(&s->files[file].elf, false, look_at, &f);
    }
    probe_sites_sort(s);
    if (!error && f.found == 0)
        error = E_NOT_FOUND;
    else if (!error && f.usable == 0)
        error = E_UNSUPPORTED;
    return error ? say_why(why, error, &f, has_file) : 0;
}
