/*
 * vm_shared.c - see vm_shared.h.
 *
 * The note is written in assembler because C cannot express the distance of two addresses as a
 * constant.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vm/vm_shared.h"
#include <elf.h>
#include <link.h>
#include <string.h>
#include "base/err.h"
#include "elf/elf_note.h"

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
#define NOTE_TYPE 0x687001

_Static_assert(NOTE_TYPE == VM_SHARED_NOTE, "the assembler below knows no enum");

struct vm_shared vm_shared_own = {
    .version = VM_SHARED_VERSION,
    .bytes = sizeof(struct vm_shared),
    .lock = PTHREAD_MUTEX_INITIALIZER,
};

/* The parts of an ELF note: length of the owner's name with its final 0, length of the description,
 * type, name, description. Source: ELF gABI chapter 5. */
__asm__(".pushsection .note.hprof, \"a\", %note\n"
        ".balign 4\n"
        ".long 6, 8, " TEXT(NOTE_TYPE) "\n"
                                       ".asciz \"hprof\"\n"
                                       ".balign 4\n"
                                       "9: .quad vm_shared_own - 9b\n"
                                       ".popsection\n");

static struct vm_shared *block;
static int library_number;
static pthread_once_t block_once = PTHREAD_ONCE_INIT, library_once = PTHREAD_ONCE_INIT;

/* The block that a note of a loaded library leads to, or NULL. */
static struct vm_shared *block_of(const struct elf_note *note)
{
    struct vm_shared *found;
    int64_t distance;
    if (!elf_note_is(note, "hprof", VM_SHARED_NOTE) || note->len != sizeof(distance))
        return NULL;
    memcpy(&distance, note->data, sizeof(distance));
    found = (struct vm_shared *)((uintptr_t)note->data + (uintptr_t)distance);
    return found->version == VM_SHARED_VERSION && found->bytes == sizeof(*found) ? found : NULL;
}

static int look_at_object(struct dl_phdr_info *info, size_t size, void *ret)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const unsigned char *bytes =
            (const unsigned char *)((uintptr_t)info->dlpi_addr + (uintptr_t)segment->p_vaddr);
        struct elf_note note;
        struct vm_shared *found;
        uint64_t at = 0;
        if (segment->p_type != PT_NOTE)
            continue;
        while (elf_note_read(bytes, segment->p_memsz, at, &note, &at)) {
            found = block_of(&note);
            if (found) {
                *(struct vm_shared **)ret = found;
                return 1; /* the iteration ends */
            }
        }
    }
    return 0;
}

static void find_block(void)
{
    block = &vm_shared_own;
    dl_iterate_phdr(look_at_object, &block);
}

struct vm_shared *vm_shared_block(void)
{
    pthread_once(&block_once, find_block);
    return block;
}

static void take_number(void)
{
    struct vm_shared *b = vm_shared_block();
    pthread_mutex_lock(&b->lock);
    library_number = b->libraries < VM_SHARED_LIBRARIES ? (int)b->libraries++ : (int)E_LIMIT;
    pthread_mutex_unlock(&b->lock);
}

int vm_shared_library(void)
{
    pthread_once(&library_once, take_number);
    return library_number;
}
