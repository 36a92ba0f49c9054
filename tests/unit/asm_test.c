/* SPDX-License-Identifier: MIT
 *
 * asm_test.c - what the filter makes of inline assembler: which instructions get a call, how they are described, what is named.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asm/filter.h"
#include "asm/instruction.h"
#include "campaign/blind.h"

#define K(kind, operation, size, flags) ASM_SEEN, asm_describe(ASM_##kind, ASM_##operation, size, flags)
#define NONE                            ASM_NOTHING, 0
#define BLIND                           ASM_UNSEEN, 0

static struct asm_instruction read_text(const char *text)
{
    struct asm_statement statement;
    assert_true(asm_statement_read(&statement, &text, text + strlen(text)));
    return asm_instruction_read(&statement);
}

static void expect(const char *text, enum asm_verdict verdict, unsigned descriptor, const char *memory,
                   const char *source)
{
    struct asm_instruction found = read_text(text);
    if (found.verdict != verdict || (verdict == ASM_SEEN && found.descriptor != descriptor))
        fail_msg("%s: verdict %d, descriptor %#x", text, (int)found.verdict, found.descriptor);
    if (verdict != ASM_SEEN)
        return;
    if (found.memory.size != strlen(memory) ||
        (found.memory.size > 0 && memcmp(found.memory.at, memory, found.memory.size) != 0))
        fail_msg("%s: memory '%.*s'", text, (int)found.memory.size, found.memory.at);
    if (strcmp(found.source, source) != 0)
        fail_msg("%s: source '%s'", text, found.source);
}

static void test_locked(void **state)
{
    (void)state;
    expect("lock addl $3, (%rdi)", K(UPDATE, ADD, 4, ASM_LOCKED | ASM_SOURCE), "(%rdi)", "$3");
    expect("lock subq %rsi, 8(%rax)", K(UPDATE, SUB, 8, ASM_LOCKED | ASM_SOURCE), "8(%rax)", "%rsi");
    expect("lock andw $-2, x(%rip)", K(UPDATE, AND, 2, ASM_LOCKED | ASM_SOURCE), "x(%rip)", "$-2");
    expect("lock orb %r9b, (%rax,%rbx,4)", K(UPDATE, OR, 1, ASM_LOCKED | ASM_SOURCE), "(%rax,%rbx,4)", "%r9");
    expect("lock xor %ecx, (%rdi)", K(UPDATE, XOR, 4, ASM_LOCKED | ASM_SOURCE), "(%rdi)", "%rcx");
    expect("lock incl x", K(UPDATE, ADD, 4, ASM_LOCKED | ASM_SOURCE), "x", "$1");
    expect("LOCK DECQ (%rdx)", K(UPDATE, SUB, 8, ASM_LOCKED | ASM_SOURCE), "(%rdx)", "$1");
    expect("lock negl (%rdx)", K(UPDATE, NEGATE, 4, ASM_LOCKED | ASM_SOURCE), "(%rdx)", "$0");
    expect("lock notb (%rdx)", K(UPDATE, NOT, 1, ASM_LOCKED | ASM_SOURCE), "(%rdx)", "$0");
    expect("lock xaddq %rax, (%rdx)", K(UPDATE, ADD, 8, ASM_LOCKED | ASM_SOURCE), "(%rdx)", "%rax");
    expect("lock cmpxchgl %r8d, (%rdx)", K(CAS, SET, 4, ASM_LOCKED | ASM_SOURCE), "(%rdx)", "%r8");
    expect("lock cmpxchg %cl, (%rdx)", K(CAS, SET, 1, ASM_LOCKED | ASM_SOURCE), "(%rdx)", "%rcx");
    expect("lock cmpxchg8b (%rdi)", K(CAS_PAIR, SET, 8, ASM_LOCKED), "(%rdi)", "$0");
    expect("lock cmpxchg16b (%rdi)", K(CAS_PAIR, SET, 16, ASM_LOCKED), "(%rdi)", "$0");
    expect("lock btsl $3, (%rdi)", K(UPDATE, BIT_SET, 4, ASM_LOCKED | ASM_SOURCE), "(%rdi)", "$3");
    expect("lock btrq %rax, (%rdi)", K(UPDATE, BIT_RESET, 8, ASM_LOCKED | ASM_SOURCE | ASM_OFFSET), "(%rdi)", "%rax");
    expect("lock btc %eax, (%rdi)", K(UPDATE, BIT_FLIP, 4, ASM_LOCKED | ASM_SOURCE | ASM_OFFSET), "(%rdi)", "%rax");
    expect("xchgl %eax, (%rdi)", K(UPDATE, SET, 4, ASM_LOCKED | ASM_SOURCE), "(%rdi)", "%rax");
    expect("xchg (%rdi), %bl", K(UPDATE, SET, 1, ASM_LOCKED | ASM_SOURCE), "(%rdi)", "%rbx");
    expect("xchgb %ah, (%rdi)", K(UPDATE, SET, 1, ASM_LOCKED), "(%rdi)", "$0");
    expect("lock addl $0, (%rsp)", K(FENCE, SET, 0, 0), "", "$0");
    expect("lock; ", NONE, "", "");
    expect("lock orl $0, -4(%rsp)", K(FENCE, SET, 0, 0), "", "$0");
    expect("lock adcl %eax, (%rdi)", K(UPDATE, OTHER, 4, ASM_LOCKED | ASM_SOURCE), "(%rdi)", "%rax");
}

static void test_plain(void **state)
{
    (void)state;
    expect("movl (%rdi), %eax", K(LOAD, SET, 4, 0), "(%rdi)", "$0");
    expect("mov %rax, 16(%rdi)", K(STORE, SET, 8, ASM_SOURCE), "16(%rdi)", "%rax");
    expect("movb $1, (%rdi)", K(STORE, SET, 1, ASM_SOURCE), "(%rdi)", "$1");
    expect("movl $0xffffffff, (%rdi)", K(STORE, SET, 4, ASM_SOURCE), "(%rdi)", "$-1");
    expect("movq $symbol, (%rdi)", K(STORE, SET, 8, 0), "(%rdi)", "$0");
    expect("movq %rsp, (%rdi)", K(STORE, SET, 8, 0), "(%rdi)", "$0");
    expect("movzbl (%rdi), %eax", K(LOAD, SET, 1, 0), "(%rdi)", "$0");
    expect("movslq (%rdi), %rax", K(LOAD, SET, 4, 0), "(%rdi)", "$0");
    expect("movdqu %xmm0, (%rdi)", K(STORE, OTHER, 16, 0), "(%rdi)", "$0");
    expect("vmovdqa (%rdi), %ymm3", K(LOAD, OTHER, 32, 0), "(%rdi)", "$0");
    expect("movq %xmm0, (%rdi)", K(STORE, SET, 8, 0), "(%rdi)", "$0");
    expect("incl (%rdi)", K(UPDATE, ADD, 4, ASM_SOURCE), "(%rdi)", "$1");
    expect("addl (%rdi), %eax", K(LOAD, ADD, 4, 0), "(%rdi)", "$0");
    expect("cmpl $0, (%rdi)", K(LOAD, SET, 4, 0), "(%rdi)", "$0");
    expect("testb $1, (%rdi)", K(LOAD, SET, 1, 0), "(%rdi)", "$0");
    expect("cmovne (%rdi), %eax", K(LOAD, SET, 4, 0), "(%rdi)", "$0");
    expect("sete (%rdi)", K(STORE, OTHER, 1, 0), "(%rdi)", "$0");
    expect("btl %eax, (%rdi)", K(LOAD, BIT_TEST, 4, ASM_SOURCE | ASM_OFFSET), "(%rdi)", "%rax");
    expect("pushq (%rdi)", K(LOAD, SET, 8, 0), "(%rdi)", "$0");
    expect("shll %cl, (%rdi)", K(UPDATE, OTHER, 4, 0), "(%rdi)", "$0");
    expect("mfence", K(FENCE, SET, 0, 0), "", "$0");
    expect("lfence", K(FENCE, SET, 0, 0), "", "$0");
    expect("sfence", K(FENCE, SET, 0, 0), "", "$0");
    expect("pause", K(PAUSE, SET, 0, 0), "", "$0");
    expect("rep nop", K(PAUSE, SET, 0, 0), "", "$0");
}

static void test_nothing_and_unseen(void **state)
{
    static const char *const nothing[] = {
        "nop",
        "rdtsc",
        "cpuid",
        "bswap %eax",
        "movl %eax, %ebx",
        "leaq 8(%rdi), %rax",
        "1:",
        "jmp 1b",
        "jne .L5",
        "call function",
        "movl %fs:0, %eax",
        "movq x@GOTPCREL(%rip), %rax",
        "xchg %eax, %ebx",
        "prefetcht0 (%rdi)",
        "clflush (%rdi)",
        "pushfq",
        "popq %rax",
        "fld %st(1)",
        "call *%rax",
        "# movl (%rdi)",
    };
    static const char *const unseen[] = {
        "rep movsb",
        "stosq",
        "syscall",
        "int $0x80",
        "aesenc (%rdi), %xmm0",
        "fxsave (%rdi)",
        "inc (%rdi)",
        "jmp *(%rdi)",
        "movl %es:(%rdi), %eax",
        "lock foo (%rdi)",
        "xbegin 1f",
        "vmovdqu32 (%rdi), %zmm0{%k1}",
        "movzx (%rdi), %eax",
        "btsl $symbol, (%rdi)",
    };
    (void)state;
    for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; i++)
        expect(nothing[i], NONE, "", "");
    for (size_t i = 0; i < sizeof unseen / sizeof unseen[0]; i++)
        expect(unseen[i], BLIND, "", "");
    assert_true(read_text("loop 1b").rigid);
    assert_true(read_text("jmp . + 5").rigid);
    assert_true(read_text("movl $(2b - 1b), %eax").rigid);
    assert_false(read_text("jmp 1b").rigid);
    assert_true(read_text("lock foo (%rdi)").synchronises);
}

static void test_statements(void **state)
{
    const char *text = "1: a: lock; movl /* x, y */ 4(%rax,%rbx), %ecx # z, (1)\n.ascii \"a;b\", \"c\"\nx = 5";
    const char *end = text + strlen(text);
    struct asm_statement statement;
    (void)state;
    assert_true(asm_statement_read(&statement, &text, end));
    assert_true(statement.lock && statement.name.size == 0 && asm_text_is(statement.label, "a"));
    assert_true(asm_statement_read(&statement, &text, end));
    assert_int_equal(statement.operand_count, 2);
    assert_true(asm_text_is(statement.operands[0], "4(%rax,%rbx)"));
    assert_true(asm_text_is(statement.operands[1], "%ecx"));
    assert_true(asm_statement_read(&statement, &text, end));
    assert_int_equal(statement.operand_count, 2);
    assert_true(asm_statement_read(&statement, &text, end));
    assert_true(statement.assigns);
    assert_false(asm_statement_read(&statement, &text, end));
}

/* ---- whole texts ---------------------------------------------------------------------------------------------------- */

/* A function of the compiler's with this between #APP and #NO_APP. */
static char *function_with(const char *before, const char *body)
{
    return memory_format(
        "\t.file 1 \"dir/a.c\"\n\t.type\tf, @function\nf:\n\t.cfi_startproc\n%s\t.loc 1 7 3\n#APP\n%s\n#NO_APP\n"
        "\tret\n\t.cfi_endproc\n\t.size\tf, .-f\n\tcall __tsan_init\n",
        before, body);
}

static char *filtered(const char *before, const char *body, bool instrument, bool *changed)
{
    struct buffer output = {0};
    char *text = function_with(before, body);
    *changed = asm_filter(text, strlen(text), instrument, &output);
    free(text);
    return buffer_take(&output);
}

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;
    while ((text = strstr(text, word)) != NULL) {
        count++;
        text += strlen(word);
    }
    return count;
}

static void check_body(const char *body, size_t calls, size_t notes)
{
    bool changed;
    char *text = filtered("", body, true, &changed);
    if (count_of(text, "raddle_assembler") != calls || count_of(text, ".asciz") != notes ||
        changed != (calls + notes > 0))
        fail_msg("%s: %zu calls, %zu notes\n%s", body, count_of(text, "raddle_assembler"), count_of(text, ".asciz"),
                 text);
    free(text);
}

static void test_blocks(void **state)
{
    (void)state;
    check_body("", 0, 0);
    check_body("\tnop; bswap %eax", 0, 0);
    check_body("# 5 \"a.c\" 1\n\tlock; incl (%rdi); sete %al\n# 0 \"\" 2", 1, 0);
    check_body("\tlock\n\tcmpxchgl %ecx, (%rdi)", 1, 0);
    check_body("1:\tlock; decl (%rdi)\n\tjns 2f\n3:\trep; nop\n\tcmpl $0, (%rdi)\n\tjle 3b\n\tjmp 1b\n2:", 3, 0);
    check_body("\tmovl (%rsp), %eax; mfence", 2, 0);
    check_body("\trep; movsb\n\tincl (%rdi)", 1, 1);
    /* sections are switched, distances measured: nothing is put in, what would have been is named */
    check_body("671:\tlock; incl (%rdi)\n.pushsection .smp_locks,\"a\"\n.long 671b - .\n.popsection", 0, 1);
    check_body("990:\tnop\n.pushsection .note\n.long 990b\n.popsection", 0, 0);
    check_body("1:\tincl (%rdi)\n\tloop 1b", 0, 1);
    check_body(".byte 0xf3, 0x90", 0, 1);
    check_body(".rept 3\n\tnop\n.endr", 0, 1);
}

static void test_call(void **state)
{
    bool changed;
    char *text = filtered("", "# 9 \"x/b.h\" 1\n\tlock; incl 8(%rsp)", true, &changed);
    (void)state;
    assert_non_null(strstr(text, "leaq\t144+(8)(%rsp), %rdi"));
    assert_non_null(strstr(text, "pushq\t$1\n\tpushq\t%rdi"));
    assert_non_null(strstr(text, ".cfi_adjust_cfa_offset 152\n\tcall"));
    const char *call = strstr(text, "raddle_assembler"), *prefix = strstr(text, "lock; incl");
    assert_true(call != NULL && prefix > call);
    free(text);
    /* the frame is found by another register: nothing to adjust */
    text = filtered("\t.cfi_def_cfa_register 6\n", "\tlock; incl (%rdi)", true, &changed);
    assert_null(strstr(text, "adjust_cfa"));
    assert_non_null(strstr(text, "leaq\t(%rdi), %rdi"));
    free(text);
    text = filtered("\t.cfi_remember_state\n\t.cfi_def_cfa 6, 16\n\t.cfi_restore_state\n", "\tincl (%rdi)", true,
                    &changed);
    assert_non_null(strstr(text, "adjust_cfa"));
    free(text);
    text = filtered("", "\tlock; incl (%rdi)", false, &changed);
    assert_true(changed && strstr(text, "raddle_assembler") == NULL);
    assert_non_null(strstr(text, ".asciz\t\"f\\ta.c:7\\tlock; incl (%rdi)\""));
    free(text);
    text = filtered("", "# 9 \"x/b.h\" 1\n\tstosb", true, &changed);
    assert_non_null(strstr(text, ".asciz\t\"f\\tb.h:9\\tstosb\""));
    free(text);
    text = filtered("\t.intel_syntax noprefix\n", "\tlock inc DWORD PTR [rdi]\n\tmov eax, ebx", true, &changed);
    assert_int_equal(count_of(text, ".asciz"), 1);
    assert_null(strstr(text, "raddle_assembler"));
    free(text);
}

static void test_written(void **state)
{
    struct buffer output = {0};
    const char *text = "# 1 \"dir/lock.S\"\n.text\n/* lock; incl (x)\n*/\nacquire:\n\tlock\n\tbtsl $0, (%rdi)\n\tmovl "
                       "(%rdi), %eax\nrelease:\n"
                       "\tmovl $0, (%rdi)\n";
    (void)state;
    assert_true(asm_filter(text, strlen(text), true, &output));
    assert_int_equal(count_of(buffer_text(&output), ".asciz"), 1);
    assert_non_null(strstr(buffer_text(&output), ".asciz\t\"acquire\\tlock.S:6\\tlock  btsl $0, (%rdi)\""));
    assert_null(strstr(buffer_text(&output), "raddle_assembler"));
    buffer_clear(&output);
    assert_false(asm_filter("f: ret\n", 7, true, &output));
    /* compiled without instrumentation, or without assembler: as it is */
    text = "\tcall __tsan_init\n\tlock; incl (%rdi)\n";
    assert_false(asm_filter(text, strlen(text), true, &output));
    buffer_free(&output);
}

static void test_notes(void **state)
{
    static const char notes[] =
        "f\ta.c:7\trep movsb\0_ZN1a1bEv\t\tsyscall\0f\ta.c:7\trep movsb\0\0junk\0\t\tlock\0\1\t\2\t\3\0cut";
    struct blind blind = {0};
    (void)state;
    blind_read_notes(&blind, notes, sizeof notes - 1);
    assert_int_equal(blind.assembler.count, 4);
    assert_string_equal(blind.assembler.data[0], "f at a.c:7: rep movsb");
    assert_string_equal(blind.assembler.data[1], "a::b: syscall");
    assert_string_equal(blind.assembler.data[2], "file level: lock");
    assert_string_equal(blind.assembler.data[3], "? at ?: ?");
    blind_free(&blind);
    assert_true(blind_is_system("/lib/x86_64-linux-gnu/libc.so.6"));
    assert_true(blind_is_system("/usr/lib/libz.so"));
    assert_true(blind_is_system("linux-vdso.so.1"));
    assert_true(blind_is_system("/opt/raddle/lib/libraddle_preload.so"));
    assert_false(blind_is_system("./libown.so"));
    assert_false(blind_is_system("/home/me/library/libown.so"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_locked),     cmocka_unit_test(test_plain),  cmocka_unit_test(test_nothing_and_unseen),
        cmocka_unit_test(test_statements), cmocka_unit_test(test_blocks), cmocka_unit_test(test_call),
        cmocka_unit_test(test_written),    cmocka_unit_test(test_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
