/*
 * walkfile.h - a file of tests/data/walk, read into memory: see tests/jdk/walker/walkimage.h.
 * A file that is not as it should be ends the program. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "../jdk/walker/walkimage.h"
#include "elf/elf_file.h"
#include "safe/walk.h"

enum { WALKFILE_FRAMES_MAX = 64 };

struct walkfile_frame {
    struct walk_frame frame;
    char text[1100];
};

struct walkfile_walk {
    uint64_t thread;
    int has_regs;
    struct regs regs;
    struct walkimage_blocks blocks;
    uint32_t count;
    struct walkfile_frame frames[WALKFILE_FRAMES_MAX];
};

struct walkfile {
    uint64_t bias;
    unsigned char *elf_bytes;
    struct elf_file elf;
    struct walkimage_blocks blocks;
    uint32_t walk_count;
    struct walkfile_walk *walks;
};

/** `name` as "jdk17", below $TEST_DATA/walk. */
void walkfile_open(const char *name, struct walkfile *ret_file);
void walkfile_close(struct walkfile *f);
