# SPDX-License-Identifier: MIT
#
# raddle_gdb.py - the gdb script of `raddle replay --gdb`: stops at context switches and at the end, the commands `raddle ...`.
#
# DESIGN
#   The runtime calls one of three empty functions at the beginning of the run, after each switch, and at its end; internal
#   breakpoints there make gdb stop.  Everything shown is read from the runtime's tables at that moment (runtime/debug.c names
#   them); nothing is ever called in the program and nothing written but the word that lets it begin, so looking changes nothing.
#   Of each thread the innermost frame of the program's own counts, not those of raddle and the C library above it.

import os
import sys
import time

import gdb

HELP = """raddle next-switch [N]   continue to the next context switch (or over N of them)
raddle run-to-failure    go on to the failure, past all switches; breakpoints still stop
raddle where             the switch that the run is at, the running thread, and what happens next
raddle threads           every thread: what it does or waits for, and where it is
raddle thread N          look at thread TN, where it is in the program
raddle help              this text

Everything else is gdb's own: `continue' stops at the next switch, `step', `next', `break', `watch', `print', `thread' are as always,
and none of them changes the order in which the threads run.  Only what changes the program does: `set var', `call'.
In scripts: $raddle_switch is the number of the last switch, $raddle_switches how many there are, and $raddle_ended is 1 at the end."""


class Memory:
    """Numbers and texts in the program."""

    def __init__(self, inferior):
        self.inferior = inferior

    def number(self, address, size=8):
        return int.from_bytes(bytes(self.inferior.read_memory(address, size)), sys.byteorder)

    def text(self, address, limit=1 << 16):
        """Up to the terminator, which is not further away than limit."""
        result = b""
        while len(result) < limit:
            # Not over the end of a page: the next one may not be mapped.
            part = bytes(self.inferior.read_memory(address, min(limit - len(result), 256 - address % 256)))
            end = part.find(b"\0")
            if end >= 0:
                result += part[:end]
                break
            result += part
            address += len(part)
        return result.decode("utf-8", "replace")


class Task:
    """One thread of the program, as the runtime sees it at this moment."""

    def __init__(self, run, address):
        self.run = run
        self.address = address
        self.id = self.field("task_id", 4)
        self.state = self.field("task_state", 4)
        self.ready = self.field("task_ready", 4)
        self.operations = self.field("task_operations")
        self.pending = self.field("task_pending")
        self.start = self.field("task_start")
        self.lwp = run.memory.number(run["thread_ids"] + 4 * self.id, 4)

    def field(self, name, size=8):
        return self.run.memory.number(self.address + self.run[name], size)

    def op(self, name, size=8):
        return self.run.memory.number(self.pending + self.run[name], size)

    @property
    def runs(self):
        return self.address == self.run.memory.number(self.run["current"]) and not self.has_ended

    @property
    def has_ended(self):
        return self.state == self.run["state_ended"]

    @property
    def is_starting(self):
        return self.pending != 0 and self.operation == "start"

    @property
    def operation(self):
        return self.run.op_names[self.op("op_kind", 4)]

    @property
    def name(self):
        own = self.run.memory.text(self.address + self.run["task_name"], 16)
        if own:
            return own
        if self.id == 0:
            return "main"
        # A library's thread function says nothing: std::thread's is always the same.
        own = gdb.solib_name(self.start) is None or self.run.is_instrumented(self.start)
        return symbol_at(self.start).split("+")[0].split("(")[0] if own else ""

    def __str__(self):
        return ("T%d %s" % (self.id, self.name)).rstrip()

    @property
    def thread(self):
        """gdb's; None if it has none any more."""
        for thread in gdb.selected_inferior().threads():
            if thread.ptid[1] == self.lwp:
                return thread
        return None

    def holder(self):
        """The task that holds what it waits for; None if there is no single holder."""
        for name in ("op_object", "op_object2"):
            thing = self.op(name)
            owner = self.run.owner(thing) if thing != 0 else 0
            if owner != 0:
                return Task(self.run, owner)
        if self.operation == "join":
            for task in self.run.tasks():
                if task.field("task_end") == self.op("op_object"):
                    return task
        return None

    def awaited(self):
        """The next operation of the task, as text."""
        if self.operation == "start":
            return "start"
        if self.operation == "join":
            return "join"
        address = self.op("op_address")
        return self.operation + (" " + (symbol_at(address) or "%#x" % address) if address != 0 else "")

    def doing(self):
        """State and operation."""
        if self.has_ended:
            return "ended", ""
        blocked = self.pending != 0 and self.ready == self.run["ready_no"]
        if self.runs and not blocked:
            return "running", ""
        if self.state == self.run["state_external"]:
            return "outside", "in a call that raddle does not control"
        if self.pending == 0:
            return "parked", ""
        if blocked:
            holder = self.holder()
            words = self.awaited()
            if holder is not None:
                words += " of T%d" % holder.id if self.operation == "join" else ", held by T%d" % holder.id
            return "blocked", words
        return "sleeping" if self.ready == self.run["ready_late"] else "ready", self.awaited()


class Run:
    """The run: the runtime's tables."""

    def __init__(self, view):
        self.memory = Memory(gdb.selected_inferior())
        self.view = view
        names = self.memory.text(self.memory.number(view + 8)).split()
        self.numbers = {name: self.memory.number(view + 24 + 8 * i) for i, name in enumerate(names)}
        self.op_names = self.memory.text(self["op_names"]).split()
        self.scanned = 0
        self.segments = []  # (task, preempted when left) of the schedule so far

    def __getitem__(self, name):
        return self.numbers[name]

    def let_begin(self):
        gdb.selected_inferior().write_memory(self.view, (1).to_bytes(8, sys.byteorder))

    def tasks(self):
        count = self.memory.number(self["task_count"], 4)
        addresses = [self.memory.number(self["tasks"] + 8 * i) for i in range(count)]
        return [Task(self, address) for address in addresses if address != 0]

    def task(self, number):
        address = self.memory.number(self["tasks"] + 8 * number)
        return Task(self, address) if address != 0 else None

    def current(self):
        address = self.memory.number(self["current"])
        return Task(self, address) if address != 0 else None

    def is_instrumented(self, pc):
        modules = self["modules"]
        for i in range(self.memory.number(self["module_count"], 4)):
            if self.memory.number(modules + 16 * i) <= pc < self.memory.number(modules + 16 * i + 8):
                return True
        return False

    def owner(self, thing):
        kind = self.memory.number(thing + self["object_kind"], 4)
        owners = {
            self["kind_mutex"]: "mutex_owner",
            self["kind_file"]: "mutex_owner",
            self["kind_spin"]: "spin_owner",
            self["kind_rwlock"]: "rwlock_writer",
            self["kind_once"]: "once_running",
        }
        if kind not in owners:
            return 0
        owner = self.memory.number(thing + self[owners[kind]])
        if owner == 0 and kind == self["kind_rwlock"]:
            held = self.memory.number(thing + self["rwlock_held"])
            owner = self.memory.number(held + self["holder_task"]) if held != 0 else 0
        return owner

    def step(self, table, i):
        address = self[table] + i * self["step_size"]
        kind = self.memory.number(address + self["step_type"], 2)
        task = self.memory.number(address + self["step_task"], 2)
        return kind == self["step_is_run"], task, address

    def follow(self):
        """Reads the new steps of the schedule."""
        count = self.memory.number(self["step_count"], 4)
        for i in range(self.scanned, count):
            is_run, task, address = self.step("steps", i)
            if is_run:
                self.segments.append((task, address))
        self.scanned = max(self.scanned, count)

    def switches(self):
        """How many there were."""
        self.follow()
        return max(len(self.segments) - 1, 0)

    def was_preempted(self):
        """Whether the task that ran before the last switch could have continued."""
        return self.memory.number(self.segments[-2][1] + self["step_value"], 4) != 0

    def ahead(self):
        """The rest of the plan: until which operation the running task goes, and which task is next; None: not known."""
        done, running = self.switches() + 1, None
        for i in range(self.memory.number(self["plan_step_count"], 4)):
            is_run, task, address = self.step("plan_steps", i)
            if not is_run:
                continue
            if running is not None:
                return running, task
            done -= 1
            if done == 0:
                until = self.memory.number(address + self["step_until"])
                running = until if until < 1 << 63 else None
                if running is None:
                    running = -1
        return running, None


# ---- places ------------------------------------------------------------------------------------------------------------------


def symbol_at(address):
    """Name of the function or static variable there, name+offset, or nothing."""
    try:
        text = gdb.execute("info symbol %#x" % address, to_string=True)
    except gdb.error:
        text = ""
    return text.split(" in section ")[0].replace(" ", "") if " in section " in text else ""


class Places:
    """Which code belongs to raddle, to libraries or to the program."""

    def __init__(self, run):
        self.run = run

    def is_raddle(self, pc):
        if self.run["code_lo"] <= pc < self.run["code_hi"]:
            return True
        library = gdb.solib_name(pc)
        return library is not None and library.endswith("/libraddle_preload.so")

    def is_program(self, frame):
        pc = frame.pc()
        newer = frame.newer()
        if newer is not None and newer.type() != gdb.SIGTRAMP_FRAME:
            pc -= 1  # a return address: the call may be the last of its function
        if self.is_raddle(pc) or frame.name() == "_start":
            return False
        return gdb.solib_name(pc) is None or self.run.is_instrumented(pc)

    def program_frame(self):
        """Of the selected thread; None if it has none."""
        try:
            frame = gdb.newest_frame()
            while frame is not None and not self.is_program(frame):
                frame = frame.older()
            return frame
        except gdb.error:  # the stack cannot be followed
            return None

    def of_task(self, task):
        """Where a task is, in words.  The selected thread stays."""
        if task.is_starting:
            return spot(gdb.find_pc_line(task.start))
        if task.has_ended or task.thread is None:
            return ""
        selected = gdb.selected_thread()
        frame = gdb.selected_frame() if selected is not None and selected.is_valid() else None
        try:
            task.thread.switch()
            return place(self.program_frame())
        finally:
            if selected is not None and selected.is_valid():
                selected.switch()
                if frame is not None and frame.is_valid():
                    frame.select()


def spot(line):
    return "%s:%d" % (line.symtab.filename.split("/")[-1], line.line) if line.symtab is not None else ""


def place(frame):
    if frame is None:
        return ""
    return spot(frame.find_sal()) or frame.name() or "%#x" % frame.pc()


class HideRaddle:
    """A backtrace without raddle's frames; `backtrace -no-filters' shows them."""

    def __init__(self, places):
        self.places = places
        self.name = "raddle"
        self.priority = 100
        self.enabled = True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        return (frame for frame in frames if not self.places.is_raddle(frame.inferior_frame().pc()))


# ---- stops -------------------------------------------------------------------------------------------------------------------


class Stop(gdb.Breakpoint):
    """In one of the runtime's functions."""

    def __init__(self, session, what):
        super().__init__("*%#x" % session.run[what], internal=True)
        self.silent = True
        self.session = session
        self.what = what

    def stop(self):
        session = self.session
        session.arriving = None
        if self.what == "switch" and session.to_pass > 0:
            session.to_pass -= 1
            return False
        if self.what == "switch":
            task = session.run.current()
            if task.is_starting and task.start in session.starts:
                session.arriving = task.address  # stops as soon as it is in the program
                return False
        session.reached = self.what
        return True


class StartStop(gdb.Breakpoint):
    """In a thread's first function: a switch to a thread that begins is shown there."""

    def __init__(self, session, address):
        function, line = gdb.block_for_pc(address).function, gdb.find_pc_line(address)
        super().__init__(source=line.symtab.filename, function=function.name, internal=True)
        self.silent = True
        self.session = session

    def stop(self):
        if self.session.arriving is None or self.session.arriving != self.session.run.current().address:
            return False
        self.session.arriving = None
        self.session.reached = "switch"
        return True


class Session:
    def __init__(self, view, switches, starts, headline):
        self.run = Run(view)
        self.places = Places(self.run)
        self.total = switches
        self.headline = headline
        self.to_pass = 0  # switches to go over
        self.reached = None  # the breakpoint of ours that stopped the program
        self.arriving = None  # the task that begins just now
        self.starts = {}
        self.over = False
        self.stops = {what: Stop(self, what) for what in ("begin", "switch", "end")}
        gdb.events.stop.connect(self.on_stop)
        gdb.events.exited.connect(self.on_exit)
        HideRaddle(self.places)
        self.skip_sources()
        for address in starts:
            self.prepare_start(address)

    def skip_sources(self):
        """`step' does not go into raddle."""
        line = gdb.find_pc_line(self.run["switch"])
        if line.symtab is None:
            return
        directory = line.symtab.fullname().rsplit("/", 1)[0]
        for pattern in ("/*.[ch]", "/*/*.[ch]"):
            gdb.execute("skip -gfi %s" % (directory + pattern), to_string=True)

    def prepare_start(self, address):
        try:
            if gdb.block_for_pc(address) is not None and not self.places.is_raddle(address):
                self.starts[address] = StartStop(self, address)
        except (gdb.error, RuntimeError, AttributeError):
            pass  # without debug information the switch itself has to do

    def of_total(self, number):
        return "switch %d of %d" % (number, self.total) if number <= self.total else "switch %d" % number

    def name_threads(self):
        tasks = {task.lwp: task for task in self.run.tasks() if task.lwp != 0}
        for thread in gdb.selected_inferior().threads():
            if thread.ptid[1] in tasks:
                thread.name = str(tasks[thread.ptid[1]])

    def on_stop(self, event):
        self.to_pass = 0
        self.stops["switch"].enabled = not self.over
        self.name_threads()
        self.set_variables()
        reached, self.reached = self.reached, None
        if reached in ("switch", "end"):
            time.sleep(0.03)  # what the program has printed comes through raddle: let it come first
        if reached == "switch":
            self.tell_switch()
        elif reached == "end":
            self.over = True
            self.set_variables()
            self.tell_end()
        elif isinstance(event, gdb.SignalEvent) and event.stop_signal == "SIGINT":
            self.tell_interrupted()

    def on_exit(self, event):
        self.over = True
        gdb.set_convenience_variable("raddle_ended", 1)

    def set_variables(self):
        gdb.set_convenience_variable("raddle_switch", self.run.switches())
        gdb.set_convenience_variable("raddle_switches", self.total)
        gdb.set_convenience_variable("raddle_ended", 1 if self.over else 0)

    def show_program(self):
        """Selects the program's frame and shows its line."""
        frame = self.places.program_frame()
        if frame is not None:
            frame.select()
            gdb.execute("frame")

    def last_switch(self):
        number = self.run.switches()
        if number == 0:
            return "no switch" if self.over else "before the first switch"
        left, now = self.run.task(self.run.segments[-2][0]), self.run.task(self.run.segments[-1][0])
        why = "ended" if left is None or left.has_ended else "preempted" if self.run.was_preempted() else "waits"
        name = str(left) if left is not None else "T%d" % self.run.segments[-2][0]
        return "%s: %s (%s) -> %s" % (self.of_total(number), name, why, now)

    def tell_switch(self):
        now = self.run.current()
        goes = "begins" if now.is_starting or now.operations == 0 else "goes on"
        where = self.places.of_task(now)
        print("raddle: %s; T%d %s%s" % (self.last_switch(), now.id, goes, " at " + where if where else ""))
        self.show_program()

    def tell_interrupted(self):
        """Ctrl-C: gdb may have stopped in any thread; show the one that runs."""
        now = self.run.current()
        if now is not None and now.thread is not None:
            now.thread.switch()
            print("raddle: %s runs" % now)
            self.show_program()

    def failing_task(self, index):
        finding = self.run["findings"] + (index - 1) * self.run["finding_size"]
        number = self.run.memory.number(finding + self.run["finding_task"], 2)
        return self.run.task(number), self.run.memory.text(finding + self.run["finding_text"])

    def tell_end(self):
        end = self.run.memory.number(self.run["result_end"], 4)
        failure = self.run.memory.number(self.run["result_failure"], 4)
        after = "after %s" % self.of_total(self.run.switches()) if self.run.switches() > 0 else "without any switch"
        if end == self.run["end_failure"] and failure > 0:
            task, text = self.failing_task(failure)
            if task is not None and task.thread is not None:
                task.thread.switch()
            print("raddle: the failure, %s, in %s: %s" % (after, task, text))
        elif end == self.run["end_exit"]:
            status = self.run.memory.number(self.run["result_exit_status"], 4)
            print("raddle: the program ends with status %d, %s; the failure was: %s" % (status, after, self.headline))
        elif end == self.run["end_steps"]:
            print("raddle: the run is cut here: it has taken too many steps")
        else:
            what = "the run leaves the schedule" if end == self.run["end_diverged"] else "raddle gives up"
            print("raddle: %s: %s" % (what, self.run.memory.text(self.run["result_text"])))
        self.show_program()

    def go(self):
        if self.over:
            raise gdb.GdbError("raddle: the run is over: quit, and replay the failure again")
        gdb.execute("continue")

    # ---- the commands

    def next_switch(self, argument):
        try:
            count = int(argument) if argument else 1
        except ValueError:
            count = 0
        if count < 1:
            raise gdb.GdbError("raddle next-switch: '%s' is not a number of switches" % argument)
        self.to_pass = count - 1
        self.go()

    def run_to_failure(self, argument):
        self.stops["switch"].enabled = False
        self.go()

    def where(self, argument):
        last = "last " if self.run.switches() > 0 else ""
        print(("over, " + last if self.over else "") + self.last_switch())
        now = self.run.current()
        print("now    %s, at its operation %d%s" % (now, now.operations, self.at(now)))
        if now.pending != 0 and not self.over:
            print("       about to: %s" % now.awaited())
        if not self.over:
            print("next   " + self.what_is_next(now))

    def at(self, task):
        where = self.places.of_task(task)
        return ", " + where if where else ""

    def what_is_next(self, now):
        until, task = self.run.ahead()
        number = self.run.switches() + 1
        if until is None and self.total < number:
            return "the schedule goes no further; expected: " + self.headline
        if task is None and number <= self.total:
            return self.of_total(number)
        if task is None:
            return "no more switches; expected: " + self.headline
        following = self.run.task(task)
        name = "T%d, which is not there yet," % task if following is None else str(following)
        where = self.at(following) if following is not None else ""
        when = "when T%d ends" % now.id if until == -1 else "before operation %d of T%d" % (until, now.id)
        begins = "begins" if following is None or following.is_starting else "goes on"
        return "%s, %s: %s %s%s" % (self.of_total(number), when, name, begins, where)

    def threads(self, argument):
        rows = []
        for task in self.run.tasks():
            state, words = task.doing()
            rows.append(("*" if task.runs else " ", str(task), state, words, self.places.of_task(task)))
        widths = [max(len(row[i]) for row in rows) for i in range(4)]
        for row in rows:
            print("  ".join([row[0]] + [row[i].ljust(widths[i]) for i in range(1, 4)] + [row[4]]).rstrip())

    def thread(self, argument):
        tasks = {str(task.id): task for task in self.run.tasks()}
        number = argument[1:] if argument[:1] == "T" else argument
        if number not in tasks:
            raise gdb.GdbError("raddle thread: '%s' is none of the threads; see `raddle threads'" % argument)
        if tasks[number].thread is None or tasks[number].has_ended:
            raise gdb.GdbError("raddle thread: %s has ended" % tasks[number])
        tasks[number].thread.switch()
        print("raddle: %s" % " ".join((str(tasks[number]),) + tasks[number].doing()).rstrip())
        self.show_program()

    def refuse_run(self, argument):
        raise gdb.GdbError("raddle: only raddle can start the program again: quit, and replay the failure")

    def help(self, argument):
        print(HELP)


raddle_session = None


class RaddlePrefix(gdb.Command):
    __doc__ = "A failure that raddle replays.\n\n" + HELP

    def __init__(self):
        super().__init__("raddle", gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE, True)


class RaddleCommand(gdb.Command):
    def __init__(self, name, method, text):
        self.__doc__ = text
        self.method = method
        super().__init__("raddle " + name, gdb.COMMAND_RUNNING, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        alive = gdb.selected_inferior().pid != 0
        if raddle_session is None or not alive and self.method != "help":
            raise gdb.GdbError("raddle: the program is not there any more: quit, and replay the failure again")
        getattr(raddle_session, self.method)(argument.strip())


RaddlePrefix()
RaddleCommand("next-switch", "next_switch", "Go on to the next context switch.\nWith a number: over so many.")
RaddleCommand("run-to-failure", "run_to_failure", "Go on to the failure, past all switches.")
RaddleCommand("where", "where", "Show the switch that the run is at, the running thread, and what happens next.")
RaddleCommand("threads", "threads", "Show every thread: what it does or waits for, and where it is.")
RaddleCommand("thread", "thread", "Look at a thread by its number, where it is in the program.")
RaddleCommand("run", "refuse_run", "Cannot be done: only raddle can start the program again.")
RaddleCommand("help", "help", "Show raddle's commands.")


# ---- begin and end -----------------------------------------------------------------------------------------------------------


def raddle_leave(*_):
    """Ends the program with the session; a program that is about to end may finish."""
    if gdb.selected_inferior().pid == 0:
        return
    try:
        gdb.execute("set confirm off", to_string=True)
        gdb.execute("detach" if raddle_session is not None and raddle_session.over else "kill", to_string=True)
    except gdb.error:
        pass


def raddle_quietly(command):
    """Also without what gdb shows by itself when the program stops."""
    gdb.flush()
    output, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        gdb.execute(command, to_string=True)
    finally:
        gdb.flush()
        os.dup2(output, 1)
        os.close(output)
        os.close(nowhere)


def raddle_attach(pid):
    try:
        raddle_quietly("attach %d" % pid)
    except gdb.error as error:
        if "not permitted" not in str(error):  # raddle reports that itself
            print("gdb: %s" % error)
        gdb.execute("quit 77")


def raddle_to_main():
    """As far as the program's first own frame."""
    places = raddle_session.places
    if places.program_frame() is None and gdb.lookup_global_symbol("main") is not None:
        first = gdb.Breakpoint("main", internal=True, temporary=True, qualified=True)
        first.silent = True
        raddle_quietly("continue")
    raddle_session.show_program()


def raddle_begin(pid, view, switches, starts, headline):
    global raddle_session
    gdb.execute("set print thread-events off")
    gdb.execute("handle all nostop noprint pass", to_string=True)
    raddle_attach(pid)
    raddle_session = Session(view, switches, starts, headline)
    for name in ("run", "start", "starti"):
        gdb.execute("define hook-%s\nraddle run\nend" % name, to_string=True)
    gdb.execute("define hook-quit\npython raddle_leave()\nend", to_string=True)
    if hasattr(gdb.events, "gdb_exiting"):
        gdb.events.gdb_exiting.connect(raddle_leave)
    raddle_session.run.let_begin()
    raddle_quietly("continue")
    print("raddle: %s" % headline)
    number = "no switch" if switches == 0 else "1 switch" if switches == 1 else "%d switches" % switches
    stops = "at each and at the failure" if switches > 0 else "at the failure"
    print("raddle: %s: `continue' stops %s; `raddle help' tells more" % (number, stops))
    if headline.startswith("hang"):
        print("raddle: press Ctrl-C when nothing happens any more")
    raddle_to_main()
