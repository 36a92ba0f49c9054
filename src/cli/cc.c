/* SPDX-License-Identifier: MIT
 *
 * cc.c - `raddle cc` and `raddle c++`: gcc or clang, with raddle's instrumentation and runtime.
 *
 * DESIGN
 *   The wrapper adds arguments before and after the user's and becomes the compiler (exec): no temporary files, no
 *   splitting of a command that both compiles and links.
 *
 *   ThreadSanitizer's instrumentation is wanted, its library is not.  So -fsanitize=thread must reach the compiler
 *   proper but not the compiler driver, which would add -ltsan at the link:
 *     gcc     a specs file that appends it to what cc1 is given.  Also given at link time, where it matters for -flto.
 *     clang   -Xclang, which goes to cc1 alone.  Not given when nothing is compiled: clang warns of unused arguments.
 *   clang leaves out the read of a read-modify-write like x++ unless told not to.
 *
 *   Inline assembler is instrumented on the way to the assembler: as.c is called instead of the real one, because of
 *   -B.  clang calls it only with -fno-integrated-as.
 *
 *   A shared library gets no runtime: its hooks are found in the program, which exports them (raddle.syms).  Until then
 *   they are undefined in it, which -z defs would reject: -z undefs comes last and wins.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cc_arguments.h"
#include "cli/cc_compiler.h"
#include "cli/cc_ir.h"
#include "cli/command.h"
#include "util/buffer.h"
#include "util/error.h"
#include "util/log.h"
#include "util/paths.h"
#include "util/vector.h"

/* Symbols are bound once in the fork server, not in each schedule at the first call. */
#define BIND_EARLY "-Wl,-z,now"

typedef VECTOR(const char *) argument_list;

struct cc {
    const char *name; /* "cc", "c++" */
    struct paths paths;
    struct cc_compiler compiler;
    argument_list list;
    char *specs_option, *symbols_option;
    bool ir; /* --ir, RADDLE_IR */
};

static void add_instrumentation(struct cc *cc, const struct cc_arguments *arguments)
{
    bool gcc = cc->compiler.family == CC_GCC;
    if (gcc)
        vector_push(&cc->list, cc->specs_option);
    if (gcc || arguments->assembles) {
        vector_push(&cc->list, "-B");
        vector_push(&cc->list, cc->paths.assembler);
    }
    if (!gcc && arguments->assembles && !arguments->intel) /* GNU as cannot read what clang writes then */
        vector_push(&cc->list, "-fno-integrated-as");
    if (gcc || !arguments->compiles)
        return;
    static const char *const options[] = {
        "-Xclang", "-fsanitize=thread",
        "-mllvm",  "-tsan-instrument-read-before-write=1",
        "-mllvm",  "-tsan-distinguish-volatile=1",
    };
    vector_append(&cc->list, options, sizeof options / sizeof options[0]);
}

/* After the user's arguments.  clang would make code of inline assembler while it links, without calling an assembler; gcc calls it then. */
static void add_assembler_options(struct cc *cc, const struct cc_arguments *arguments)
{
    if (arguments->instrument && arguments->optimises_late && cc->compiler.family == CC_CLANG)
        vector_push(&cc->list, "-fno-lto");
}

/* Before the user's arguments, so that the user's have precedence: -g0, for example. */
static void add_compile_options(struct cc *cc, const struct cc_arguments *arguments)
{
    if (arguments->instrument)
        add_instrumentation(cc, arguments);
    if (arguments->output == CC_PROGRAM)
        vector_push(&cc->list, BIND_EARLY);
    if (!arguments->compiles)
        return;
    vector_push(&cc->list, "-g");
    if (!arguments->preprocesses) /* clang warns */
        return;
    vector_push(&cc->list, "-idirafter");
    vector_push(&cc->list, cc->paths.include);
}

/* Some warnings of gcc depend on optimisations, which instrumentation changes.  A warning that appears only with
   instrumentation must not end a build with -Werror.  Those of the last three lines may be unknown to the compiler: it
   ignores -Wno-X then, but not -Wno-error=X. */
static const char *const gcc_warnings[] = {
    "-Wno-error=stringop-truncation",
    "-Wno-error=stringop-overflow",
    "-Wno-error=stringop-overread",
    "-Wno-error=array-bounds",
    "-Wno-error=maybe-uninitialized",
    "-Wno-error=uninitialized",
    "-Wno-error=restrict",
    "-Wno-error=nonnull",
    "-Wno-error=null-dereference",
    "-Wno-error=format-overflow",
    "-Wno-error=format-truncation",
    "-Wno-error=free-nonheap-object",
    "-Wno-error=mismatched-new-delete",
    "-Wno-error=return-local-addr",
    "-Wno-error=strict-overflow",
    "-Wno-error=aggressive-loop-optimizations",
    "-Wno-error=disabled-optimization",
    "-Wno-error=inline",
    "-Wno-error=clobbered",
    "-Wno-error=frame-larger-than=",
    "-Wno-error=stack-usage=",
    "-Wno-error=alloc-size-larger-than=",
    "-Wno-error=suggest-attribute=pure",
    "-Wno-error=suggest-attribute=const",
    "-Wno-error=suggest-attribute=noreturn",
    "-Wno-use-after-free",
    "-Wno-dangling-pointer",
    "-Wno-infinite-recursion",
};
/* clang warns before it instruments, except for these. */
static const char *const clang_warnings[] = {"-Wno-error=frame-larger-than", "-Wno-error=pass-failed"};

/* After the user's arguments, so that these win. */
static void add_warning_options(struct cc *cc, const struct cc_arguments *arguments)
{
    bool gcc = cc->compiler.family == CC_GCC;
    if (!arguments->instrument || !(arguments->compiles || gcc))
        return;
    if (gcc)
        vector_push(&cc->list, "-Wno-tsan");
    if (!arguments->errors)
        return;
    if (gcc)
        vector_append(&cc->list, gcc_warnings, sizeof gcc_warnings / sizeof gcc_warnings[0]);
    else
        vector_append(&cc->list, clang_warnings, sizeof clang_warnings / sizeof clang_warnings[0]);
}

/* After the user's arguments. -Xlinker and not -Wl: a path may have commas in it. */
static void add_link_options(struct cc *cc, enum cc_output output)
{
    if (output == CC_SHARED)
        vector_push(&cc->list, "-Wl,-z,undefs");
    if (output != CC_PROGRAM)
        return;
    const char *const options[] = {
        "-x",
        "none", /* a -x of the user's would make the object a source file */
        cc->paths.runtime,
        "-Xlinker",
        cc->symbols_option,
        "-ldl",
        "-lpthread",
    };
    vector_append(&cc->list, options, sizeof options / sizeof options[0]);
}

static void print_list(FILE *to, const argument_list *list)
{
    struct buffer line = {0};
    for (size_t i = 0; i < list->count && list->data[i] != NULL; i++) {
        if (i > 0)
            buffer_add_char(&line, ' ');
        buffer_add_quoted(&line, list->data[i]);
    }
    fprintf(to, "%s\n", buffer_text(&line));
    buffer_free(&line);
}

/* --print-cflags, --print-ldflags: for build systems that take flags but no wrapper. */
static void print_flags(struct cc *cc, bool link)
{
    if (link) {
        const char *const options[] = {cc->paths.runtime,  BIND_EARLY, "-Xlinker",
                                       cc->symbols_option, "-ldl",     "-lpthread"};
        vector_append(&cc->list, options, sizeof options / sizeof options[0]);
    } else {
        /* Such build systems also give these flags to the linking command, where clang would warn of them. */
        bool clang = cc->compiler.family == CC_CLANG;
        if (clang)
            vector_push(&cc->list, "--start-no-unused-arguments");
        const struct cc_arguments arguments = {CC_OBJECT,         .compiles = true,   .preprocesses = true,
                                               .assembles = true, .instrument = true, .errors = true};
        add_compile_options(cc, &arguments);
        add_warning_options(cc, &arguments);
        if (clang)
            vector_push(&cc->list, "--end-no-unused-arguments");
    }
    print_list(stdout, &cc->list);
}

static void print_help(const char *name)
{
    bool plus = strcmp(name, "c++") == 0;
    const char *variable = plus ? "CXX" : "CC";
    printf(
        "raddle %s ARGUMENTS...          (also: raddle-%s)\n"
        "\n"
        "Runs the %s compiler with these arguments, adds instrumentation and debug lines to what it compiles, and "
        "links\n"
        "raddle's runtime into programs. For any build system: %s=\"raddle %s\" make, or %s=raddle-%s.\n"
        "\n"
        "    --ir               keep the LLVM IR of the sources in what is built, for `raddle analyze` (needs clang)\n"
        "    --print-cflags     the flags for compiling, for build systems that do not take a wrapper\n"
        "    --print-ldflags    the flags for linking a program (not a shared library)\n"
        "    --help             this text; every other option is the compiler's\n"
        "\n"
        "RADDLE_%s     the compiler: gcc or clang; may have arguments (\"ccache gcc\"); default: %s\n"
        "RADDLE_AS      the assembler; default: as\n"
        "RADDLE_IR      1: as --ir\n"
        "RADDLE_DEBUG   1: print the command that is run\n"
        "\n"
        "Examples:\n"
        "  raddle cc -O1 -g bank.c -o bank\n"
        "  make CC=\"raddle cc\" CXX=\"raddle c++\"\n"
        "  ./configure CC=raddle-cc CXX=raddle-c++ && make\n",
        name, name, plus ? "C++" : "C", variable, name, variable, name, variable, name);
}

static int become_compiler(struct cc *cc, int argc, char **argv, struct error *error)
{
    struct cc_arguments arguments;
    if (!cc_arguments_read(&arguments, argc - 1, argv + 1, error))
        return error_report(error);
    vector_append(&cc->list, cc->compiler.words.data, cc->compiler.words.count);
    if (arguments.output != CC_NOTHING)
        add_compile_options(cc, &arguments);
    struct cc_ir ir = {0};
    if (cc->ir && !cc_ir_open(&ir, cc->name, cc->paths.include, argc - 1, argv + 1, error))
        return error_report(error);
    vector_append(&cc->list, argv + 1, (size_t)argc - 1);
    if (ir.object != NULL)
        vector_push(&cc->list, ir.object);
    if (arguments.output != CC_NOTHING) {
        add_warning_options(cc, &arguments);
        add_assembler_options(cc, &arguments);
    }
    add_link_options(cc, arguments.output);
    vector_push(&cc->list, NULL);

    const char *debug = getenv("RADDLE_DEBUG");
    if (debug != NULL && strcmp(debug, "") != 0 && strcmp(debug, "0") != 0)
        print_list(stderr, &cc->list);
    if (cc->compiler.family == CC_CLANG)
        setenv(AS_CLANG, cc->compiler.words.data[cc->compiler.words.count - 1], 1);
    else
        unsetenv(AS_CLANG);
    if (ir.wanted)
        return cc_ir_run(&ir, (char **)cc->list.data);
    execvp(cc->list.data[0], (char **)cc->list.data);
    log_error("raddle %s: cannot run '%s': %s", cc->name, cc->list.data[0], strerror(errno));
    return EXIT_USAGE;
}

static int run_wrapper(const char *name, const char *variable, int argc, char **argv)
{
    struct cc cc = {.name = name, .ir = cc_ir_is_asked_for(&argc, argv)};
    const char *only = argc == 2 ? argv[1] : "";
    if (strcmp(only, "--help") == 0) {
        print_help(name);
        return 0;
    }
    struct error error = {0};
    if (!paths_find(&cc.paths, &error))
        return error_report(&error);
    int code;
    cc.specs_option = memory_format("-specs=%s", cc.paths.specs);
    cc.symbols_option = memory_format("--dynamic-list=%s", cc.paths.symbols);
    if (!cc_compiler_find(&cc.compiler, variable, name, cc.paths.executable, &error)) {
        code = error_report(&error);
    } else if (strcmp(only, "--print-cflags") == 0 || strcmp(only, "--print-ldflags") == 0) {
        print_flags(&cc, strcmp(only, "--print-ldflags") == 0);
        code = 0;
    } else {
        code = become_compiler(&cc, argc, argv, &error);
    }
    free(cc.specs_option);
    free(cc.symbols_option);
    vector_free(&cc.list);
    cc_compiler_free(&cc.compiler);
    paths_free(&cc.paths);
    return code;
}

int command_cc(int argc, char **argv)
{
    return run_wrapper("cc", "RADDLE_CC", argc, argv);
}

int command_cxx(int argc, char **argv)
{
    return run_wrapper("c++", "RADDLE_CXX", argc, argv);
}
