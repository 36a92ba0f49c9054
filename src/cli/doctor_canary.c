/* SPDX-License-Identifier: MIT
 *
 * doctor_canary.c - see doctor_canary.h.
 */
#include "cli/doctor_canary.h"

const char canary_prelude_c[] = "#include <assert.h>\n"
                                "#include <fcntl.h>\n"
                                "#include <pthread.h>\n"
                                "#include <stddef.h>\n"
                                "#include <unistd.h>\n"
                                "typedef pthread_mutex_t mutex_type;\n"
                                "#define MUTEX PTHREAD_MUTEX_INITIALIZER\n"
                                "static void lock(mutex_type *m) { pthread_mutex_lock(m); }\n"
                                "static void unlock(mutex_type *m) { pthread_mutex_unlock(m); }\n"
                                "static void *start(void *function) { (*(void (**)(void))function)(); return NULL; }\n"
                                "static void in_two_threads(void (*a)(void), void (*b)(void))\n"
                                "{\n"
                                "    pthread_t x, y;\n"
                                "    pthread_create(&x, NULL, start, &a);\n"
                                "    pthread_create(&y, NULL, start, &b);\n"
                                "    pthread_join(x, NULL);\n"
                                "    pthread_join(y, NULL);\n"
                                "}\n";

const char canary_prelude_cxx[] = "#include <cassert>\n"
                                  "#include <fcntl.h>\n"
                                  "#include <mutex>\n"
                                  "#include <thread>\n"
                                  "#include <unistd.h>\n"
                                  "typedef std::mutex mutex_type;\n"
                                  "#define MUTEX {}\n"
                                  "static inline void lock(mutex_type *m) { m->lock(); }\n"
                                  "static inline void unlock(mutex_type *m) { m->unlock(); }\n"
                                  "static void in_two_threads(void (*a)(), void (*b)())\n"
                                  "{\n"
                                  "    std::thread x(a), y(b);\n"
                                  "    x.join();\n"
                                  "    y.join();\n"
                                  "}\n";

/* Fails when both read before one has written. */
const char canary_lost_update[] = "static int counter;\n"
                                  "static void add(void) { counter++; }\n"
                                  "int main(void) { in_two_threads(add, add); assert(counter == 2); return 0; }\n";

const char canary_deadlock[] =
    "static mutex_type first = MUTEX, second = MUTEX;\n"
    "static void ab(void) { lock(&first); lock(&second); unlock(&second); unlock(&first); }\n"
    "static void ba(void) { lock(&second); lock(&first); unlock(&first); unlock(&second); }\n"
    "int main(void) { in_two_threads(ab, ba); return 0; }\n";

/* Correct.  Before main it adds one byte to the file it is given: with a fork server that happens once. */
const char canary_correct[] = "static mutex_type mutex = MUTEX;\n"
                              "static int counter;\n"
                              "static void add(void) { lock(&mutex); counter++; unlock(&mutex); }\n"
                              "__attribute__((constructor)) static void loaded(int argc, char **argv)\n"
                              "{\n"
                              "    int fd = argc > 1 ? open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;\n"
                              "    if (fd >= 0 && write(fd, \"x\", 1) == 1)\n"
                              "        close(fd);\n"
                              "}\n"
                              "int main(void) { in_two_threads(add, add); return counter == 2 ? 0 : 1; }\n";

/* Correct.  Prints the number of the process that does the run, which is not what getpid says.  With an argument it computes
   for a while before it has threads. */
const char canary_whoami[] = "static mutex_type mutex = MUTEX;\n"
                             "static int counter, table[4096];\n"
                             "static void add(void) { lock(&mutex); counter++; unlock(&mutex); }\n"
                             "int main(int argc, char **argv)\n"
                             "{\n"
                             "    char self[32];\n"
                             "    unsigned h = (unsigned)(argv[0] != NULL);\n"
                             "    for (int i = 0; argc > 1 && i < 300000; i++) {\n"
                             "        h = h * 1103515245u + 12345u;\n"
                             "        table[h % 4096] += i;\n"
                             "    }\n"
                             "    in_two_threads(add, add);\n"
                             "    ssize_t length = readlink(\"/proc/self\", self, sizeof self - 1);\n"
                             "    if (length < 0 || counter != 2)\n"
                             "        return 1;\n"
                             "    self[length++] = '\\n';\n"
                             "    return write(1, self, (size_t)length) == length ? 0 : 1;\n"
                             "}\n";
