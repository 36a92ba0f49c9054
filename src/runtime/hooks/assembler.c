/* SPDX-License-Identifier: MIT
 *
 * assembler.c - inline assembler: the access that its next instruction is about to do.
 *
 * DESIGN
 *   A locked instruction is an atomic operation: one scheduling point, sequentially consistent.  Loads and stores count as
 *   atomic, with acquire and release order, as libraries use them.  So no false race is reported; neither is a real race between plain
 *   accesses in assembler.  They are scheduling points only where the memory is shared, because assembler also computes.
 *   An instruction that reads and writes without lock is both, one after the other: what other tasks wrote in between is
 *   lost.  For this, the value that was read is restored before the instruction is done.
 *   The instruction itself is done by the program after the return.  What it will write is computed here where that is possible.
 */
#include "runtime/arch/assembler.h"

#include "runtime/access.h"
#include "runtime/hooks/atomic.h"
#include "runtime/raw.h"
#include "runtime/record.h"
#include "runtime/sched/spin.h"
#include "wire/wire_asm.h"

enum { WIDEST = 64 };

struct instruction {
    const struct assembler_call *call;
    enum asm_kind kind;
    enum asm_operation operation;
    uintptr_t address;
    uint32_t size;
    bool source_known;
};

static uint64_t low_bytes(uint64_t value, uint32_t size)
{
    return size >= sizeof value ? value : value & (((uint64_t)1 << 8 * size) - 1);
}

static uint64_t value_of(const void *bytes, uint32_t size)
{
    uint64_t value = 0;
    raw_copy(&value, bytes, size < sizeof value ? size : sizeof value);
    return value;
}

static void read_memory(const struct instruction *instruction, void *into)
{
    access_probe_pc = instruction->call->pc;
    raw_copy(into, (const void *)instruction->address, instruction->size);
    access_probe_pc = 0;
}

/* Signed, as the processor does for `bts %reg, memory`. */
static uintptr_t bit_address(uintptr_t address, uint32_t size, uint64_t number)
{
    int64_t offset = size == 2 ? (int16_t)number : size == 4 ? (int32_t)number : (int64_t)number;
    int64_t bits = 8 * (int64_t)size;
    int64_t units = offset >= 0 ? offset / bits : -((bits - 1 - offset) / bits);
    return address + (uintptr_t)(units * (int64_t)size);
}

static struct instruction instruction_of(const struct assembler_call *call)
{
    unsigned descriptor = (unsigned)call->descriptor;
    struct instruction instruction = {
        .call = call,
        .kind = asm_kind_of(descriptor),
        .operation = asm_operation_of(descriptor),
        .address = call->address,
        .size = asm_size_of(descriptor) < WIDEST ? asm_size_of(descriptor) : WIDEST,
        .source_known = descriptor & ASM_SOURCE,
    };
    if (descriptor & ASM_OFFSET)
        instruction.address = bit_address(call->address, instruction.size, call->source);
    return instruction;
}

/* What the instruction will leave in memory; false: not known. */
static bool new_value(const struct instruction *instruction, uint64_t old, uint64_t *new)
{
    uint64_t source = instruction->call->source;
    uint64_t bit =
        instruction->size == 0 ? 0 : (uint64_t)1 << source % (8 * instruction->size > 64 ? 64 : 8 * instruction->size);
    if (instruction->size > sizeof old || !instruction->source_known || instruction->operation >= ASM_BIT_TEST)
        return false;
    switch (instruction->operation) {
    case ASM_SET:
        *new = source;
        break;
    case ASM_ADD:
        *new = old + source;
        break;
    case ASM_SUB:
        *new = old - source;
        break;
    case ASM_AND:
        *new = old &source;
        break;
    case ASM_OR:
        *new = old | source;
        break;
    case ASM_XOR:
        *new = old ^ source;
        break;
    case ASM_NOT:
        *new = ~old;
        break;
    case ASM_NEGATE:
        *new = -old;
        break;
    case ASM_BIT_SET:
        *new = old | bit;
        break;
    case ASM_BIT_RESET:
        *new = old & ~bit;
        break;
    default:
        *new = old ^ bit;
        break;
    }
    *new = low_bytes(*new, instruction->size);
    return true;
}

/* ---- with lock ------------------------------------------------------------------------------------------------------- */

static void update_locked(struct task *self, const struct instruction *instruction)
{
    struct op op;
    unsigned char bytes[WIDEST];
    uint64_t new = 0, set = low_bytes(instruction->call->source, instruction->size);
    bool exchanges = instruction->operation == ASM_SET && instruction->source_known;
    atomic_begin(self, &op, OP_ATOMIC_RMW, instruction->call->pc, (void *)instruction->address, instruction->size,
                 exchanges ? &set : NULL);
    read_memory(instruction, bytes);
    uint64_t old = value_of(bytes, instruction->size);
    bool known = new_value(instruction, old, &new);
    atomic_end(self, &op, ATOMIC_LOADS | ATOMIC_STORES, __ATOMIC_SEQ_CST, new,
               (known ? EVENT_VALUE : 0) | (known && new == old ? EVENT_UNCHANGED : 0));
}

/* What a compare-and-exchange expects, and the first 8 bytes of what it writes. */
static uint64_t exchange_values(const struct instruction *instruction, uint64_t expected[2])
{
    const struct assembler_call *call = instruction->call;
    if (instruction->kind == ASM_CAS) {
        expected[0] = low_bytes(call->rax, instruction->size);
        return low_bytes(call->source, instruction->size);
    }
    if (instruction->size == 2 * sizeof(uint64_t)) {
        expected[0] = call->rax;
        expected[1] = call->rdx;
        return call->rbx;
    }
    expected[0] = low_bytes(call->rax, 4) | call->rdx << 32;
    return low_bytes(call->rbx, 4) | call->rcx << 32;
}

static bool is_equal(const unsigned char *bytes, const uint64_t expected[2], uint32_t size)
{
    for (uint32_t i = 0; i < size && i < 2 * sizeof *expected; i++)
        if (bytes[i] != ((const unsigned char *)expected)[i])
            return false;
    return true;
}

static void compare_locked(struct task *self, const struct instruction *instruction)
{
    struct op op;
    unsigned char bytes[WIDEST];
    uint64_t expected[2] = {0, 0}, new = exchange_values(instruction, expected);
    bool known = instruction->kind == ASM_CAS_PAIR || instruction->source_known;
    atomic_begin(self, &op, OP_ATOMIC_CAS, instruction->call->pc, (void *)instruction->address, instruction->size,
                 expected);
    read_memory(instruction, bytes);
    uint64_t old = value_of(bytes, instruction->size);
    if (!is_equal(bytes, expected, instruction->size))
        atomic_end(self, &op, ATOMIC_LOADS, __ATOMIC_SEQ_CST, old, EVENT_VALUE | EVENT_FAILED);
    else
        atomic_end(self, &op, ATOMIC_LOADS | ATOMIC_STORES, __ATOMIC_SEQ_CST, new,
                   (known ? EVENT_VALUE : 0) | (known && instruction->size <= 8 && new == old ? EVENT_UNCHANGED : 0));
}

/* ---- without --------------------------------------------------------------------------------------------------------- */

static struct op op_of(const struct instruction *instruction, bool write)
{
    return (struct op){
        .kind = write ? OP_ATOMIC_STORE : OP_ATOMIC_LOAD,
        .flags = OP_ATOMIC,
        .pc = instruction->call->pc,
        .address = instruction->address,
        .size = instruction->size,
        .fd = -1,
        .deadline = RT_NEVER,
    };
}

/* The value that is read goes to `bytes`. */
static void load(struct task *self, const struct instruction *instruction, unsigned char *bytes)
{
    struct op op = op_of(instruction, false);
    struct span span = {instruction->address, instruction->size, ACCESS_ATOMIC | ACCESS_READ};
    bool visible = access_announce(self, &op, &span);
    read_memory(instruction, bytes);
    access_atomic(self, op.pc, op.address, op.size, true, false, __ATOMIC_ACQUIRE);
    if (visible)
        record_event(self, &op, value_of(bytes, instruction->size), EVENT_VALUE);
}

/* Read: what the instruction has read before, NULL if it only writes. */
static void store(struct task *self, const struct instruction *instruction, const unsigned char *read)
{
    struct op op = op_of(instruction, true);
    struct span span = {instruction->address, instruction->size, ACCESS_ATOMIC | ACCESS_WRITE};
    uint64_t new = 0;
    bool visible = access_announce(self, &op, &span);
    access_atomic(self, op.pc, op.address, op.size, false, true, __ATOMIC_RELEASE);
    bool known = new_value(instruction, read != NULL ? value_of(read, instruction->size) : 0, &new);
    if (visible)
        record_event(self, &op, new, known ? EVENT_VALUE : 0);
    if (read != NULL) /* other tasks may have written since */
        raw_copy((void *)instruction->address, read, instruction->size);
}

static void update(struct task *self, const struct instruction *instruction)
{
    unsigned char bytes[WIDEST];
    uint64_t expected[2] = {0, 0};
    bool compares = instruction->kind == ASM_CAS || instruction->kind == ASM_CAS_PAIR;
    if (compares)
        exchange_values(instruction, expected);
    load(self, instruction, bytes);
    if (!compares || is_equal(bytes, expected, instruction->size))
        store(self, instruction, bytes);
}

static void do_instruction(struct task *self, const struct instruction *instruction)
{
    unsigned char bytes[WIDEST];
    bool locked = instruction->call->descriptor & ASM_LOCKED;
    switch (instruction->kind) {
    case ASM_LOAD:
        load(self, instruction, bytes);
        break;
    case ASM_STORE:
        store(self, instruction, NULL);
        break;
    case ASM_UPDATE:
        (locked ? update_locked : update)(self, instruction);
        break;
    case ASM_CAS:
    case ASM_CAS_PAIR:
        (locked ? compare_locked : update)(self, instruction);
        break;
    case ASM_FENCE:
        atomic_fence(self, instruction->call->pc, __ATOMIC_SEQ_CST);
        break;
    case ASM_PAUSE:
        spin_pause(self);
        break;
    case ASM_KINDS:
        break;
    }
}

/* The state of a task that is watched (sched/watch.h) is in the saved registers and on the stack above them.  watch_state
   also reads some words below the given address. */
enum { WATCHED_BELOW = 7 };

void assembler_call(const struct assembler_call *call)
{
    struct task *self = rt_enter_at((uintptr_t)((const uint64_t *)call + WATCHED_BELOW));
    if (self == NULL)
        return;
    struct instruction instruction = instruction_of(call);
    do_instruction(self, &instruction);
    rt_leave(self);
}
