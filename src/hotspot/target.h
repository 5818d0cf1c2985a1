/*
 * target.h - the HotSpot VM inside another process or a core file: found, opened, with its tables.
 *
 * The functions find libjvm.so among the mapped files, read its symbols from that very file, and
 * read the layout and the tables from the memory. They are for readers that need more facts than
 * struct hs_layout holds.
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "hotspot/hotspot.h"
#include "hotspot/vmtables.h"
#include "mem/image.h"

struct target {
    struct image *image;
    struct mem *mem;
    struct hotspot *vm;
    const struct hs_layout *layout; /* the layout of vm */
    struct vmtables tables;
};

/**
 * Open the VM in `image`.
 *
 * Errors:  0; E_NOT_FOUND no libjvm.so is mapped; E_FACT_MISSING, and *ret_missing names the fact
 *          (static text); E_VM_STATE the tables make no sense; errors of image->open_file().
 * Owner:   borrows `image`; target_close(), also after an error.
 */
int target_open(struct image *image, struct target *ret_target, const char **ret_missing);
/** Open the VM of this process while it runs; `image` is NULL. Errors and owner: target_open(). */
int target_open_self(struct target *ret_target, const char **ret_missing);
/** Make a target of an open VM. Errors: -ENOMEM, E_VM_STATE. Owner: target_close(), also after an
 * error, which closes the VM as well; or vmtables_done(&t->tables) alone. */
int target_of_vm(struct hotspot *vm, struct target *ret_target);
void target_close(struct target *t);

/** The offset of a field, size of a type, or integer constant; `otherwise` if the VM has none. */
int32_t target_field(const struct target *t, const char *type, const char *name, int32_t otherwise);
int32_t target_size(const struct target *t, const char *type); /* -1 if the VM has none */
int32_t target_constant(const struct target *t, const char *name, int32_t otherwise);

/** The address of a static field, or its value of `size` <= 8 bytes; 0: none, or not readable. */
uint64_t target_static(const struct target *t, const char *type, const char *name);
uint64_t target_static_value(const struct target *t, const char *type, const char *name,
                             size_t size);

/** A number in the memory; 0 if it cannot be read. */
uint64_t target_u8(const struct target *t, uint64_t addr);
uint32_t target_u4(const struct target *t, uint64_t addr);

/** Copy a text of the VM that ends with 0. The copy is cut to `size` - 1 bytes and ends with 0.
 * Returns its length; -1 if `addr` is 0, or the text cannot be read. */
int target_text(const struct target *t, uint64_t addr, char *dst, size_t size);
