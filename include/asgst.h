/*
 * asgst.h - the ASGST stack walking API, on stock JDKs 8 to 27.
 *
 * The interface of the articles "AsyncGetCallTrace Reworked", "jmethodIDs in Profiling" and "Taming
 * the Bias", with their names, values and shapes; libasgst.so implements it from outside the VM.
 * What a stock VM cannot give exactly, and what is done instead, stands in docs/asgst.md and
 * libasgst(3). Link an agent with libasgst.so; nothing has to be initialised. Until the VM is ready
 * (shortly before JVM TI's VMInit) walks return ASGST_NOT_READY. "Context: signal" functions may be
 * called in a signal handler, the others may not. No function needs a thread that is attached to
 * the VM unless it says so. Do not include asgst_classic.h in the same file: the older interface
 * uses the same names for other values. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#ifdef HPROF_ASGST_CLASSIC_H
#error "asgst.h and asgst_classic.h are two generations of one interface: include one of them"
#endif
#define HPROF_ASGST_H
#include <jni.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/** Opaque; equal while the class, or this version of the method, is loaded. NULL: none. */
typedef struct _ASGST_Method *ASGST_Method;
typedef struct _ASGST_Class *ASGST_Class;

/** Lives inside the call that hands it out; belongs to that thread. */
typedef struct _ASGST_Iterator ASGST_Iterator;
typedef struct _ASGST_Queue ASGST_Queue;
typedef struct _ASGST_FrameMark ASGST_FrameMark;

enum ASGST_Capabilities {
    ASGST_REGISTER_QUEUE = 1, /* queues */
    ASGST_MARK_FRAME = 2,     /* frame marks: never set here */
    /* How this library differs from the VM of the articles: */
    ASGST_QUEUE_ON_HELPER_THREAD = 1 << 17, /* queue handlers run on a thread of the library */
    ASGST_UNLOAD_IS_LATE = 1 << 18,         /* unload handlers run after the unloading */
};

/** What this library can do, a set of bits; 0 once it has seen that this VM is not known. Whether
 * walks work already is another question: ASGST_WaitUntilReady() in asgst_ready.h. Takes no lock
 * and waits for nothing. Context: signal. */
int ASGST_Capabilities(void);

enum ASGST_FrameTypeId {
    ASGST_FRAME_JAVA = 1,         /* interpreted or compiled */
    ASGST_FRAME_JAVA_INLINED = 2, /* inlined into the next frame that is not */
    ASGST_FRAME_JAVA_NATIVE = 3,  /* a native method */
    ASGST_FRAME_NON_JAVA = 4      /* C, C++, or a stub of the VM */
};

typedef struct {
    uint8_t type;        /* enum ASGST_FrameTypeId; 0 after an error */
    int comp_level;      /* 0 interpreted, 1 to 3 C1, 4 C2, -1 not known */
    int bci;             /* bytecode index, -1 native or no method */
    ASGST_Method method; /* NULL for NON_JAVA */
    void *pc;            /* inlined frames have the registers of the frame they lie in */
    void *sp;            /* may be NULL */
    void *fp;            /* may be NULL */
} ASGST_Frame;

enum ASGST_Options {
    ASGST_INCLUDE_NON_JAVA_FRAMES = 1,
    /* Stop at the first frame with bytecode: pc, sp and fp of it with the return value 0. */
    ASGST_END_ON_FIRST_JAVA_FRAME = 2,
};

enum ASGST_TRACE_KIND {
    ASGST_JAVA_TRACE = 1,
    ASGST_NON_JAVA_TRACE = 2 /* the thread is not one of Java's */
};

enum ASGST_Error {
    ASGST_NO_FRAME = 0,             /* the end */
    ASGST_NO_THREAD = -1,           /* the thread is not known to the VM */
    ASGST_THREAD_EXIT = -2,         /* it is ending */
    ASGST_UNSAFE_STATE = -3,        /* it is being deoptimised and cannot be walked */
    ASGST_NO_TOP_JAVA_FRAME = -4,   /* it has no Java frame now */
    ASGST_ENQUEUE_NO_QUEUE = -5,    /* the queue is NULL or gone */
    ASGST_ENQUEUE_FULL_QUEUE = -6,  /* no room for another element */
    ASGST_ENQUEUE_OTHER_ERROR = -7, /* the stack is too deep for the queue's store */
    /* Below -16: this library's own. */
    ASGST_NOT_READY = -17,     /* the VM is not initialised, or this build of it is not known */
    ASGST_NOT_WALKABLE = -18,  /* no start was found that leads to the thread's first frame */
    ASGST_BROKEN_FRAME = -19,  /* a frame in the middle is no legal frame */
    ASGST_MEMORY_FAULT = -20,  /* the thread's own data could not be read */
    ASGST_UNKNOWN_STATE = -21, /* the thread's state makes no sense */
};

/** Gets the iterator of a walk and the argument that was given with it. */
typedef void (*ASGST_IteratorHandler)(ASGST_Iterator *iterator, void *arg);

/**
 * Call `fun` with an iterator over the stack of the interrupted thread.
 *
 * `ucontext` is the signal handler's third argument; NULL: the caller's own stack, from its last
 * Java frame. Returns enum ASGST_TRACE_KIND, then `fun` was called; or an error (<= 0), then it was
 * not. Context: signal, on the thread whose stack it is.
 */
int ASGST_RunWithIterator(void *ucontext, int32_t options, ASGST_IteratorHandler fun,
                          void *argument);

/** The same from a frame of this thread: the registers at an instruction or at a return address.
 * Context: signal, on the thread whose stack it is. */
int ASGST_RunWithIteratorFromFrame(void *sp, void *fp, void *pc, int options,
                                   ASGST_IteratorHandler fun, void *argument);

/** Begin again with the innermost frame. Context: signal, inside the handler. */
void ASGST_RewindIterator(ASGST_Iterator *iterator);

/**
 * The next frame, from the innermost outwards.
 *
 * Returns 1; ASGST_NO_FRAME at the end; or an error, then the type and all pointers of *frame are
 * 0. Context: signal, inside the handler.
 */
int ASGST_NextFrame(ASGST_Iterator *iterator, ASGST_Frame *frame);

/** What ASGST_NextFrame() said last: 1, ASGST_NO_FRAME at the end or for NULL, or the error.
 * Context: signal, inside the handler. */
int ASGST_State(ASGST_Iterator *iterator);

/** The state of the calling thread in the bits of JVM TI's GetThreadState, but never SUSPENDED.
 * 0: no Java thread. Context: signal. */
int ASGST_ThreadState(void);

/** The jmethodID of a method, NULL if nobody has asked the VM for one yet. Context: signal. */
jmethodID ASGST_MethodToJMethodID(ASGST_Method method);

/** The method of a jmethodID, NULL if it is none. From JDK 26 on an id does not lead to its method:
 * ids that ASGST_MethodToJMethodID() gave out are remembered, others are looked for in all classes,
 * which takes milliseconds. Context: signal. */
ASGST_Method ASGST_JMethodIDToMethod(jmethodID methodID);

/**
 * Texts go where the char pointers lead, with a final 0; a pointer may be NULL. Each length is the
 * room on the way in and the length of the whole text on the way out, so a text was cut if it is
 * not less than the room. A pointer becomes NULL, and its length 0, where the VM has no such text;
 * only the name or signature of what cannot be read any more is an empty text in the room given.
 */
typedef struct {
    ASGST_Class klass;
    char *method_name;
    jint method_name_length;
    char *signature;
    jint signature_length;
    char *generic_signature;
    jint generic_signature_length;
    jint modifiers;
    jint idnum;        /* of the method in its class, not changed by redefinition */
    jlong class_idnum; /* as ASGST_GetClassIdNum() */
} ASGST_MethodInfo;

typedef struct {
    char *class_name; /* the VM's form: java/lang/String */
    jint class_name_length;
    char *generic_class_name; /* its generic signature */
    jint generic_class_name_length;
    jint modifiers;
    jlong idnum;
} ASGST_ClassInfo;

/** `klass` becomes NULL if `method` is no method that can be read. Context: signal. */
void ASGST_GetMethodInfo(ASGST_Method method, ASGST_MethodInfo *info);

/** The number of the method in its class, 0 if it cannot be read. Context: signal. */
jint ASGST_GetMethodIdNum(ASGST_Method method);

typedef struct {
    jint start_bci;
    jint line_number;
} ASGST_MethodLineNumberEntry;

/** Writes at most `length` entries in the class file's order, returns how many it wrote; with
 * `entries` NULL how many there are. Context: signal. */
int ASGST_GetMethodLineNumberTable(ASGST_Method method, ASGST_MethodLineNumberEntry *entries,
                                   int length);

/** The line of a bytecode index, -1 not known. Context: signal. */
jint ASGST_GetMethodLineNumber(ASGST_Method method, jint bci);

/** Context: signal. */
void ASGST_GetClassInfo(ASGST_Class klass, ASGST_ClassInfo *info);

/** A number of this class and no other in this process, not changed by redefinition; 0: no class,
 * or more classes were asked for than there is room (262144). Context: signal. */
jlong ASGST_GetClassIdNum(ASGST_Class klass);

/** Context: signal. */
ASGST_Class ASGST_GetClass(ASGST_Method method);

/** The class of a jclass, any kind of JNI reference; NULL for a primitive type. Context: signal, on
 * a thread that may use the reference. */
ASGST_Class ASGST_JClassToClass(jclass klass);

/** A new local reference; NULL for no class, on a thread that is not attached, and under
 * -Xcheck:jni. Context: not in a signal handler. */
jclass ASGST_ClassToJClass(ASGST_Class klass);

/** `redefined`: the methods were replaced, the class lives on. `klass` and `methods` still name
 * what they named (ASGST_GetClassInfo and ASGST_GetMethodInfo know the names) while the handler
 * runs, and nothing else. */
typedef void (*ASGST_ClassUnloadHandler)(ASGST_Class klass, ASGST_Method *methods, int count,
                                         bool redefined, void *arg);

/** Context: any, not signal. */
void ASGST_RegisterClassUnloadHandler(ASGST_ClassUnloadHandler handler, void *arg);
/** True if it was registered with this `arg`. It is not called any more afterwards. Context: any,
 * not signal. */
bool ASGST_DeregisterClassUnloadHandler(ASGST_ClassUnloadHandler handler, void *arg);

/** Gets an iterator over the stack of one queue element, the queue's argument and the element's. */
typedef void (*ASGST_Handler)(ASGST_Iterator *iterator, void *queue_arg, void *arg);

/** Called around a batch of elements; `iterator` is over the youngest element's stack, or NULL. */
typedef void (*ASGST_OnQueueSafepointHandler)(ASGST_Queue *queue, ASGST_Iterator *iterator,
                                              void *arg);

/**
 * Make a queue of `size` elements for the calling thread, or for the one of `env`.
 *
 * Its elements are handed to `fun` in their order, on a thread of the library that may lock and
 * allocate but is not attached to the VM. It stays until it is deregistered, or is closed when its
 * thread has ended. Errors:  NULL: size or fun is none, no memory, or the VM is not ready. Context:
 * any, not signal.
 */
ASGST_Queue *ASGST_RegisterQueue(JNIEnv *env, int size, int options, ASGST_Handler fun,
                                 void *argument);

/** Close it and hand out what is left in it. False if there is no such queue. The pointer may
 * still be passed to the functions here, which then find no queue. Context: any, not signal. */
bool ASGST_DeregisterQueue(JNIEnv *env, ASGST_Queue *queue);

/** NULL removes the handler. Context: any, not signal. */
void ASGST_SetOnQueueProcessingStart(ASGST_Queue *queue, int options, bool offerIterator,
                                     ASGST_OnQueueSafepointHandler before, void *arg);
void ASGST_SetOnQueueProcessingEnd(ASGST_Queue *queue, int options, bool offerIterator,
                                   ASGST_OnQueueSafepointHandler end, void *arg);

typedef struct {
    void *pc; /* of the innermost frame with bytecode */
    void *fp;
    void *sp;
    void *arg;
} ASGST_QueueElement;

/**
 * Walk the interrupted thread and put its stack at the end of the queue.
 *
 * Returns ASGST_JAVA_TRACE or an error. Context: signal, on the queue's thread.
 */
int ASGST_Enqueue(ASGST_Queue *queue, void *ucontext, void *argument);

/** What ASGST_Enqueue() would put into a queue, with a NULL `arg`. Context: signal. */
int ASGST_GetEnqueuableElement(void *ucontext, ASGST_QueueElement *element);

/** Element `n` from the oldest (0), or from the youngest (-1); NULL if there is none, or if it is
 * on its way to the queue's handler already. That is decided between two signal handlers of the
 * thread and never while one runs: from a handler's first call on, until the handler returns, each
 * element stays where it is, and what is written to its `arg` reaches the queue's handler. Context:
 * signal, on the queue's thread. */
ASGST_QueueElement *ASGST_GetQueueElement(ASGST_Queue *queue, int n);

typedef struct {
    jint size;     /* elements that wait: that ASGST_GetQueueElement() finds */
    jint capacity; /* room for how many */
    jint attempts; /* calls of ASGST_Enqueue() since the last batch ended */
} ASGST_QueueSizeInfo;

/** Context: signal, on the queue's thread. */
ASGST_QueueSizeInfo ASGST_GetQueueSizeInfo(ASGST_Queue *queue);

/** Ask for another capacity, from the next batch on. Context: signal, on the queue's thread. */
void ASGST_ResizeQueue(ASGST_Queue *queue, int size);

/** Frame marks need stack watermarks inside the VM. There are none: these return NULL and do
 * nothing. */
typedef void (*ASGST_FrameMarkHandler)(ASGST_FrameMark *mark, ASGST_Iterator *iterator, void *arg);
ASGST_FrameMark *ASGST_RegisterFrameMark(JNIEnv *env, ASGST_FrameMarkHandler handler, int options,
                                         void *arg);
void ASGST_MoveFrameMark(ASGST_FrameMark *mark, void *new_sp);
void *ASGST_GetFrameMarkStackPointer(ASGST_FrameMark *mark);
void ASGST_RemoveFrameMark(ASGST_FrameMark *mark);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
