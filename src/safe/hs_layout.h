/*
 * hs_layout.h - where HotSpot keeps what the readers need: offsets, addresses, constants.
 *
 * src/hotspot/layout.c fills the struct once from the tables that the VM exports; afterwards it is
 * constant. A field that this VM does not have is HS_NONE (offsets) or 0 (addresses). Differences
 * between JDKs are data here: the readers test which form is there. They never ask for a version,
 * except through the fields below that were filled from the version.
 * Source: HotSpot vmStructs.cpp; the rows in src/hotspot/layout_fact.def.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "safe/hs_refs.h"
#include <stdbool.h>
#include <stdint.h>

enum {
    HS_NONE = -1,
    HS_HEAP_MAX = 8,
};

/** One code heap: segments of code, and one byte per segment that leads to the start of the
 * segment's block. */
struct hs_heap {
    uint64_t low, high; /* the reserved range: a heap that grows needs no refresh */
    uint64_t segmap;
    uint32_t log2_segment;
};

enum hs_cpu { HS_CPU_X86_64, HS_CPU_AARCH64, HS_CPU_COUNT };

/** Which words an interpreted frame keeps at which offsets, in words from its frame pointer. */
struct hs_interp_slots {
    int8_t sender_sp, method, bcp, locals;
};

/** States of a JavaThread. The numbers are those of JDK 8 to 27; the VM itself exports its own
 * numbers. Source: globalDefinitions.hpp (JavaThreadState). */
enum hs_thread_state {
    HS_THREAD_NEW = 2,
    HS_THREAD_NEW_TRANS = 3,
    HS_THREAD_IN_NATIVE = 4,
    HS_THREAD_IN_NATIVE_TRANS = 5,
    HS_THREAD_IN_VM = 6,
    HS_THREAD_IN_VM_TRANS = 7,
    HS_THREAD_IN_JAVA = 8,
    HS_THREAD_IN_JAVA_TRANS = 9,
    HS_THREAD_BLOCKED = 10,
    HS_THREAD_BLOCKED_TRANS = 11,
};
enum { HS_THREAD_STATES = 16, HS_BLOB_NUMBERS = 16 };

/** Facts about the part of a virtual thread's stack that is in the heap: see hs_chunks.h. */
struct hs_chunk_facts {
    bool is_known;
    bool unmounts_in_vm; /* since JDK 24 a thread that waits in the VM can be unmounted there */
    uint64_t klass;      /* jdk.internal.vm.StackChunk */
    int32_t size, sp, bottom, parent; /* offsets of fields of a StackChunk */
    int32_t pc;     /* offset of the address at which the chunk's newest frame goes on */
    int32_t header; /* bytes of a StackChunk in front of the stack in it */
    uint64_t continuation_klass; /* jdk.internal.vm.Continuation; it has subclasses */
    int32_t tail;                /* offset of a Continuation's reference to the newest chunk */
    int32_t continuation;        /* offset of a VirtualThread's reference to its continuation */
    int32_t klass_super;         /* offset of the superclass in a Klass */
    struct hs_refs refs;
};

struct hs_layout {
    uint32_t version; /* feature release of the JDK: 8, 11, ... */
    enum hs_cpu cpu;

    /* offsets in JavaThread, OSThread and anchors */
    int32_t thread_anchor, thread_state, thread_stack_base, thread_stack_size;
    uint8_t thread_states[HS_THREAD_STATES]; /* enum hs_thread_state by the VM's number; 0: none */
    int32_t thread_vframe_array, thread_terminated, thread_cont_entry, thread_exception_pc;
    int32_t thread_vthread;            /* handle of the virtual thread that is mounted */
    int32_t thread_saved_exception_pc; /* where a signal interrupted a poll or an implicit check */
    int32_t thread_osthread, thread_object, thread_next;
    int32_t osthread_id, osthread_state, osthread_pthread;
    int32_t anchor_sp, anchor_pc, anchor_fp;
    int32_t wrapper_anchor;    /* JavaCallWrapper::_anchor */
    int32_t upcall_frame_data; /* in an upcall stub's blob: the offset of FrameData in its frame */
    int32_t upcall_anchor;     /* UpcallStub::FrameData::jfa */

    /* deoptimisation in flight: vframeArray, its elements, and the C++ class frame */
    int32_t vframe_array_frames, vframe_array_caller, vframe_array_size;
    int32_t vframe_method, vframe_bci, vframe_size;
    int32_t frame_size, frame_pc, frame_fp, frame_unextended_sp;

    /* thread lists: in JDK 8 and 11 a chain, later an array */
    uint64_t thread_list;     /* address of Threads::_thread_list */
    uint64_t smr_thread_list; /* address of ThreadsSMRSupport::_java_thread_list */
    uint64_t mirror_size_at;  /* address of java_lang_Class::_oop_size_offset */
    uint64_t mirror_klass_at; /* address of java_lang_Class::_klass_offset */
    int32_t smr_length, smr_threads;

    /* code blobs */
    struct hs_heap heaps[HS_HEAP_MAX];
    uint32_t heap_count;
    int32_t block_size; /* sizeof(HeapBlock) */
    int32_t block_used;
    int32_t blob_name, blob_size, blob_code_begin, blob_code_offset;
    int32_t blob_frame_size, blob_frame_complete, blob_frame_complete_bytes;
    int32_t blob_mutable_data, blob_relocation_size;
    int32_t blob_kind;
    uint8_t
        blob_kinds[HS_BLOB_NUMBERS]; /* enum hs_blob_kind by the VM's number; 0: the name decides */
    int32_t nmethod_size;            /* sizeof(nmethod) */
    int32_t nmethod_method, nmethod_comp_level, nmethod_compile_id, nmethod_entry_bci;
    int32_t nmethod_orig_pc, nmethod_immutable_data;
    int32_t nmethod_scopes_data_begin, nmethod_scopes_data, nmethod_scopes_pcs;
    int32_t nmethod_scopes_pcs_end, nmethod_metadata;
    int32_t nmethod_deopt_begin, nmethod_deopt_mh_begin;   /* pointers */
    int32_t nmethod_deopt_offset, nmethod_deopt_mh_offset; /* offsets from the blob */
    int32_t pcdesc_size, pcdesc_pc, pcdesc_scope;
    int32_t unsigned5_excluded; /* 1 if the byte 0 is not used by UNSIGNED5 (since JDK 20) */

    /* interpreter, entry frames, continuations */
    uint64_t interp_low, interp_high;
    uint64_t call_stub_return;
    int32_t entry_wrapper_words;
    struct hs_interp_slots interp;
    uint64_t cont_return_pc_at;      /* address of ContinuationEntry::_return_pc */
    uint64_t cont_return_barrier_at; /* address of StubRoutines::_cont_returnBarrier */

    /* methods and their names */
    int32_t method_const, method_access, method_code, method_counters;
    int32_t const_size, const_constants, const_flags, const_code_size, const_max_stack;
    int32_t const_max_locals, const_name, const_signature, const_idnum, const_full_size;
    int32_t pool_size, pool_holder, pool_length, pool_tags, pool_source_file;
    int32_t klass_name, klass_source_file, klass_methods, klass_jmethod_ids, klass_cld;
    int32_t klass_mirror, klass_constants;
    int32_t symbol_length, symbol_body;
    int32_t klass_next_link, cld_klasses, cld_next, cld_oop;
    uint64_t cld_head;

    /* addresses of the VM's counters of unloaded classes and safepoints; 0: it does not count */
    uint64_t count_unloaded, count_safepoints;

    struct hs_chunk_facts chunks; /* filled by hotspot_self_open() only */
    uint64_t chunk_pc_at;         /* address of the VM's offset of StackChunk.pc */
    uint64_t chunk_flags_at,
        chunk_lock_count_at; /* the same of StackChunk's flags, and of the size of its lock stack */
    uint64_t virtual_waiter_at;    /* the same of VirtualThread's field for the ObjectWaiter */
    uint64_t safepoint_counter_at; /* SafepointSynchronize::_safepoint_counter */

    uint8_t
        checks_jni; /* -Xcheck:jni: the VM complains when its signal handlers are not in front */
    uint64_t safefetch; /* SafeFetchN of the VM, see mem_self.h; 0: unknown */
};

enum {
    /** Bits of Method::_access_flags. Source: JVM specification 4.6. */
    HS_ACC_NATIVE = 0x0100,
    /** A bit of the flags of a ConstMethod: a compressed line table follows the bytecodes. */
    HS_CONST_HAS_LINES = 0x0001,
};

/** The meaning of `number`, a JavaThread's _thread_state: enum hs_thread_state; 0 if `number` is
 * not a state. */
static inline uint32_t hs_layout_state(const struct hs_layout *l, uint32_t number)
{
    return number < HS_THREAD_STATES ? l->thread_states[number] : 0;
}
