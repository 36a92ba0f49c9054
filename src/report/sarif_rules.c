/* SPDX-License-Identifier: MIT
 *
 * sarif_rules.c - the kinds of failures and warnings as SARIF rules, in the order of WIRE_KINDS.
 */
#include "report/sarif_rules.h"

#include <stdbool.h>
#include <string.h>

/* X(id, name, warning, what it is, what to do) */
#define RULES(X)                                                                                                       \
    X("signal", "Signal", false, "A signal ended the program in some interleaving.",                                   \
      "Look for memory that one thread changes or frees while another uses it.")                                       \
    X("assert", "AssertionFailed", false, "An assertion of the program failed in some interleaving.",                  \
      "Find the order of accesses that breaks what the assertion says, and forbid it with a lock.")                    \
    X("abort", "Abort", false, "The program aborted itself in some interleaving.",                                     \
      "Find the order of accesses that leads to the abort, and forbid it.")                                            \
    X("exit", "WrongExitStatus", false, "The exit status is not the expected one in some interleaving.",               \
      "The result depends on the order of the threads: make it independent of it.")                                    \
    X("output", "WrongOutput", false, "The output is not the expected one in some interleaving.",                      \
      "The output depends on the order of the threads: make it independent of it.")                                    \
    X("oracle", "OracleSaidNo", false, "The command given with --oracle refused the result of some interleaving.",     \
      "The result depends on the order of the threads: make it independent of it.")                                    \
    X("deadlock", "Deadlock", false, "Threads wait for each other for ever in some interleaving.",                     \
      "Take locks in the same order everywhere, and do not wait for a thread that needs a lock that is held.")         \
    X("hang", "Hang", false, "The program does not end in some interleaving.",                                         \
      "Look for a wait whose condition no thread can make true any more.")                                             \
    X("race", "DataRace", true, "Two threads access the same memory, one of them writing, and nothing orders them.",   \
      "Protect both accesses with the same lock, or make them atomic.")                                                \
    X("volatile-race", "VolatileRace", true,                                                                           \
      "Two threads access the same volatile memory, one of them writing, and nothing orders them.",                    \
      "volatile does not order threads: make both accesses atomic, or use a lock.")                                    \
    X("use-after-free", "UseAfterFree", false, "A block of the heap is used after another thread freed it.",           \
      "Free it only when no thread can use it any more: after a join, or by counting its users.")                      \
    X("double-free", "DoubleFree", false, "A block of the heap is freed twice.",                                       \
      "Decide under a lock which thread frees it.")                                                                    \
    X("invalid-free", "InvalidFree", false, "Something is freed that is not a block of the heap.",                     \
      "Look for a pointer that another thread has changed.")                                                           \
    X("out-of-block", "OutOfBlock", false, "An access goes beyond the end of a block of the heap.",                    \
      "Look for a size or an index that another thread has changed since it was checked.")                             \
    X("lock-misuse", "LockMisuse", false, "A lock is used against its rules.",                                         \
      "Unlock only what the thread holds, and destroy a lock only when no thread holds it or waits for it.")           \
    X("uncaught-exception", "UncaughtException", false, "An exception ended the program in some interleaving.",        \
      "Find the order of accesses that leads to the exception, and forbid it.")                                        \
    X("lock-order", "LockOrder", true, "Two threads take the same two locks in different orders.",                     \
      "Take the two locks in the same order everywhere.")                                                              \
    X("leak", "Leak", true, "Memory is lost in some interleavings and freed in others.",                               \
      "Decide under a lock which thread's block is kept, and free the other one.")                                     \
    X("serializability", "Serializability", true,                                                                      \
      "Calls on one object interrupt each other, so that it is seen or left half changed.",                            \
      "Hold the lock from the beginning of the call to its end, or call a function that does.")                        \
    X("failure", "Failure", false, "The program failed in some interleaving.", "See the message.")

static const struct {
    const char *id, *name;
    bool warning;
    const char *what, *help;
} rules[] = {
#define X(id, name, warning, what, help) {id, name, warning, what, help},
    RULES(X)
#undef X
};
enum { RULE_COUNT = sizeof rules / sizeof rules[0] };

size_t sarif_rule(const char *kind)
{
    size_t rule = 0;
    while (rule < RULE_COUNT - 1 && strcmp(rules[rule].id, kind) != 0)
        rule++;
    return rule;
}

const char *sarif_rule_id(size_t rule)
{
    return rules[rule].id;
}

static void write_message(struct json_writer *json, const char *name, const char *text)
{
    json_begin(json, name, '{');
    json_text(json, "text", text);
    json_end(json);
}

void sarif_write_rules(struct json_writer *json)
{
    json_begin(json, "rules", '[');
    for (size_t i = 0; i < RULE_COUNT; i++) {
        json_begin(json, NULL, '{');
        json_text(json, "id", rules[i].id);
        json_text(json, "name", rules[i].name);
        write_message(json, "shortDescription", rules[i].what);
        write_message(json, "fullDescription", rules[i].what);
        write_message(json, "help", rules[i].help);
        json_begin(json, "defaultConfiguration", '{');
        json_text(json, "level", rules[i].warning ? "warning" : "error");
        json_end(json);
        json_begin(json, "properties", '{');
        json_begin(json, "tags", '[');
        json_text(json, NULL, "concurrency");
        json_text(json, NULL, "correctness");
        json_end(json);
        json_end(json);
        json_end(json);
    }
    json_end(json);
}
