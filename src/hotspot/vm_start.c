/*
 * vm_start.c - see vm_start.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hotspot/vm_start.h"
#include "hotspot/target.h"

enum { ITEMS_MAX = 100000 };

static const struct {
    const char *rows, *count;
} lists[] = {
    [VM_START_FLAGS] = {"_jvm_flags_array", "_num_jvm_flags"},
    [VM_START_ARGS] = {"_jvm_args_array", "_num_jvm_args"},
};

static int static_text(const struct target *t, const char *type, const char *name, char *dst,
                       size_t size)
{
    return target_text(t, target_static_value(t, type, name, 8), dst, size);
}

int vm_start_version(const struct target *t, char *dst, size_t size)
{
    return static_text(t, "Abstract_VM_Version", "_s_internal_vm_info_string", dst, size);
}

int vm_start_command(const struct target *t, char *dst, size_t size)
{
    return static_text(t, "Arguments", "_java_command", dst, size);
}

uint32_t vm_start_count(const struct target *t, enum vm_start_list list)
{
    uint32_t count = (uint32_t)target_static_value(t, "Arguments", lists[list].count, 4);
    return count <= ITEMS_MAX ? count : 0;
}

int vm_start_item(const struct target *t, enum vm_start_list list, uint32_t index, char *dst,
                  size_t size)
{
    uint64_t rows = target_static_value(t, "Arguments", lists[list].rows, 8);
    return target_text(t, rows != 0 ? target_u8(t, rows + 8 * (uint64_t)index) : 0, dst, size);
}
