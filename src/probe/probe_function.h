/*
 * probe_function.h - probes at the entries and returns of functions, named as bpftrace names them:
 * "uprobe:LIBRARY:FUNCTION" and "uretprobe:LIBRARY:FUNCTION".
 *
 * LIBRARY is a path, the last part of a path, or that without what follows ".so": libc. FUNCTION is
 * a symbol, or a C++ name without its parameters. Both take * and ?. In parentheses stand the
 * arguments, "(fd:int,name:str,size)", or the type of the returned value, "(int)".
 *
 * The kernel looks at a return by putting the address of its own code in place of the return
 * address. Code that looks at its return address itself meets that, so returns are refused where it
 * is known to (probe_no_return.def):
 * - functions of libjvm.so that it does not export. Code that the VM has generated calls them, and
 *   the VM takes the return address of such a call for the place of the Java frame;
 * - libraries that use C++ exceptions: the search for a handler ends at the kernel's address, and
 *   the program with it. The same is true of Rust;
 * - programs of Go, whose stacks move;
 * - functions that return twice, that find their caller by the return address, or that call back.
 * Source: HotSpot, JavaFrameAnchor::make_walkable(), MacroAssembler::call_VM_base(); Linux,
 * kernel/events/uprobes.c, uprobe_handle_trampoline().
 * Context of everything here: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct probe_sites;

enum { PROBE_FUNCTION_WHY = 160 };

/** Whether the name is that of functions. */
bool probe_function_is(const char *name);
/** Whether a name of functions is well formed; otherwise *ret_why says what is wanted. */
bool probe_function_check(const char *name, const char **ret_why);
/**
 * Add the functions of this name, with their entries and their returns; those that the name does
 * not ask for have `asked` "". `name` is borrowed for as long as the sites.
 * Errors:  0; E_NOT_FOUND, E_LIMIT, E_UNSUPPORTED: `why` says which library or function; -ENOMEM.
 */
int probe_function_add(struct probe_sites *s, const char *name, char why[PROBE_FUNCTION_WHY]);
