#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# picture.py - pictures of a page.
#
#   picture.py PAGE PNG WIDTHxHEIGHT [dark] [at=SELECTOR] [click=SELECTOR]...
import json
import sys

from browser import Browser, BrowserError


def main():
    path, picture, size, *options = sys.argv[1:]
    width, height = map(int, size.split("x"))
    with Browser() as browser:
        page = browser.open(path, width, height, dark="dark" in options)
        for option in options:
            what, _, selector = option.partition("=")
            if what == "click":
                page.evaluate(f"document.querySelector({json.dumps(selector)}).click()")
            elif what == "at":
                page.evaluate(f"document.querySelector({json.dumps(selector)}).scrollIntoView()")
        page.screenshot(picture)


if __name__ == "__main__":
    try:
        main()
    except BrowserError as error:
        sys.exit(f"raddle: no picture: {error}")
