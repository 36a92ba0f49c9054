/* SPDX-License-Identifier: MIT
 *
 * command.h - the commands: one row per command, and the command's file, man page and end-to-end test bear its name.
 *
 * A command gets its own name as argv[0] and returns raddle's exit code (util/error.h).
 */
#ifndef RADDLE_CLI_COMMAND_H
#define RADDLE_CLI_COMMAND_H

/* X(function, name, arguments, what it does) */
#define COMMANDS(X)                                                                                                    \
    X(cc, "cc", "ARGUMENTS...", "compile and link a C program under control: CC=\"raddle cc\" (or raddle-cc)")         \
    X(cxx, "c++", "ARGUMENTS...", "the same for C++: CXX=\"raddle c++\" (or raddle-c++)")                              \
    X(run, "run", "[OPTIONS] -- PROGRAM ARGUMENTS...", "run the program under many interleavings, find its failures")  \
    X(replay, "replay", "FAILURE", "run one recorded failure again, exactly")                                          \
    X(explain, "explain", "FAILURE", "show how a recorded failure happened, in a column per thread")                   \
    X(shrink, "shrink", "FAILURE", "reduce a recorded failure to the fewest preemptions")                              \
    X(force, "force", "PATTERN [OPTIONS] -- PROGRAM ARGUMENTS...",                                                     \
      "make one interleaving happen, or say why it cannot")                                                            \
    X(report, "report", "[DIR] [--html FILE] [--junit FILE]...",                                                       \
      "report failures and coverage: summary, HTML, JSON, JUnit, SARIF, TAP, Perfetto trace")                          \
    X(analyze, "analyze", "--atomic-sets PROGRAM",                                                                     \
      "say what is assumed about a program: which memory belongs together, and which functions keep it so")            \
    X(gen, "gen", "HEADER SOURCE... [-- FLAGS]",                                                                       \
      "write concurrent tests for a module, from its header, and keep those that fail")                                \
    X(memo, "memo", "ACTION MEMO...", "show, merge, prune, export, import what is remembered about a program")         \
    X(doctor, "doctor", "", "prove on small programs that control, detection and replay work here")

#define X(function, name, arguments, text) int command_##function(int argc, char **argv);
COMMANDS(X)
#undef X

/* The assembler for compilers that `raddle cc` started; not for users. */
int command_as(int argc, char **argv);
#define AS_CLANG "RADDLE_AS_CLANG" /* in its environment: the compiler, if that is clang */

#endif
