# SPDX-License-Identifier: MIT
#
# browser.py - a headless Chromium, driven over a pipe (--remote-debugging-pipe: JSON with a zero byte after each message, on
# descriptors 3 and 4).  Nothing but Python's standard library, no port, no network.
#
#   with Browser() as browser:
#       page = browser.open(path)
#       page.key("ArrowRight"); page.evaluate("document.title"); page.screenshot("x.png")
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless_shell")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--no-first-run", "--mute-audio", "--hide-scrollbars", "--force-color-profile=srgb",
         "--remote-debugging-pipe")
KEYS = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35, "PageUp": 33, "PageDown": 34, "Tab": 9,
        "Escape": 27, "Enter": 13}


class BrowserError(Exception):
    """It could not be started, or did not do what it was told."""


class Browser:
    def __init__(self, seconds=60):
        self.program = next((path for path in map(shutil.which, PROGRAMS) if path), None)
        if self.program is None:
            raise BrowserError("no Chromium here: install the package chromium")
        self.seconds, self.next, self.pending, self.sessions = seconds, 1, b"", {}
        self.profile = tempfile.mkdtemp(prefix="raddle-browser-")
        self.errors = open(os.path.join(self.profile, "stderr"), "w+b")
        to_read, self.to = os.pipe()
        self.of, of_write = os.pipe()

        def place():  # in the child: on 3 and 4, whatever numbers they had
            first, second = os.dup(to_read), os.dup(of_write)
            high = [os.dup2(fd, 100 + i, inheritable=True) for i, fd in enumerate((first, second))]
            os.dup2(high[0], 3, inheritable=True)
            os.dup2(high[1], 4, inheritable=True)
        self.process = subprocess.Popen([self.program, *FLAGS, f"--user-data-dir={self.profile}", "about:blank"], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=self.errors, close_fds=False, preexec_fn=place)
        os.close(to_read)
        os.close(of_write)
        self.version = self.call("Browser.getVersion")["product"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.process.poll() is None:
            try:
                self.call("Browser.close")
            except BrowserError:
                pass
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.errors.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    # ---- messages ----

    def last_words(self):
        self.errors.seek(0)
        return self.errors.read()[-300:].decode(errors="replace").strip()

    def receive(self, until):
        """The next message; None if there is none until then."""
        while b"\0" not in self.pending:
            ready, _, _ = select.select([self.of], [], [], max(0, until - time.monotonic()))
            if not ready:
                return None
            more = os.read(self.of, 1 << 20)
            if not more:
                raise BrowserError(f"{self.program} ended: {self.last_words()}")
            self.pending += more
        message, _, self.pending = self.pending.partition(b"\0")
        message = json.loads(message)
        if "method" in message and message.get("sessionId") in self.sessions:
            self.sessions[message["sessionId"]].heard(message["method"], message["params"])
        return message

    def call(self, method, session=None, **parameters):
        number, self.next = self.next, self.next + 1
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        try:
            os.write(self.to, json.dumps(message).encode() + b"\0")
        except BrokenPipeError:
            raise BrowserError(f"{self.program} ended: {self.last_words()}") from None
        until = time.monotonic() + self.seconds
        while True:
            answer = self.receive(until)
            if answer is None:
                raise BrowserError(f"no answer to {method} within {self.seconds} s")
            if answer.get("id") == number:
                break
        if "error" in answer:
            raise BrowserError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, path, width=1280, height=900, dark=False):
        return Page(self, path, width, height, dark)


class Page:
    def __init__(self, browser, path, width, height, dark):
        self.browser, self.problems, self.dialogs, self.requests, self.loaded = browser, [], [], [], False
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.sessions[self.session] = self
        for domain in ("Page", "Runtime", "Log", "Network", "Performance"):
            self.call(f"{domain}.enable")
        self.size(width, height)
        self.media(dark=dark)
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        until = time.monotonic() + browser.seconds
        while not self.loaded:
            if browser.receive(until) is None:
                raise BrowserError(f"{path} was not loaded within {browser.seconds} s")
        self.settle()

    def heard(self, method, parameters):
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.problems.append("console: " + " ".join(str(value.get("value")) for value in parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.problems.append("log: " + parameters["entry"]["text"])
        elif method == "Page.javascriptDialogOpening":
            self.dialogs.append(parameters["message"])
            self.browser.call("Page.handleJavaScriptDialog", self.session, accept=True)
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)

    # ---- looking ----

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise BrowserError(f"{expression}: {details.get('exception', {}).get('description') or details['text']}")
        return result["result"].get("value")

    def settle(self):
        """Two frames later everything that was asked for has been drawn."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def text(self, selector):
        return self.evaluate(f"(document.querySelector({json.dumps(selector)}) || {{textContent: ''}}).textContent")

    def count(self, selector):
        return self.evaluate(f"document.querySelectorAll({json.dumps(selector)}).length")

    def box(self, selector):
        """Middle of an element, in the window."""
        return self.evaluate(f"""(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2]; }})()""")

    def colour(self, selector, name="color"):
        return self.evaluate(f"getComputedStyle(document.querySelector({json.dumps(selector)})).getPropertyValue({json.dumps(name)})")

    def screenshot(self, path, scale=1):
        self.settle()
        picture = self.call("Page.captureScreenshot", format="png")
        pathlib.Path(path).write_bytes(base64.b64decode(picture["data"]))

    def tree(self):
        return [node for node in self.call("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]

    # ---- doing ----

    def size(self, width, height, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)

    def media(self, dark=False, reduced=True, kind=""):
        self.call("Emulation.setEmulatedMedia", media=kind, features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if reduced else "no-preference"}])

    def key(self, key, times=1, modifiers=0):
        for _ in range(times):
            code = KEYS.get(key, ord(key[0].upper()))
            text = {"text": key} if len(key) == 1 else {}
            self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, modifiers=modifiers, **text)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code, modifiers=modifiers)
        self.settle()

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.settle()

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def hover(self, selector):
        self.mouse("mouseMoved", *self.box(selector))
        self.settle()

    def click(self, selector):
        x, y = self.box(selector)
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)
        self.settle()

    def drag(self, start, end):
        self.mouse("mousePressed", *start, button="left", buttons=1, clickCount=1)
        for step in range(1, 6):
            self.mouse("mouseMoved", *(a + (b - a) * step / 5 for a, b in zip(start, end)), button="left", buttons=1)
        self.mouse("mouseReleased", *end, button="left", clickCount=1)
        self.settle()

    def wheel(self, x, y, distance, control=False):
        self.mouse("mouseWheel", x, y, deltaX=0, deltaY=distance, modifiers=2 if control else 0)
        self.settle()

    def focus(self, selector):
        self.evaluate(f"document.querySelector({json.dumps(selector)}).focus()")
        self.settle()
