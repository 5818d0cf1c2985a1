/*
 * target.h - the HotSpot VM inside another process or a core: found, opened, its tables at hand.
 *
 * Finds libjvm.so among the mapped files, reads its symbols from that very file, and the layout and
 * the tables from the memory. For readers that need more facts than struct hs_layout holds.
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
    const struct hs_layout *layout; /* of vm */
    struct vmtables tables;
};

/**
 * Open the VM in `image`.
 *
 * Errors: 0; E_NOT_FOUND no libjvm.so is mapped; E_FACT_MISSING with *ret_missing naming it (static
 *         text); E_VM_STATE its tables make no sense; what image->open_file() returns.
 * Owner:  borrows `image`; target_close(), also after an error.
 */
int target_open(struct image *image, struct target *ret_target, const char **ret_missing);
/** Open the VM of this process, its threads running; `image` is NULL. Errors and owner as above. */
int target_open_self(struct target *ret_target, const char **ret_missing);
/** Look at a VM that is open. Errors: -ENOMEM, E_VM_STATE. Owner: target_close(), also after an
 * error, closes the VM as well; or vmtables_done(&t->tables) alone. */
int target_of_vm(struct hotspot *vm, struct target *ret_target);
void target_close(struct target *t);

/** Offset of a field, size of a type, integer constant; `otherwise` where the VM has none. */
int32_t target_field(const struct target *t, const char *type, const char *name, int32_t otherwise);
int32_t target_size(const struct target *t, const char *type); /* -1 where the VM has none */
int32_t target_constant(const struct target *t, const char *name, int32_t otherwise);

/** Address of a static field, 0 none; and its `size` <= 8 bytes, 0 if they cannot be read. */
uint64_t target_static(const struct target *t, const char *type, const char *name);
uint64_t target_static_value(const struct target *t, const char *type, const char *name,
                             size_t size);

/** Numbers in the memory; 0 where it is not readable. */
uint64_t target_u8(const struct target *t, uint64_t addr);
uint32_t target_u4(const struct target *t, uint64_t addr);

/** A text of the VM that ends with 0, cut to `size` - 1 bytes; ends with 0 here too. Its length;
 * -1: `addr` is 0, or it cannot be read. */
int target_text(const struct target *t, uint64_t addr, char *dst, size_t size);
