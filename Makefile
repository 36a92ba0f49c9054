# raddle - build, test, install.  GNU make, non-recursive; everything is made under build/.
#
#   make            the command and the runtime          make demo     find the bug of an example
#   make check      install what is missing, all tests   make lint     clang-format, clang-tidy, cppcheck, layers
#   make bench      measure, write bench/RESULTS.md      make soak     the long tests
#   make real       real programs under control          make install  PREFIX=/usr/local
#   make layers     which folder includes which
#
# Some of the tests only (also for make soak):
#
#   make check ONLY=maple                      the tests whose path contains this word
#   make check ONLY='unit/ maple'              ... or one of these words
#   make check ONLY=unit/maple CASE=NAME       one case of a unit test; NAME may contain * and ?

PREFIX  ?= /usr/local
DESTDIR ?=
B       ?= build
VERSION := 0.1

# make V=1 shows the commands.
Q       := $(if $(V),,@)

# How many jobs at a time: as many as there are processors, unless make itself was told (make -jN) or JOBS=N.
JOBS    ?= $(shell nproc)
AT_ONCE  = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))

CC      ?= cc
CFLAGS  ?= -O2 -g
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Werror
COMMON  := -std=gnu17 -D_GNU_SOURCE -Isrc -Iinclude $(WARN) -MMD -MP

# Z3 is optional: make Z3= builds without it.
Z3          ?= $(shell pkg-config --exists z3 2>/dev/null && echo z3)
DRIVER_LIBS  = libdw libelf jansson sqlite3 $(Z3)
# Deferred: pkg-config may not be installed before tools/deps.sh has run.
DRIVER_CFLAGS = $(shell pkg-config --cflags $(DRIVER_LIBS) 2>/dev/null) -DRADDLE_VERSION='"$(VERSION)"'
DRIVER_LDLIBS = $(shell pkg-config --libs $(DRIVER_LIBS) 2>/dev/null) -lm -ldl

# LLVM is optional: make LLVM= builds without it.  What needs it is a library of its own, which `raddle analyze` loads.
LLVM        ?= $(shell command -v llvm-config llvm-config-14 2>/dev/null | head -1)
LLVM_SRC    := $(if $(LLVM),$(sort $(wildcard src/llvm/*.c)) src/analyze/ir.c src/util/memory.c src/util/table.c src/util/hash.c)
LLVM_OBJ    := $(LLVM_SRC:src/%.c=$(B)/reader/%.o)
LLVM_CFLAGS  = -fPIC -fvisibility=hidden -isystem $(shell $(LLVM) --includedir)

# libclang is optional: make LIBCLANG= builds without it.  What needs it is a library of its own, which `raddle gen` loads.
LIBCLANG       ?= $(shell ls -d /usr/lib/llvm-*/include/clang-c /usr/include/clang-c 2>/dev/null | sort -V | tail -1)
LIBCLANG_SRC   := $(if $(LIBCLANG),$(sort $(wildcard src/clang/*.c)) src/generate/api.c src/util/memory.c)
LIBCLANG_OBJ   := $(LIBCLANG_SRC:src/%.c=$(B)/header_reader/%.o)
LIBCLANG_HOME  := $(LIBCLANG:%/include/clang-c=%)

# The programs that `raddle gen` builds around a module: not instrumented, linked with it.
HARNESS_OBJ := $(patsubst src/harness/%.c,$(B)/lib/raddle_gen_%.o,$(wildcard src/harness/*.c))

# The runtime lives in other people's programs: hidden symbols, no TLS look-ups through calls, never instrumented, and the
# compiler must not turn its loops into calls of functions that it hooks itself.
RUNTIME_CFLAGS := -fPIC -fvisibility=hidden -ftls-model=initial-exec -fexceptions -fno-builtin \
                  -fno-stack-protector -fno-tree-loop-distribute-patterns -fcf-protection=none -U_FORTIFY_SOURCE

DRIVER_SRC  := $(sort $(wildcard $(addprefix src/,$(addsuffix /*.c,analyze asm campaign cli control coverage direct explain generate memo pattern predict report solve tale technique trace util wire))))
DRIVER_SRC  := $(filter-out $(if $(Z3),src/solve/solver_none.c,src/solve/solver_z3.c src/solve/z3_%.c),$(DRIVER_SRC))
# What every run uses comes first: a new process has a page fault for each 64 KiB of code that it touches.
RUNTIME_HOT := $(wildcard $(patsubst %,src/runtime/%.c,access alloc calls destructors forkserver format init leftover locals pairs real record restart rt shadow tear \
               hooks/tsan hooks/func_exit hooks/mutex hooks/cond hooks/sem hooks/stdio hooks/thread \
               model/model model/mutex model/cond model/sem model/object model/thread model/keys model/signal* \
               oracle/clock oracle/race sched/* strategy/[prs]*))
# wire_ops.c, the facts about operations, is in both.
RUNTIME_SRC := $(RUNTIME_HOT) src/wire/wire_ops.c src/wire/wire_transition.c $(filter-out $(RUNTIME_HOT),$(sort $(wildcard src/runtime/*.c src/runtime/*/*.c)))
DRIVER_OBJ  := $(DRIVER_SRC:src/%.c=$(B)/driver/%.o) $(B)/driver/report/page.o
# The page of the HTML report; the scripts in the order in which they are put together.
PAGE        := $(addprefix src/report/,page.html page.css page_base.js page_overview.js page_tale.js page_lanes.js page_story.js \
               page_coverage.js page.js)
RUNTIME_OBJ := $(RUNTIME_SRC:src/%.c=$(B)/target/%.o)
UNIT_SRC    := $(sort $(wildcard tests/unit/*.c))
UNIT_BIN    := $(UNIT_SRC:tests/unit/%.c=$(B)/unit/%)

# make check ONLY=... links only the unit tests that it runs, and the one that end-to-end/html.test runs.
UNIT_WANTED := $(if $(ONLY),$(sort $(B)/unit/html_test $(foreach word,$(ONLY),$(foreach test,$(UNIT_BIN),\
               $(if $(findstring $(word),$(test)),$(test))))),$(UNIT_BIN))

.PHONY: all deps demo check lint layers bench soak real install clean unit compile
.DELETE_ON_ERROR:

all: deps
	@$(MAKE) --no-print-directory $(AT_ONCE) compile

compile: $(B)/raddle $(B)/raddle-cc $(B)/raddle-c++ $(B)/lib/raddle_rt.o $(B)/lib/libraddle_preload.so $(B)/lib/raddle.syms \
         $(B)/lib/raddle.specs $(B)/lib/as/as $(B)/lib/raddle_gdb.py $(B)/include/raddle.h $(if $(LLVM),$(B)/lib/raddle_llvm.so) \
         $(if $(LIBCLANG),$(B)/lib/raddle_clang.so) $(HARNESS_OBJ)

deps:
	@tools/deps.sh

$(B)/driver/%.o: src/%.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	$(Q)$(CC) $(COMMON) $(CFLAGS) $(DRIVER_CFLAGS) -c $< -o $@

$(B)/driver/report/page.c: tools/embed.sh $(PAGE)
	@mkdir -p $(@D)
	$(Q)tools/embed.sh $(PAGE) > $@

$(B)/driver/report/page.o: $(B)/driver/report/page.c
	@echo "  CC $<"
	$(Q)$(CC) $(COMMON) $(CFLAGS) -c $< -o $@

$(B)/target/%.o: src/%.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	$(Q)$(CC) $(COMMON) $(CFLAGS) $(RUNTIME_CFLAGS) -c $< -o $@

$(B)/reader/%.o: src/%.c
	@mkdir -p $(@D)
	@echo "  CC $< (reader)"
	$(Q)$(CC) $(COMMON) $(CFLAGS) $(LLVM_CFLAGS) -c $< -o $@

$(B)/lib/raddle_llvm.so: $(LLVM_OBJ)
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(CC) -shared $(LDFLAGS) $^ -o $@ $(shell $(LLVM) --ldflags --libs core bitreader linker passes)

$(B)/header_reader/%.o: src/%.c
	@mkdir -p $(@D)
	@echo "  CC $< (header reader)"
	$(Q)$(CC) $(COMMON) $(CFLAGS) -fPIC -fvisibility=hidden -isystem $(LIBCLANG_HOME)/include -c $< -o $@

$(B)/lib/raddle_clang.so: $(LIBCLANG_OBJ)
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(CC) -shared $(LDFLAGS) $^ -o $@ -L$(LIBCLANG_HOME)/lib -Wl,-rpath,$(LIBCLANG_HOME)/lib -lclang

$(B)/lib/raddle_gen_%.o: src/harness/%.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	$(Q)$(CC) $(COMMON) $(CFLAGS) -fPIC -fno-builtin -U_FORTIFY_SOURCE -c $< -o $@

$(B)/raddle: $(DRIVER_OBJ)
	@echo "  LD $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $^ -o $@ $(DRIVER_LDLIBS)

$(B)/raddle-cc $(B)/raddle-c++: $(B)/raddle
	$(Q)ln -sf raddle $@

$(B)/lib/as/as: $(B)/raddle
	@mkdir -p $(@D)
	$(Q)ln -sf ../../raddle $@

$(B)/include/raddle.h: include/raddle.h
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(B)/lib/raddle_gdb.py: src/cli/raddle_gdb.py
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(B)/lib/raddle.specs: src/cli/gcc.specs
	@mkdir -p $(@D)
	$(Q)cp $< $@

# One relocatable object whose internal names are local: it cannot clash with names of the program.  Groups are dissolved:
# the final link would drop one of ours for an equal one of the program, and our local names would point nowhere.
$(B)/lib/raddle_rt.o: $(RUNTIME_OBJ)
	@mkdir -p $(@D)
	$(Q)ld -r --force-group-allocation $^ -o $@
	$(Q)objcopy --localize-hidden --rename-section .text=raddle_text --rename-section .text.unlikely=raddle_text $@

$(B)/lib/libraddle_preload.so: $(RUNTIME_OBJ)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-z,now -Wl,-soname,libraddle_preload.so $^ -o $@ -ldl

# The hooks must be visible to shared libraries: a dynamic list made from what the object really exports.  Linkers export by themselves what
# libc defines as well, but only if it is a function here too: a variable of the program that is named like one stays its own.
LIBC := $(shell $(CC) -print-file-name=libc.so.6)
$(B)/lib/raddle.syms: $(B)/lib/raddle_rt.o
	$(Q){ nm -D --defined-only $(LIBC) | sed -n 's/^[0-9a-f]* [A-Za-z] \(.*\)@@.*/libc \1/p'; \
	    nm --defined-only --extern-only --format=posix $<; } | \
	    awk 'BEGIN {print "{"} $$1 == "libc" && NF == 2 {libc[$$2]; next} \
	        $$2 ~ /[TWVDBR]/ && !($$1 in libc) {print "  " $$1 ";"} END {print "};"}' > $@

unit: $(UNIT_WANTED)

# Which cases of a unit test are run is decided between it and cmocka.
$(B)/fixture/cases.o: tests/unit/fixture/cases.c
	@mkdir -p $(@D)
	@echo "  CC $<"
	$(Q)$(CC) $(COMMON) $(CFLAGS) -c $< -o $@

$(B)/unit/%: tests/unit/%.c $(B)/fixture/cases.o $(filter-out $(B)/driver/cli/main.o,$(DRIVER_OBJ))
	@mkdir -p $(@D)
	@echo "  LD $@"
	$(Q)$(CC) $(COMMON) $(CFLAGS) $(DRIVER_CFLAGS) $< $(filter %.o,$^) -o $@ -Wl,--wrap=_cmocka_run_group_tests $(DRIVER_LDLIBS) -lcmocka

demo: all
	@tools/demo.sh

check:
	@tests/run.sh --list $(ONLY) >/dev/null
	@tools/deps.sh check
	@$(MAKE) --no-print-directory $(AT_ONCE) compile unit
	@CASE='$(CASE)' JOBS=$(JOBS) tests/run.sh $(ONLY)

lint: deps
	@tools/lint.sh

layers:
	@tools/layers.sh

bench: all
	@bench/run.sh

soak: all
	@CASE='$(CASE)' JOBS=$(JOBS) tests/soak.sh $(ONLY)

real: all
	@tests/real/run.sh

install: all
	@tools/install.sh "$(DESTDIR)$(PREFIX)" "$(PREFIX)" "$(VERSION)"

clean:
	rm -rf $(B)

-include $(DRIVER_OBJ:.o=.d) $(LLVM_OBJ:.o=.d) $(LIBCLANG_OBJ:.o=.d) $(HARNESS_OBJ:.o=.d) $(RUNTIME_OBJ:.o=.d) $(UNIT_BIN:=.d) $(B)/fixture/cases.d
