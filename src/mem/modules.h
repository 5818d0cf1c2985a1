/*
 * modules.h - the libraries and programs of an image: which one holds an address, its functions,
 * its call frame information.
 *
 * A file is opened when the first address in it is asked for. If a file is missing, its frames have
 * no names, and no row leads from them to a caller.
 * Context of everything here: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "elf/eh_frame.h"
#include "elf/elf_functions.h"
#include "mem/image.h"

struct module {
    const struct image_map *map; /* the first map of the file */
    const char *name;            /* last part of the path */
    uint64_t bias;               /* addresses in the image less addresses in the file */
    struct elf_file file;
    unsigned char *copy; /* copy of the memory that is the file; NULL: the file is mapped */
    struct eh_frame frames;
    int error, has_frames;
    struct elf_functions functions;
};

struct modules {
    struct image *image;
    struct module **rows;
    uint32_t count;
};

void modules_init(struct modules *m, struct image *image);
void modules_done(struct modules *m);

/** The module that holds `pc`. NULL: the code belongs to no file, or there is no memory. */
struct module *modules_find(struct modules *m, uint64_t pc);

/** Find the row of the frame at `pc` (for a return address: address less 1). Returns 1, or 0. */
int modules_row(struct module *module, uint64_t pc, struct cfi_row *ret_row);

/** The function that holds `pc`; NULL: the file does not name it. */
const struct elf_function *modules_function_at(struct module *module, uint64_t pc);
