/* SPDX-License-Identifier: MIT
 *
 * doctor.c - `raddle doctor`: proves on canary programs that control, detection and replay work on this machine.
 *
 * It uses raddle as a user would: it runs `raddle cc`, `raddle run` and `raddle replay` as commands, in a temporary
 * directory and without the user's settings, and looks at exit codes and files.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/doctor.h"
#include "cli/doctor_canary.h"
#include "util/buffer.h"
#include "util/error.h"
#include "util/file.h"
#include "util/log.h"
#include "util/memory.h"
#include "util/paths.h"

enum { LOOKED_AT = 1 << 26, COMMAND_SECONDS = 60, CORRECT_RUNS = 200 };

/* ---- reporting -------------------------------------------------------------------------------------------------------- */

bool doctor_say(struct doctor *doctor, bool ok, const char *what, const char *advice)
{
    const char *compiler = doctor->compiler != NULL ? doctor->compiler : "";
    printf("%-6s  %s%s%s\n", ok ? "ok" : "failed", compiler, *compiler ? ": " : "", what);
    if (!ok && advice != NULL)
        printf("        %s\n", advice);
    doctor->failed += !ok;
    fflush(stdout);
    return ok;
}

/* The last lines of what a command said, indented. */
static void show_log(void)
{
    struct buffer text = {0};
    struct error error = {0};
    if (file_read("log", LOOKED_AT, &text, &error)) {
        const char *begin = buffer_text(&text);
        const char *from = begin + text.size;
        for (int lines = 0; from > begin && lines <= 8; from--)
            lines += from[-1] == '\n';
        while (*from == '\n')
            from++;
        for (size_t length; *from != '\0'; from += length + (from[length] == '\n')) {
            length = strcspn(from, "\n");
            printf("        | %.*s\n", (int)length, from);
        }
    }
    buffer_free(&text);
}

/* ---- running commands ------------------------------------------------------------------------------------------------- */

/* In the child: none of the user's settings, and this compiler. */
static void set_environment(const char *compiler)
{
    for (char **variable = environ; *variable != NULL;) {
        size_t length = strcspn(*variable, "=");
        char *name = memory_format("%.*s", (int)length, *variable);
        if (strncmp(name, "RADDLE_", 7) == 0)
            unsetenv(name); /* shifts the later entries */
        else
            variable++;
        free(name);
    }
    if (compiler != NULL) {
        setenv("RADDLE_CC", compiler, 1);
        setenv("RADDLE_CXX", compiler, 1);
    }
}

int doctor_run(struct doctor *doctor, char *const *words)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid < 0)
        return -1;
    if (pid == 0) {
        set_environment(doctor->compiler);
        if (freopen("/dev/null", "r", stdin) == NULL || freopen("log", "w", stdout) == NULL)
            _exit(126);
        dup2(STDOUT_FILENO, STDERR_FILENO);
        alarm(COMMAND_SECONDS);
        execvp(words[0], words);
        fprintf(stderr, "cannot run %s: %s\n", words[0], strerror(errno));
        _exit(127);
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool doctor_say_command(struct doctor *doctor, bool ok, const char *what, const char *advice)
{
    doctor_say(doctor, ok, what, advice);
    if (!ok)
        show_log();
    return ok;
}

/* ---- what the kernel must give ---------------------------------------------------------------------------------------- */

/* The stack's line of /proc/self/maps in a process without address randomisation; empty if that is not allowed. */
static void read_stack_address(struct doctor *doctor, struct buffer *line)
{
    struct buffer text = {0};
    struct error error = {0};
    int before = personality(0xffffffff);
    if (before < 0 || personality((unsigned long)before | ADDR_NO_RANDOMIZE) < 0)
        return;
    int status = doctor_run(doctor, (char *[]){"cat", "/proc/self/maps", NULL});
    personality((unsigned long)before);
    const char *stack = NULL;
    if (status == 0 && file_read("log", LOOKED_AT, &text, &error))
        stack = strstr(buffer_text(&text), "[stack]");
    while (stack != NULL && stack > text.data && stack[-1] != '\n')
        stack--;
    if (stack != NULL)
        buffer_add(line, stack, strcspn(stack, "\n"));
    buffer_free(&text);
}

static void check_randomisation(struct doctor *doctor)
{
    struct buffer first = {0}, second = {0};
    read_stack_address(doctor, &first);
    read_stack_address(doctor, &second);
    bool ok = first.size > 0 && strcmp(buffer_text(&first), buffer_text(&second)) == 0;
    doctor_say(doctor, ok, "address randomisation can be switched off",
               "the system call personality(ADDR_NO_RANDOMIZE) is forbidden here: in a container allow it "
               "(docker run --security-opt seccomp=unconfined)");
    buffer_free(&first);
    buffer_free(&second);
}

static void check_memory_file(struct doctor *doctor)
{
    int fd = memfd_create("raddle-doctor", MFD_CLOEXEC);
    void *memory = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, 1 << 20) == 0)
        memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    doctor_say(doctor, memory != MAP_FAILED, "memory can be shared with the program (memfd)",
               "memfd_create or a shared mapping failed: raddle needs Linux 3.17 or later, and memory");
    if (memory != MAP_FAILED)
        munmap(memory, 1 << 20);
    if (fd >= 0)
        close(fd);
}

/* ---- what each compiler's programs must show -------------------------------------------------------------------------- */

bool doctor_build(struct doctor *doctor, const char *name, const char *body)
{
    bool plus = strstr(doctor->compiler, "++") != NULL;
    struct error error = {0};
    char *source = memory_format("%s.%s", name, plus ? "cc" : "c");
    char *text = memory_format("%s%s", plus ? canary_prelude_cxx : canary_prelude_c, body);
    bool ok = file_write(source, text, strlen(text), &error) &&
              DOCTOR_RUN(doctor, plus ? "c++" : "cc", "-O1", source, "-o", (char *)name) == 0;
    free(source);
    free(text);
    return ok;
}

/* The program calls raddle's hooks, has them, and is not linked with the compiler's own runtime. */
static bool is_instrumented(const char *program)
{
    struct buffer text = {0};
    struct error error = {0};
    bool ok = file_read(program, LOOKED_AT, &text, &error) &&
              memmem(text.data, text.size, "__tsan_write4", 13) != NULL &&
              memmem(text.data, text.size, "libtsan.so", 10) == NULL;
    buffer_free(&text);
    return ok;
}

static bool file_contains(const char *path, const char *word)
{
    struct buffer text = {0};
    struct error error = {0};
    bool found = file_read(path, LOOKED_AT, &text, &error) && strstr(buffer_text(&text), word) != NULL;
    buffer_free(&text);
    return found;
}

static void check_lost_update(struct doctor *doctor)
{
    int code = DOCTOR_RUN(doctor, "run", "--runs", "500", "--seed", "1", "--out", "out-lost", "--", "./lost");
    bool found = doctor_say_command(doctor, code == EXIT_BUG_FOUND && file_is_directory("out-lost/failure-1"),
                                    "a lost update is found", "control does not work here");
    if (!found)
        return;
    code = DOCTOR_RUN(doctor, "replay", "--times", "10", "out-lost/failure-1");
    doctor_say_command(doctor, code == EXIT_BUG_FOUND, "its replay shows the same failure 10 times out of 10",
                       "something here differs from run to run that raddle does not control");
    code = DOCTOR_RUN(doctor, "replay", "--threads", "kernel", "out-lost/failure-1");
    doctor_say_command(doctor, code == EXIT_BUG_FOUND, "and also on kernel threads",
                       "please report this as a bug of raddle");
}

static void check_deadlock(struct doctor *doctor)
{
    int code = DOCTOR_RUN(doctor, "run", "--runs", "500", "--seed", "1", "--out", "out-deadlock", "--", "./deadlock");
    doctor_say_command(doctor,
                       code == EXIT_BUG_FOUND && file_contains("out-deadlock/failure-1/about.json", "\"deadlock\""),
                       "a deadlock is found", "control of locks does not work here");
}

static void check_correct(struct doctor *doctor)
{
    unlink("starts");
    char runs[16];
    snprintf(runs, sizeof runs, "%d", CORRECT_RUNS);
    int code =
        DOCTOR_RUN(doctor, "run", "--runs", runs, "--seed", "1", "--out", "out-correct", "--", "./correct", "starts");
    doctor_say_command(doctor, code == EXIT_NOTHING_FOUND, "a correct program stays quiet",
                       "please report this as a bug of raddle");
    struct stat status;
    bool once = stat("starts", &status) == 0 && status.st_size > 0 && status.st_size < CORRECT_RUNS / 10;
    doctor_say(doctor, once, "the fork server works",
               "the program is started again for every schedule, which is slow: is fork restricted here?");
}

static void check_compiler(struct doctor *doctor, const char *compiler)
{
    doctor->compiler = compiler;
    bool built = doctor_build(doctor, "lost", canary_lost_update) &&
                 doctor_build(doctor, "deadlock", canary_deadlock) && doctor_build(doctor, "correct", canary_correct);
    if (doctor_say_command(doctor, built, "compiles and links programs",
                           "raddle needs gcc from version 11 or clang from version 14")) {
        if (doctor->working_compiler == NULL)
            doctor->working_compiler = compiler;
        doctor_say(doctor, is_instrumented("lost"), "they are instrumented and have raddle's runtime",
                   "the compiler has not called the hooks; RADDLE_DEBUG=1 raddle cc ... shows its command line");
        check_lost_update(doctor);
        check_deadlock(doctor);
        check_correct(doctor);
    }
    file_remove_tree("out-lost");
    file_remove_tree("out-deadlock");
    file_remove_tree("out-correct");
    doctor->compiler = NULL;
}

static void check_compilers(struct doctor *doctor)
{
    static const char *const compilers[] = {"gcc", "g++", "clang", "clang++"};
    int count = 0;
    for (size_t i = 0; i < sizeof compilers / sizeof compilers[0]; i++) {
        char *found = file_find_program(compilers[i]);
        if (found != NULL) {
            check_compiler(doctor, compilers[i]);
            count++;
        } else {
            printf("-       %s is not installed\n", compilers[i]);
        }
        free(found);
    }
    if (count == 0)
        doctor_say(doctor, false, "there is a compiler", "install gcc or clang: apt-get install gcc");
}

/* ---- the command ------------------------------------------------------------------------------------------------------ */

static bool enter_directory(struct doctor *doctor, struct error *error)
{
    const char *parent = getenv("TMPDIR");
    if (parent == NULL || *parent == '\0')
        parent = "/tmp";
    snprintf(doctor->directory, sizeof doctor->directory, "%s/raddle-doctor-XXXXXX", parent);
    if (mkdtemp(doctor->directory) == NULL || chdir(doctor->directory) != 0)
        return error_set(error, EXIT_UNSUPPORTED, "cannot make a directory in %s: %s; name another place in TMPDIR",
                         parent, strerror(errno));
    return true;
}

static int examine(struct doctor *doctor, bool keep, struct error *error)
{
    if (!paths_find(&doctor->paths, error) || !enter_directory(doctor, error))
        return error_report(error);
    check_memory_file(doctor);
    check_randomisation(doctor);
    check_compilers(doctor);
    doctor_check_carriers(doctor);
    if (chdir("/") != 0 || keep)
        printf("The canaries are in %s\n", doctor->directory);
    else
        file_remove_tree(doctor->directory);
    if (doctor->failed == 0)
        puts("raddle works here.");
    else
        printf("%u of the checks failed.\n", doctor->failed);
    paths_free(&doctor->paths);
    return doctor->failed == 0 ? 0 : EXIT_UNSUPPORTED;
}

int command_doctor(int argc, char **argv)
{
    struct doctor doctor = {0};
    struct error error = {0};
    bool keep = argc == 2 && strcmp(argv[1], "--keep") == 0;
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        puts(
            "raddle doctor\n"
            "\n"
            "Builds small programs with the installed compilers and proves that control, detection and replay work on\n"
            "this machine; says what can carry threads here, and whether memory can be put back and runs be held.\n"
            "Exit status: 0 all is well, 77 something does not work here.\n"
            "\n"
            "    --keep     leave the programs, and what their runs wrote, where they are");
        return 0;
    }
    if (argc > 1 && !keep) {
        log_error("raddle doctor does not know '%s'; see raddle doctor --help", argv[1]);
        return EXIT_USAGE;
    }
    return examine(&doctor, keep, &error);
}
