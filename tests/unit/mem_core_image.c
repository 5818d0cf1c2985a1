/* mem_core_image.c - small cores, made here. SPDX-License-Identifier: Apache-2.0 */
#include "mem/mem_core.h"
#include "mem/mem_live.h"
#include "mem/modules.h"
#include "base/err.h"
#include "cmocka_all.h"
#include "emulated.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    STACK_AT = 0x10000,
    TEXT_AT = 0x20000,
    GAP_AT = 0x30000,
    VDSO_AT = 0x40000,
    VDSO_PAGES = 8, /* at most */
    TID = 4711,
};

/* A core: a writable piece with its bytes, a file's piece without them, a cut writable one, the
 * kernel's library. */
struct maker {
    unsigned char bytes[(5 + VDSO_PAGES) * PAGE];
    size_t len;
};

static void put(struct maker *m, const void *data, size_t len)
{
    memcpy(m->bytes + m->len, data, len);
    m->len += len;
}

static void put_note(struct maker *m, uint32_t type, const void *data, size_t len)
{
    Elf64_Nhdr head = {5, (Elf64_Word)len, type};
    put(m, &head, sizeof(head));
    put(m, "CORE\0\0\0", 8);
    put(m, data, len);
    m->len = (m->len + 3) & ~(size_t)3;
}

static void put_notes(struct maker *m, const char *mapped)
{
    unsigned char status[112 + 27 * 8] = {0};
    status[12] = 11; /* SIGSEGV */
    *(uint32_t *)(void *)(status + 32) = TID;
    ((uint64_t *)(void *)(status + 112))[16] = 0xabc;    /* rip */
    ((uint64_t *)(void *)(status + 112))[19] = STACK_AT; /* rsp */
    put_note(m, NT_PRSTATUS, status, sizeof(status));
    unsigned char info[128] = {11};
    *(uint64_t *)(void *)(info + 16) = 0xdead;
    put_note(m, NT_SIGINFO, info, sizeof(info));
    unsigned char files[1024] = {0};
    uint64_t *words = (uint64_t *)(void *)files;
    words[0] = 1;
    words[1] = PAGE;
    words[2] = TEXT_AT;
    words[3] = TEXT_AT + PAGE;
    words[4] = 1; /* the file's second page */
    strcpy((char *)files + 40, mapped);
    put_note(m, NT_FILE, files, 40 + strlen(mapped) + 1);
    const uint64_t auxv[] = {AT_SYSINFO_EHDR, VDSO_AT, AT_NULL, 0};
    put_note(m, NT_AUXV, auxv, sizeof(auxv));
}

/* This process's own, from where its maps have it. */
static const struct image_map *own_vdso(const struct mem_live *self)
{
    for (uint32_t i = 0; i < self->image.map_count; i++)
        if (strcmp(self->image.maps[i].path, IMAGE_VDSO) == 0)
            return &self->image.maps[i];
    fail_msg("this process has no such map");
    return NULL;
}

static size_t put_vdso(struct maker *m)
{
    struct mem_live self;
    assert_int_equal(mem_live_open(getpid(), &self), 0);
    const struct image_map *map = own_vdso(&self);
    size_t len = (size_t)(map->end - map->start);
    assert_in_range(len, PAGE, VDSO_PAGES * PAGE);
    put(m, (const void *)(uintptr_t)map->start, len);
    mem_live_close(&self);
    return len;
}

static void make(struct maker *m, const char *mapped)
{
    Elf64_Ehdr head = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                       .e_type = ET_CORE,
                       .e_machine = EM_X86_64,
                       .e_phoff = sizeof(head),
                       .e_phentsize = sizeof(Elf64_Phdr),
                       .e_phnum = 5};
    Elf64_Phdr parts[5] = {
        {.p_type = PT_NOTE, .p_offset = PAGE},
        {PT_LOAD, PF_R | PF_W, 2 * PAGE, STACK_AT, 0, PAGE, PAGE, 1},
        {PT_LOAD, PF_R | PF_X, 3 * PAGE, TEXT_AT, 0, 0, PAGE, 1},
        {PT_LOAD, PF_R | PF_W, 3 * PAGE, GAP_AT, 0, PAGE, PAGE, 1},
        {PT_LOAD, PF_R | PF_X, 4 * PAGE, VDSO_AT, 0, 0, 0, 1},
    };
    memset(m, 0, sizeof(*m));
    m->len = PAGE;
    put_notes(m, mapped);
    parts[0].p_filesz = m->len - PAGE;
    m->len = 4 * PAGE;
    parts[4].p_filesz = parts[4].p_memsz = put_vdso(m);
    memcpy(m->bytes, &head, sizeof(head));
    memcpy(m->bytes + sizeof(head), parts, sizeof(parts));
    memset(m->bytes + 2 * PAGE, 's', PAGE);
    memset(m->bytes + 3 * PAGE, 'g', PAGE);
}

static void write_file(const char *path, const void *bytes, size_t len)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, len), (ssize_t)len);
    close(fd);
}

static char folder[128], core_path[160], file_path[160];

static int set_up(void **state)
{
    unsigned char pages[2 * PAGE];
    (void)state;
    const char *temp = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%s/mem_core_XXXXXX", temp ? temp : P_tmpdir);
    if (!mkdtemp(folder))
        return -1;
    snprintf(core_path, sizeof(core_path), "%s/core", folder);
    snprintf(file_path, sizeof(file_path), "%s/libx.so", folder);
    memset(pages, '1', PAGE);
    memset(pages + PAGE, '2', PAGE);
    write_file(file_path, pages, sizeof(pages));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(core_path);
    unlink(file_path);
    return rmdir(folder);
}

static void open_cut(size_t len, const char *mapped, struct mem_core *core)
{
    struct maker *m = malloc(sizeof(*m));
    make(m, mapped);
    write_file(core_path, m->bytes, len != 0 ? len : m->len);
    free(m);
    assert_int_equal(mem_core_open(core_path, NULL, NULL, core), 0);
}

static void threads_and_the_signal_are_read(void **state)
{
    (void)state;
    struct mem_core core;
    open_cut(0, file_path, &core);
    assert_int_equal(core.image.thread_count, 1);
    assert_int_equal(core.image.threads[0].inner_tid, TID);
    assert_int_equal(core.image.threads[0].regs.pc, 0xabc);
    assert_int_equal(core.image.threads[0].regs.sp, STACK_AT);
    assert_int_equal(core.signal, 11);
    assert_int_equal(core.fault_addr, 0xdead);
    mem_core_close(&core);
}

static void pages_come_from_the_core_or_from_the_mapped_file(void **state)
{
    (void)state;
    struct mem_core core;
    char bytes[2];
    open_cut(0, file_path, &core);
    assert_int_equal(mem_read(&core.mem, STACK_AT + PAGE - 2, bytes, 2), 0);
    assert_memory_equal(bytes, "ss", 2);
    assert_int_equal(mem_read(&core.mem, TEXT_AT, bytes, 2), 0);
    assert_memory_equal(bytes, "22", 2);
    assert_int_equal(mem_read(&core.mem, STACK_AT + PAGE - 1, bytes, 2), -EFAULT);
    assert_int_equal(mem_read(&core.mem, 0, bytes, 2), -EFAULT);
    assert_int_equal(mem_read(&core.mem, UINT64_MAX - 1, bytes, 2), -EFAULT);
    mem_core_close(&core);
}

static void a_file_that_is_not_there_is_remembered(void **state)
{
    (void)state;
    struct mem_core core;
    char bytes[2];
    open_cut(0, "/nowhere/libx.so", &core);
    assert_int_equal(mem_read(&core.mem, TEXT_AT, bytes, 2), -EFAULT);
    assert_int_equal(core.files.count, 1);
    assert_string_equal(core.files.rows[0]->path, "/nowhere/libx.so");
    assert_true(core.files.rows[0]->wanted > 0);
    mem_core_close(&core);
}

static void a_writable_page_that_was_cut_off_is_not_invented(void **state)
{
    (void)state;
    struct mem_core core;
    char bytes[2];
    open_cut(3 * PAGE + 10, file_path, &core);
    assert_true(core.is_cut);
    assert_int_equal(mem_read(&core.mem, GAP_AT, bytes, 2), 0);
    assert_int_equal(mem_read(&core.mem, GAP_AT + 10, bytes, 2), -EFAULT);
    assert_int_equal(mem_read(&core.mem, TEXT_AT, bytes, 2), 0);
    mem_core_close(&core);
}

static void what_is_no_core_is_refused(void **state)
{
    (void)state;
    struct mem_core core;
    write_file(core_path, "no core at all, but long enough for a header of an ELF file, it is", 66);
    assert_int_equal(mem_core_open(core_path, NULL, NULL, &core), E_FORMAT);
    mem_core_close(&core);
    assert_int_equal(mem_core_open("/proc/self/exe", NULL, NULL, &core), E_UNSUPPORTED);
    mem_core_close(&core);
}

static void a_core_without_threads_is_refused(void **state)
{
    (void)state;
    struct mem_core core;
    struct maker *m = malloc(sizeof(*m));
    make(m, file_path);
    write_file(core_path, m->bytes, PAGE + 10);
    free(m);
    assert_int_equal(mem_core_open(core_path, NULL, NULL, &core), E_TRUNCATED);
    mem_core_close(&core);
}

/* More mappings than the header's 16 bits can count. Source: elf(5), PN_XNUM. */
static void the_number_of_many_pieces_stands_behind_them(void **state)
{
    (void)state;
    struct mem_core core;
    Elf64_Shdr first = {.sh_info = 5};
    char bytes[2];
    struct maker *m = malloc(sizeof(*m));
    make(m, file_path);
    Elf64_Ehdr *head = (Elf64_Ehdr *)(void *)m->bytes;
    head->e_phnum = PN_XNUM;
    head->e_shentsize = sizeof(first);
    head->e_shnum = 1;
    head->e_shoff = m->len;
    put(m, &first, sizeof(first));
    write_file(core_path, m->bytes, m->len);
    free(m);
    assert_int_equal(mem_core_open(core_path, NULL, NULL, &core), 0);
    assert_int_equal(core.elf.segment_count, 5);
    assert_int_equal(mem_read(&core.mem, STACK_AT, bytes, 2), 0);
    assert_memory_equal(bytes, "ss", 2);
    mem_core_close(&core);
}

/* `to` begins as the library of `vdso` does: its symbols are at the same distance. */
static void assert_code_is_known(struct image *image, uint64_t to, const struct image_map *vdso)
{
    struct modules modules;
    struct elf_file file;
    struct cfi_row row;
    const char *names[] = {"__vdso_clock_gettime", "__kernel_clock_gettime"}; /* x86-64, aarch64 */
    uint64_t of[2], address;
    assert_int_equal(elf_file_of_bytes((const void *)(uintptr_t)vdso->start,
                                       (size_t)(vdso->end - vdso->start), &file),
                     0);
    assert_int_equal(elf_file_symbols(&file, names, of, 2), 1);
    address = of[0] != 0 ? of[0] : of[1];
    modules_init(&modules, image);
    struct module *module = modules_find(&modules, to + address);
    assert_non_null(module);
    assert_string_equal(module->name, IMAGE_VDSO);
    assert_true(modules_row(module, to + address, &row));
    const struct elf_function *function = modules_function_at(module, to + address);
    assert_non_null(function);
    modules_done(&modules);
}

/* Its code is in no file: it is read out of the process, or out of the core. */
static void the_kernels_library_is_read_from_memory(void **state)
{
    (void)state;
    struct mem_live self;
    struct mem_core core;
    not_emulated("its vDSO is another, whose functions have no lengths");
    assert_int_equal(mem_live_open(getpid(), &self), 0);
    const struct image_map *vdso = own_vdso(&self);
    assert_code_is_known(&self.image, vdso->start, vdso);
    open_cut(0, file_path, &core);
    assert_code_is_known(&core.image, VDSO_AT, vdso);
    mem_core_close(&core);
    open_cut(4 * PAGE + 10, file_path, &core); /* most of it was cut off */
    assert_null(image_map_at(&core.image, VDSO_AT));
    mem_core_close(&core);
    mem_live_close(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_number_of_many_pieces_stands_behind_them),
        cmocka_unit_test(the_kernels_library_is_read_from_memory),
        cmocka_unit_test(threads_and_the_signal_are_read),
        cmocka_unit_test(pages_come_from_the_core_or_from_the_mapped_file),
        cmocka_unit_test(a_file_that_is_not_there_is_remembered),
        cmocka_unit_test(a_writable_page_that_was_cut_off_is_not_invented),
        cmocka_unit_test(what_is_no_core_is_refused),
        cmocka_unit_test(a_core_without_threads_is_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
