"""Chromium without a window, driven by its own protocol over two pipes: no port, no package, no driver."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Dict, List, Optional, Type

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
SECONDS = 60  # for one answer


def find_chromium() -> Optional[str]:
    return next((path for path in map(shutil.which, PROGRAMS) if path), None)


class Page:
    """One page of one browser. `events` has what the browser told unasked."""

    def __init__(self, program: str, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        self.events: List[Dict[str, Any]] = []
        self._number, self._session = 0, ""
        self._profile = tempfile.mkdtemp(prefix="habitat-browser-")
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        self._rest = b""

        def as_3_and_4() -> None:  # where the browser expects its pipes
            read, write = os.dup(to_browser), os.dup(from_browser)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self._process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
             f"--user-data-dir={self._profile}", "about:blank"],
            close_fds=False, preexec_fn=as_3_and_4, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_browser)
        os.close(from_browser)
        pages = [one for one in self.ask("Target.getTargets")["targetInfos"] if one["type"] == "page"]
        attached = self.ask("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(domain + ".enable")
        self.size(width, height)
        self.dark(dark)

    def __enter__(self) -> Page:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        os.close(self._out)  # the browser ends when its pipe does
        try:
            self._process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        shutil.rmtree(self._profile, ignore_errors=True)

    def _read(self) -> Dict[str, Any]:
        while b"\0" not in self._rest:
            piece = os.read(self._in, 1 << 16)
            if not piece:
                raise RuntimeError("the browser ended")
            self._rest += piece
        message, self._rest = self._rest.split(b"\0", 1)
        answer: Dict[str, Any] = json.loads(message)
        return answer

    def ask(self, method: str, **parameters: Any) -> Dict[str, Any]:
        self._number += 1
        message: Dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data):]
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                result: Dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def open(self, file: Path) -> None:
        self.ask("Page.navigate", url=file.resolve().as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._read())

    def run(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def size(self, width: int, height: int) -> None:
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def dark(self, on: bool) -> None:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if on else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])

    def press(self, key: str) -> None:
        codes = {"Tab": 9, "Enter": 13, " ": 32}
        text = {"text": "\r"} if key == "Enter" else {"text": key} if key == " " else {}
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=codes[key],
                     **(text if kind == "keyDown" else {}))  # fmt: skip

    def picture(self, file: Path, whole: bool = False) -> None:
        area: Dict[str, Any] = {}
        if whole:
            size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
            area = {"clip": {**size, "scale": 1}, "captureBeyondViewport": True}
        file.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", format="png", **area)["data"]))

    def paper(self, file: Path) -> None:
        file.write_bytes(base64.b64decode(self.ask("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"]))

    def complaints(self) -> List[str]:
        """Errors and warnings of scripts, of the page's own policy, and of the browser."""
        found = []
        for event in self.events:
            what = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(what["exceptionDetails"]["text"])
            elif event.get("method") == "Log.entryAdded":
                found.append(what["entry"]["text"])
            elif event.get("method") == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
                found.append(str(what["args"]))
        return found

    def requests(self) -> List[str]:
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]  # fmt: skip
