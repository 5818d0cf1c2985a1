/*
 * asgst.h - the ASGST stack walking API, on stock JDKs 8 to 27.
 *
 * This is the interface of the articles "AsyncGetCallTrace Reworked", "jmethodIDs in Profiling" and
 * "Taming the Bias", with their names, values and shapes. libasgst.so implements the interface from
 * outside the VM. docs/asgst.md and libasgst(3) say what a stock VM cannot give exactly, and what
 * the library does instead.
 *
 * Link an agent with libasgst.so; nothing has to be initialised. Walks return ASGST_NOT_READY until
 * the VM is ready, which is shortly before JVM TI's VMInit. A function with "Context: signal" may
 * be called in a signal handler, every other function may not. No function needs a thread that is
 * attached to the VM unless its comment says so. Do not include asgst_classic.h in the same file:
 * the older interface uses the same names for other values.
 * SPDX-License-Identifier: Apache-2.0
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

/** An opaque name. Two names are equal if they name the same class, or the same version of a
 * method, as long as that class or version is loaded. NULL: none. */
typedef struct _ASGST_Method *ASGST_Method;
typedef struct _ASGST_Class *ASGST_Class;

/** An iterator is valid only during the call that hands it out, and only on that call's thread. */
typedef struct _ASGST_Iterator ASGST_Iterator;
typedef struct _ASGST_Queue ASGST_Queue;
typedef struct _ASGST_FrameMark ASGST_FrameMark;

enum ASGST_Capabilities {
    ASGST_REGISTER_QUEUE = 1, /* the library has queues */
    ASGST_MARK_FRAME = 2,     /* the library has frame marks: this bit is never set here */
    /* The bits below say how this library differs from the VM of the articles. */
    ASGST_QUEUE_ON_HELPER_THREAD = 1 << 17, /* queue handlers run on a thread of the library */
    ASGST_UNLOAD_IS_LATE = 1 << 18,         /* unload handlers run after the unloading */
};

/** The abilities of this library, as a set of bits; 0 after the library has found that it does not
 * know this VM. ASGST_WaitUntilReady() in asgst_ready.h says whether walks work already. The
 * function takes no lock and waits for nothing. Context: signal. */
int ASGST_Capabilities(void);

enum ASGST_FrameTypeId {
    ASGST_FRAME_JAVA = 1, /* a Java method that is interpreted or compiled */
    /* a Java method that is inlined into the next frame that is not inlined */
    ASGST_FRAME_JAVA_INLINED = 2,
    ASGST_FRAME_JAVA_NATIVE = 3, /* a native method */
    ASGST_FRAME_NON_JAVA = 4     /* C, C++, or a stub of the VM */
};

typedef struct {
    uint8_t type;        /* enum ASGST_FrameTypeId; 0 after an error */
    int comp_level;      /* 0 interpreted, 1 to 3 C1, 4 C2, -1 not known */
    int bci;             /* bytecode index; -1 for a native method or a frame without a method */
    ASGST_Method method; /* NULL for ASGST_FRAME_NON_JAVA */
    /* an inlined frame has the registers of the frame into which it is inlined */
    void *pc;
    void *sp; /* may be NULL */
    void *fp; /* may be NULL */
} ASGST_Frame;

enum ASGST_Options {
    ASGST_INCLUDE_NON_JAVA_FRAMES = 1,
    /* Stop at the first frame with bytecode: ASGST_NextFrame() gives its pc, sp and fp and returns
     * 0. */
    ASGST_END_ON_FIRST_JAVA_FRAME = 2,
};

enum ASGST_TRACE_KIND {
    ASGST_JAVA_TRACE = 1,
    ASGST_NON_JAVA_TRACE = 2 /* the thread is not one of Java's */
};

enum ASGST_Error {
    ASGST_NO_FRAME = 0,             /* the end of the stack */
    ASGST_NO_THREAD = -1,           /* the thread is not known to the VM */
    ASGST_THREAD_EXIT = -2,         /* the thread is ending */
    ASGST_UNSAFE_STATE = -3,        /* the thread is being deoptimised and cannot be walked */
    ASGST_NO_TOP_JAVA_FRAME = -4,   /* the thread has no Java frame now */
    ASGST_ENQUEUE_NO_QUEUE = -5,    /* the queue is NULL or was closed */
    ASGST_ENQUEUE_FULL_QUEUE = -6,  /* no room for another element */
    ASGST_ENQUEUE_OTHER_ERROR = -7, /* the stack is too deep for the queue's store */
    /* Errors below -16 are this library's own. */
    ASGST_NOT_READY = -17, /* the VM is not initialised, or this build of it is not known */
    /* no frame was found from which the walk reaches the thread's first frame */
    ASGST_NOT_WALKABLE = -18,
    ASGST_BROKEN_FRAME = -19,  /* a frame in the middle of the stack is not a legal frame */
    ASGST_MEMORY_FAULT = -20,  /* the thread's own data could not be read */
    ASGST_UNKNOWN_STATE = -21, /* the thread's state makes no sense */
};

/** The function that receives the iterator of a walk and the argument given with the walk. */
typedef void (*ASGST_IteratorHandler)(ASGST_Iterator *iterator, void *arg);

/**
 * Call `fun` with an iterator over the stack of the interrupted thread.
 *
 * `ucontext` is the third argument of the signal handler. If `ucontext` is NULL, the walk begins at
 * the last Java frame of the caller's own stack. Returns enum ASGST_TRACE_KIND after `fun` was
 * called; returns an error (<= 0) if `fun` was not called.
 * Context: signal, on the thread whose stack is walked.
 */
int ASGST_RunWithIterator(void *ucontext, int32_t options, ASGST_IteratorHandler fun,
                          void *argument);

/**
 * Call `fun` as ASGST_RunWithIterator() does, but begin at a frame of the calling thread. `pc` is
 * the address of an instruction or a return address; `sp` and `fp` are the registers at this
 * address.
 * Context: signal, on the thread whose stack is walked.
 */
int ASGST_RunWithIteratorFromFrame(void *sp, void *fp, void *pc, int options,
                                   ASGST_IteratorHandler fun, void *argument);

/** Begin again with the innermost frame. Context: signal, inside the handler. */
void ASGST_RewindIterator(ASGST_Iterator *iterator);

/**
 * Get the next frame, from the innermost frame outwards.
 *
 * Returns 1; ASGST_NO_FRAME at the end; or an error. After an error the type and all pointers of
 * *frame are 0.
 * Context: signal, inside the handler.
 */
int ASGST_NextFrame(ASGST_Iterator *iterator, ASGST_Frame *frame);

/** The last result of ASGST_NextFrame(): 1, an error, or ASGST_NO_FRAME at the end. The state is
 * ASGST_NO_FRAME if `iterator` is NULL. Context: signal, inside the handler. */
int ASGST_State(ASGST_Iterator *iterator);

/** The state of the calling thread in the bits of JVM TI's GetThreadState, without the bit
 * SUSPENDED. 0: the caller is not a Java thread. Context: signal. */
int ASGST_ThreadState(void);

/**
 * The jmethodID of a method; NULL if nobody has asked the VM for the id of this method yet.
 * Context: signal.
 */
jmethodID ASGST_MethodToJMethodID(ASGST_Method method);

/** The method of a jmethodID; NULL if the id belongs to no method. From JDK 26 on an id does not
 * lead to its method. The library remembers the ids that ASGST_MethodToJMethodID() returned. It
 * looks for every other id in all classes, which takes milliseconds. Context: signal. */
ASGST_Method ASGST_JMethodIDToMethod(jmethodID methodID);

/** The texts are written to the buffers of the char pointers, with a final 0. A pointer may be
 * NULL. Each length is the size of the buffer before the call, and the length of the whole text
 * after the call: the text was cut if the length after the call is not less than the size. If the
 * VM has no such text, the pointer becomes NULL and the length 0. There is one exception: if a name
 * or a signature cannot be read any more, the caller's buffer holds an empty text. */
typedef struct {
    ASGST_Class klass;
    char *method_name;
    jint method_name_length;
    char *signature;
    jint signature_length;
    char *generic_signature;
    jint generic_signature_length;
    jint modifiers;
    jint idnum;        /* the number of the method in its class; redefinition does not change it */
    jlong class_idnum; /* the number that ASGST_GetClassIdNum() returns */
} ASGST_MethodInfo;

typedef struct {
    char *class_name; /* in the VM's form: java/lang/String */
    jint class_name_length;
    char *generic_class_name; /* the generic signature of the class */
    jint generic_class_name_length;
    jint modifiers;
    jlong idnum;
} ASGST_ClassInfo;

/**
 * Describe a method. `klass` becomes NULL if `method` is not a method that can be read.
 * Context: signal.
 */
void ASGST_GetMethodInfo(ASGST_Method method, ASGST_MethodInfo *info);

/** The number of the method in its class; 0 if the method cannot be read. Context: signal. */
jint ASGST_GetMethodIdNum(ASGST_Method method);

typedef struct {
    jint start_bci;
    jint line_number;
} ASGST_MethodLineNumberEntry;

/** Write at most `length` entries in the order of the class file. Returns how many entries were
 * written; if `entries` is NULL, returns how many entries the method has. Context: signal. */
int ASGST_GetMethodLineNumberTable(ASGST_Method method, ASGST_MethodLineNumberEntry *entries,
                                   int length);

/** The line of a bytecode index; -1 if the line is not known. Context: signal. */
jint ASGST_GetMethodLineNumber(ASGST_Method method, jint bci);

/** Describe a class. Context: signal. */
void ASGST_GetClassInfo(ASGST_Class klass, ASGST_ClassInfo *info);

/**
 * A number that no other class in this process has; redefinition does not change the number. 0:
 * this is not a class, or the caller asked for more than 262144 classes, for which there is no
 * room.
 * Context: signal.
 */
jlong ASGST_GetClassIdNum(ASGST_Class klass);

/** The class that declares a method. Context: signal. */
ASGST_Class ASGST_GetClass(ASGST_Method method);

/**
 * The class of a jclass, which may be any kind of JNI reference; NULL for a primitive type.
 * Context: signal, on a thread that may use the reference.
 */
ASGST_Class ASGST_JClassToClass(jclass klass);

/** A new local reference to a class. NULL: there is no such class, the thread is not attached to
 * the VM, or the VM runs with -Xcheck:jni. Context: not in a signal handler. */
jclass ASGST_ClassToJClass(ASGST_Class klass);

/** The function that is told of an unloaded or redefined class. If `redefined` is true, the class
 * got other methods and lives on. While the handler runs, ASGST_GetClassInfo and
 * ASGST_GetMethodInfo still know the names of `klass` and `methods`; no other function knows
 * them. */
typedef void (*ASGST_ClassUnloadHandler)(ASGST_Class klass, ASGST_Method *methods, int count,
                                         bool redefined, void *arg);

/** Context: any, not signal. */
void ASGST_RegisterClassUnloadHandler(ASGST_ClassUnloadHandler handler, void *arg);
/** Remove a handler. True if this handler was registered with this `arg`. The library does not call
 * the handler after this function has returned. Context: any, not signal. */
bool ASGST_DeregisterClassUnloadHandler(ASGST_ClassUnloadHandler handler, void *arg);

/** The function that receives an iterator over the stack of one queue element, the argument of the
 * queue and the argument of the element. */
typedef void (*ASGST_Handler)(ASGST_Iterator *iterator, void *queue_arg, void *arg);

/** The function that is called before or after a batch of elements. `iterator` walks the stack of
 * the youngest element, or is NULL. */
typedef void (*ASGST_OnQueueSafepointHandler)(ASGST_Queue *queue, ASGST_Iterator *iterator,
                                              void *arg);

/**
 * Make a queue of `size` elements for the thread of `env`, or for the calling thread if `env` is
 * NULL.
 *
 * The library hands the elements to `fun` in the order in which they were queued. `fun` runs on a
 * thread of the library, which may lock and allocate but is not attached to the VM. The queue
 * exists until it is deregistered. The library closes the queue when the thread of the queue has
 * ended.
 * Errors:  NULL: `size` or `fun` is not valid, there is no memory, or the VM is not ready.
 * Context: any, not signal.
 */
ASGST_Queue *ASGST_RegisterQueue(JNIEnv *env, int size, int options, ASGST_Handler fun,
                                 void *argument);

/**
 * Close a queue, after the remaining elements were handed out. False if there is no such queue. The
 * pointer may still be passed to the functions of this file, which then find no queue.
 * Context: any, not signal.
 */
bool ASGST_DeregisterQueue(JNIEnv *env, ASGST_Queue *queue);

/** Set the handler that runs before a batch, and the handler that runs after it. NULL removes a
 * handler. Context: any, not signal. */
void ASGST_SetOnQueueProcessingStart(ASGST_Queue *queue, int options, bool offerIterator,
                                     ASGST_OnQueueSafepointHandler before, void *arg);
void ASGST_SetOnQueueProcessingEnd(ASGST_Queue *queue, int options, bool offerIterator,
                                   ASGST_OnQueueSafepointHandler end, void *arg);

typedef struct {
    void *pc; /* pc, fp and sp of the innermost frame with bytecode */
    void *fp;
    void *sp;
    void *arg;
} ASGST_QueueElement;

/**
 * Walk the interrupted thread and append its stack to the queue.
 *
 * Returns ASGST_JAVA_TRACE or an error.
 * Context: signal, on the queue's thread.
 */
int ASGST_Enqueue(ASGST_Queue *queue, void *ucontext, void *argument);

/**
 * Get the element that ASGST_Enqueue() would append to a queue; `arg` of the element is NULL.
 * Context: signal.
 */
int ASGST_GetEnqueuableElement(void *ucontext, ASGST_QueueElement *element);

/**
 * Get element `n`, counted from the oldest (0) or from the youngest (-1). NULL: there is no such
 * element, or the element is already on its way to the queue's handler. An element leaves the queue
 * between two signal handlers of the thread, never while a signal handler runs. So from the first
 * call in a signal handler until the handler returns, each element stays where it is, and the
 * queue's handler receives what the signal handler writes to `arg` of the element.
 * Context: signal, on the queue's thread.
 */
ASGST_QueueElement *ASGST_GetQueueElement(ASGST_Queue *queue, int n);

typedef struct {
    jint size;     /* elements that wait, which ASGST_GetQueueElement() finds */
    jint capacity; /* for how many elements there is room */
    jint attempts; /* calls of ASGST_Enqueue() since the last batch ended */
} ASGST_QueueSizeInfo;

/** The state of a queue. Context: signal, on the queue's thread. */
ASGST_QueueSizeInfo ASGST_GetQueueSizeInfo(ASGST_Queue *queue);

/** Ask for another capacity, which the queue has from the next batch on. Context: signal, on the
 * queue's thread. */
void ASGST_ResizeQueue(ASGST_Queue *queue, int size);

/** Frame marks need stack watermarks inside the VM, which a library cannot set. So the functions
 * below return NULL or do nothing. */
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
