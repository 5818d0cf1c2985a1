/*
 * record.c - see record.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "record.h"
#include "hotspot/layout.h"
#include "hotspot/vmtables.h"
#include "walkimage.h"
#include "safe/hs_names.h"
#include "safe/mem_self.h"
#include "safe/walk_vm.h"
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WALKS_MAX = 12,
    WALKS_OF_A_TRUST = 3,
    BLOCKS_MAX = 4096,
    FRAMES_MAX = 64,
    SYMBOLS_MAX = 32,
};

static struct walk_record {
    uint64_t thread;
    struct regs regs;
    int has_regs, count;
    struct walk_frame frames[FRAMES_MAX];
    struct walkimage_blocks blocks;
    struct walkimage_block list[BLOCKS_MAX];
    uint32_t slots[BLOCKS_MAX * 2];
} walks[WALKS_MAX];
static uint32_t walk_count;
static int of_trust[8];

static const struct hotspot *vm;
static struct walkimage_blocks layout_blocks;
static unsigned char elf[16384];
static size_t elf_len;

/* The symbols that layout.c looks up besides those of the tables. */
static const char *const other_symbols[] = {
    "_ZN17ContinuationEntry10_return_pcE",
    "_ZN12StubRoutines19_cont_returnBarrierE",
};

/* A small ELF file with a symbol table and nothing else. */
static void make_elf(void)
{
    const char *names[SYMBOLS_MAX];
    uint64_t values[SYMBOLS_MAX];
    unsigned count = 0;
    for (int i = 0; i < VMTABLES_SYMBOL_COUNT; i++)
        names[count++] = vmtables_symbols[i];
    for (unsigned i = 0; i < sizeof(other_symbols) / sizeof(*other_symbols); i++)
        names[count++] = other_symbols[i];
    elf_file_symbols(&vm->libjvm, names, values, count);
    Elf64_Ehdr head = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_DYN,
        .e_machine = vm->libjvm.machine,
        .e_version = EV_CURRENT,
        .e_shoff = sizeof(head),
        .e_ehsize = sizeof(head),
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = 3};
    Elf64_Shdr sections[3] = {{.sh_type = SHT_NULL}};
    size_t symbols_at = sizeof(head) + sizeof(sections),
           at = symbols_at + count * sizeof(Elf64_Sym);
    sections[1] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                               .sh_offset = symbols_at,
                               .sh_size = count * sizeof(Elf64_Sym),
                               .sh_entsize = sizeof(Elf64_Sym),
                               .sh_link = 2};
    size_t strings_at = at++;
    for (unsigned i = 0; i < count; i++) {
        Elf64_Sym symbol = {.st_name = (uint32_t)(at - strings_at),
                            .st_shndx = values[i] != 0 ? 1 : SHN_UNDEF,
                            .st_value = values[i]};
        memcpy(elf + symbols_at + i * sizeof(symbol), &symbol, sizeof(symbol));
        memcpy(elf + at, names[i], strlen(names[i]) + 1);
        at += strlen(names[i]) + 1;
    }
    sections[2] =
        (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = strings_at, .sh_size = at - strings_at};
    memcpy(elf, &head, sizeof(head));
    memcpy(elf + sizeof(head), sections, sizeof(sections));
    elf_len = at;
}

int record_open(const struct hotspot *h)
{
    struct hs_layout layout;
    struct elf_file small;
    const char *missing;
    vm = h;
    make_elf();
    walkimage_init(&layout_blocks, &mem_self,
                   calloc(WALKIMAGE_BLOCKS_MAX, sizeof(struct walkimage_block)),
                   WALKIMAGE_BLOCKS_MAX, calloc(WALKIMAGE_BLOCKS_MAX * 2, sizeof(uint32_t)));
    return elf_file_of_bytes(elf, elf_len, &small) == 0 &&
           layout_load(&layout_blocks.mem, &small, h->bias, LAYOUT_walk | LAYOUT_names, &layout,
                       &missing) == 0;
}

void record_walk(uint64_t thread, const struct regs *regs, const struct walk_frame *frames,
                 int count)
{
    int trust = frames[0].flags & 7;
    bool cut;
    if (!vm || count < 3 || count > FRAMES_MAX || of_trust[trust] >= WALKS_OF_A_TRUST)
        return;
    uint32_t i = __atomic_fetch_add(&walk_count, 1, __ATOMIC_RELAXED);
    if (i >= WALKS_MAX)
        return;
    struct walk_record *w = &walks[i];
    of_trust[trust]++;
    walkimage_init(&w->blocks, &mem_self, w->list, BLOCKS_MAX, w->slots);
    w->thread = thread;
    w->has_regs = regs != NULL;
    if (regs)
        w->regs = *regs;
    const struct hs_memory memory = {.mem = &w->blocks.mem, .layout = &vm->layout};
    w->count = walk_vm_thread(&memory, thread, regs, NULL, w->frames, FRAMES_MAX, &cut);
    /* the names as well */
    static char text[4096];
    struct mem_view v = {.mem = &w->blocks.mem};
    for (int k = 0; k < w->count; k++) {
        struct hs_method_symbols s;
        uint64_t lines;
        if (hs_method_symbols(&v, &vm->layout, w->frames[k].method, &s)) {
            hs_method_symbol_text(&v, &vm->layout, s.class_name, text, sizeof(text));
            hs_method_symbol_text(&v, &vm->layout, s.name, text, sizeof(text));
            hs_method_symbol_text(&v, &vm->layout, s.signature, text, sizeof(text));
            if (s.source_file != 0)
                hs_method_symbol_text(&v, &vm->layout, s.source_file, text, sizeof(text));
            hs_method_line_table(&v, &vm->layout, w->frames[k].method, 8192, &lines);
        }
    }
}

static void write_blocks(FILE *f, const struct walkimage_blocks *b)
{
    fwrite(&b->count, 4, 1, f);
    for (uint32_t i = 0; i < b->count; i++) {
        fwrite(&b->list[i].addr, 8, 1, f);
        fwrite(b->list[i].bytes, WALKIMAGE_BLOCK, 1, f);
    }
}

static void write_walk(FILE *f, struct walk_record *w, struct hs_names *names)
{
    uint32_t has_regs = (uint32_t)w->has_regs, count = (uint32_t)w->count;
    struct mem_view v = {.mem = &w->blocks.mem};
    struct hs_names_visit visit;
    w->blocks.source = NULL; /* the texts must come from what was recorded */
    hs_names_enter(names, &v, &visit);
    fwrite(&w->thread, 8, 1, f);
    fwrite(&has_regs, 4, 1, f);
    fwrite(&w->regs, sizeof(w->regs), 1, f);
    write_blocks(f, &w->blocks);
    fwrite(&count, 4, 1, f);
    for (uint32_t i = 0; i < count; i++) {
        char text[1024] = "?";
        struct hs_names_method m;
        uint32_t index = hs_names_find(&visit, &v, w->frames[i].method);
        if (hs_names_get(names, index, &m))
            snprintf(text, sizeof(text), "%.*s.%.*s %.*s:%d", (int)m.class_name_len, m.class_name,
                     (int)m.name_len, m.name, (int)m.signature_len, m.signature,
                     hs_names_line(names, index, w->frames[i].bci));
        uint16_t len = (uint16_t)strlen(text);
        fwrite(&w->frames[i].method, 8, 1, f);
        fwrite(&w->frames[i].bci, 4, 1, f);
        fwrite(&w->frames[i].kind, 1, 1, f);
        fwrite(&w->frames[i].level, 1, 1, f);
        fwrite(&len, 2, 1, f);
        fwrite(text, len, 1, f);
    }
}

int record_write(const char *path)
{
    struct hs_names names;
    uint32_t count = 0, len = (uint32_t)elf_len;
    size_t bytes = 4 << 20;
    FILE *f = fopen(path, "w");
    if (!f)
        return -1;
    fwrite(WALKIMAGE_MAGIC, 8, 1, f);
    fwrite(&vm->bias, 8, 1, f);
    fwrite(&len, 4, 1, f);
    fwrite(elf, elf_len, 1, f);
    write_blocks(f, &layout_blocks);
    for (uint32_t i = 0; i < walk_count && i < WALKS_MAX; i++)
        count += walks[i].count > 0;
    fwrite(&count, 4, 1, f);
    for (uint32_t i = 0; i < walk_count && i < WALKS_MAX; i++) {
        hs_names_init(&names, &vm->layout, calloc(1, bytes), bytes);
        if (walks[i].count > 0)
            write_walk(f, &walks[i], &names);
    }
    return fclose(f) == 0 ? 0 : -1;
}
