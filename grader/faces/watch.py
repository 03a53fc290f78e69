"""`ladder watch`: grades on every save, on one page of the terminal; piped, it prints one verdict after the other.

One loop, in the main thread, draws and answers keys and so never waits for a grade: each is made by a thread of its
own, which a further save calls off. The fork server, torch and the headers stay loaded from one save to the next.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from grader.course import catalog, progress, work
from grader.course.catalog import Entry, UsageError
from grader.course.choose import choose_rung
from grader.course.files import shown_path
from grader.course.inline import inlined
from grader.course.saves import LOOK_SECONDS, Changes, Saves
from grader.faces.remember import remember
from grader.faces.watch_run import Run, Steps, warm_up
from grader.report.explain import show_explanation
from grader.report.markdown import show_markdown
from grader.report.overview import course_rows, progress_bar, show_course
from grader.report.screen import Bell, Screen, keys
from grader.report.solution import show_solution
from grader.report.terminal import DIM, HEAD, make_console

if TYPE_CHECKING:
    from grader.course.lesson import Task
    from grader.devices.submission import Device

FRAME_LINES = 3  # status, the course's progress, keys
WIDEST, WIDEST_CODE = 100, 160  # columns, for prose and for code
PATIENCE_SECONDS = 20.0  # on the way out, for a worker to be ended
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
KEYS = {"h": "hint", "e": "explain", "v": "view", "n": "next", "s": "solution", "l": "list", "q": "quit"}
AFTER_THE_VERDICT = "evns"  # keys that ask for what only a verdict can tell

Show = Callable[[Console], None]


def watch(entry: Entry | None, device: Device) -> None:
    """Watches a lesson's work file, or that of the next lesson to do, until `q` or Ctrl-C. Raises UsageError."""
    entry = entry or progress.to_do(catalog.exercises(), progress.load(catalog.course_root()))
    with Bell() as bell:
        watcher = Watcher(entry, device, bell)
        try:
            if _is_terminal():
                with Screen() as watcher.screen:
                    watcher.go()
                watcher.say_goodbye()
            else:
                print(f"watching {watcher.file}: a verdict for every save, Ctrl-C ends it", flush=True)
                watcher.go()
        finally:
            watcher.close()


def _is_terminal() -> bool:
    """One that can be drawn on and typed at."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "unknown")


# ---- the loop ----


@dataclass
class Question:
    """Waits for a `y`, which does something, or an `n`; any other key is a no, and does what it always does."""

    text: str
    yes: Callable[[], None]


@dataclass
class Page:
    """What stands above the frame instead of the verdict, and how far it is scrolled. Drawn anew at every size."""

    show: Show | None = None  # None: the verdict
    top: int = 0


@dataclass
class Watcher:
    """The state of `ladder watch`. `screen` is None where no keyboard is read and verdicts are merely printed."""

    entry: Entry
    device: Device
    bell: Bell
    screen: Screen | None = None
    running: Run | None = None
    last: Run | None = None  # the one that told the latest verdict
    drawn: Steps | None = None  # the page that is being made
    page: Page = field(default_factory=Page)
    notice: str = ""
    question: Question | None = None
    kept: list[str] = field(default_factory=list)  # keys that wait for the verdict
    beside: list[threading.Thread] = field(default_factory=list)  # all that may not have ended
    leaving: bool = False

    def __post_init__(self) -> None:
        self.console = make_console()
        self.changes: Changes | None = None
        self.turn_to(self.entry)

    @property
    def file(self) -> str:
        return shown_path(self.entry.work_file)

    @property
    def number(self) -> str:
        return self.entry.label

    def turn_to(self, entry: Entry) -> None:
        """Watches another lesson from here on."""
        self.let_go()
        self.entry, self.last, self.page, self.question = entry, None, Page(), None
        self.done = progress.load(entry.root)
        self.notice = self.done.message
        self.saves, self.seen = Saves(entry.work_file), False
        self.changes = Changes(entry.work_file, self.bell.ring)
        self.changes.start()
        if not entry.work_file.exists():
            self.start(threading.Thread(target=warm_up, daemon=True))

    def go(self) -> None:
        """Until the learner wants to leave. Raises KeyboardInterrupt for Ctrl-C and SystemExit for a signal to end."""
        while not self.leaving:
            self.look()
            if self.screen:
                self.screen.draw(self.lines())
            keyboard = self.screen.keyboard if self.screen else None
            signals, typed = self.bell.wait(LOOK_SECONDS if self.saves.pending else None, keyboard)
            self.obey(signals)
            if typed is not None:
                self.leaving = self.leaving or typed == b""  # the terminal is gone
                for key in keys(typed):
                    self.press(key)

    def obey(self, signals: set[int]) -> None:
        if signal.SIGINT in signals:
            raise KeyboardInterrupt
        if ending := signals & {signal.SIGTERM, signal.SIGHUP}:
            raise SystemExit(128 + min(ending))
        if signal.SIGTSTP in signals:
            if self.screen:
                self.screen.suspend()
            else:
                os.kill(os.getpid(), signal.SIGSTOP)

    def look(self) -> None:
        """Takes a finished grade in, a page, and a save."""
        if self.drawn and self.drawn.said:
            self.notice, self.drawn = self.drawn.said, None
        if self.running and self.running.done:
            self.take(self.running)
        if self.screen is None and self.last and not self.last.paced:
            self.last.show_pace(self.console)
        if self.saves.ready(time.monotonic()):
            self.saved()

    def saved(self) -> None:
        """Grades the file as it is now; a grade on its way is of no use any more."""
        self.call_off()
        if self.seen:  # at the start, a key pressed early has chosen the page
            self.page, self.question, self.notice = Page(), None, ""
        self.seen = True
        if self.saves.missing:
            self.last, self.kept = None, []
            self.question = Question("Put the starter there now? y/n", self.copy_starter)
            if self.screen is None:
                print(self.missing(), flush=True)
            return
        self.running = Run(self.entry, self.device, self.bell.ring, self.last.us if self.last else {})
        self.start(self.running)

    def take(self, run: Run) -> None:
        """A grade is there: remembers it, shows it, and answers the keys that waited for it."""
        self.running, self.last = None, run
        if run.grade:
            self.done = remember(self.entry, run.grade, run.source)
            self.notice = self.done.message
        if self.screen is None:
            run.show(self.console)
            print(flush=True)
        waiting, self.kept = self.kept, []
        for key in waiting:
            self.press(key)

    def start(self, thread: threading.Thread) -> None:
        """Python must not end while a thread imports torch, which takes badly to that."""
        self.beside = [each for each in self.beside if each.is_alive()] + [thread]
        thread.start()

    def call_off(self) -> None:
        for run in filter(None, (self.running, self.last)):  # the last one may still be modelled
            run.cancel.set()
        self.running = None

    def let_go(self) -> None:
        self.call_off()
        if self.changes:
            self.changes.stop()

    def close(self) -> None:
        """Ends what runs beside the loop; nothing of a submission is left."""
        self.let_go()
        for thread in self.beside:
            thread.join(PATIENCE_SECONDS)

    def say_goodbye(self) -> None:
        """What stays on the terminal when the page is gone."""
        if self.last and self.screen:
            print(self.rendered(self.last.show)[0])

    # ---- keys ----

    def press(self, key: str) -> None:
        if self.question:
            question, self.question = self.question, None
            if key == "y":
                self.attempt(question.yes)
            if key in "yn":
                return
        self.notice = ""
        if key in AFTER_THE_VERDICT and self.running:
            self.kept.append(key)
            self.notice = f"{KEYS[key]}: as soon as the verdict is there"
        elif key in KEYS:
            self.attempt(getattr(self, f"press_{KEYS[key]}"))
        elif key in ("escape", "enter"):
            self.page = Page()
        elif key in ("up", "down", "page up", "page down"):
            step = self.room - 1 if key.startswith("page") else 1
            self.page.top += -step if key.endswith("up") else step

    def attempt(self, action: Callable[[], None]) -> None:
        """What cannot be done is said, in one sentence, and the watch goes on."""
        try:
            action()
        except UsageError as error:
            self.notice = str(error)

    def press_quit(self) -> None:
        self.leaving = True

    def press_hint(self) -> None:
        from grader.course.hints import next_hint

        task, reached = self.to_mend()
        hint = next_hint(self.entry, task, choose_rung(task, None, reached))
        left = hint.total - hint.number
        more = f"{left} more: press h again" if left else "the last one"
        text = f"**{hint.heading}** ({more})\n\n{hint.text}"
        self.page = Page(lambda console: show_markdown(console, text))

    def to_mend(self) -> tuple[Task, list[str]]:
        """The task whose verdict is on the screen, the first that failed or stands lowest, and the rungs it reached."""
        found = self.last.grade.tasks if self.last and self.last.grade else []
        first = min(found, key=lambda task: (task.status == "passed", task.bonus, task.position.rung), default=None)
        task = self.entry.lesson.task(first.name) if first else self.entry.lesson.tasks[0]
        if first and first.status == "passed":
            return task, [rung.name for rung in task.ladder[: first.position.rung]]
        return task, self.done.rungs(self.entry.name, task.name)

    def press_explain(self) -> None:
        run = self.last
        if not run or not run.grade:
            raise UsageError("there is no verdict to explain yet")
        if not any(task.lines for task in run.grade.tasks):
            counted = run.grade.device["kind"] == "emulator"
            raise UsageError(
                "nothing was counted: the kernel has to run to its end first"
                if counted
                else f"a GPU does not count by line: type `ladder explain {self.number}` in another window"
            )
        grade, source = run.grade, run.source
        self.page = Page(lambda console: show_explanation(console, grade, source))

    def press_view(self) -> None:
        self.notice = "recording: this line says where the page is"
        if not self.drawn:
            self.drawn = Steps(self.entry, self.to_mend()[0].name, self.bell.ring)
            self.start(self.drawn)

    def press_next(self) -> None:
        if self.done.passed(self.entry.name):
            self.go_on()
        else:
            self.question = Question("This lesson is not passed yet. Go on all the same? y/n", self.go_on)

    def go_on(self) -> None:
        following = progress.to_do(catalog.exercises(self.entry.root), self.done, self.entry)
        work.start(following)
        self.turn_to(following)

    def press_solution(self) -> None:
        if self.done.passed(self.entry.name):
            self.reveal()
        else:
            self.question = Question("You have not passed yet. See the solution all the same? y/n", self.reveal)

    def reveal(self) -> None:
        file = self.entry.reference
        text = inlined(file)
        self.page = Page(lambda console: show_solution(console, text, shown_path(file)))

    def press_list(self) -> None:
        rows = course_rows(self.entry.root, self.done)
        self.page = Page(lambda console: show_course(console, rows))

    def copy_starter(self) -> None:
        work.start(self.entry)

    # ---- the page ----

    @property
    def room(self) -> int:
        """Lines above the frame."""
        return max((self.screen.size.lines if self.screen else 24) - FRAME_LINES, 1)

    def lines(self) -> list[str]:
        """The whole page: what there is to say, then the frame."""
        widest = WIDEST if self.page.show is None else WIDEST_CODE
        self.console.width = max(min(self.screen.size.columns if self.screen else 80, widest), 20)
        body = self.body()
        if len(body) > self.room:
            body = [line for line in body if COLOURS.sub("", line).strip()] if self.page.show is None else body
        self.page.top = max(min(self.page.top, len(body) - self.room), 0)
        shown = body[self.page.top : self.page.top + self.room]
        below = len(body) - self.page.top - len(shown)
        frame = [self.status(below), progress_bar(self.entry, self.done, self.console.width), self.key_line()]
        blank = [""] * (self.room - len(shown))
        return [*shown, *blank, *(self.one_line(text) for text in frame)]

    def body(self) -> list[str]:
        if self.page.show:
            return self.rendered(self.page.show)
        if not self.last:
            return [self.one_line(self.heading()), *self.waiting()]
        verdict = self.rendered(self.last.show)
        if not self.running:
            return verdict
        return [self.one_line(self.heading()), *(self.dimmed(line) for line in verdict[1:])]  # it is of an older save

    def heading(self) -> Text:
        what = self.running.what if self.running else "waiting for the file"
        return Text.assemble("… ", (f"{self.entry.name}: ", HEAD), what, (f"  {self.file}", DIM))

    def waiting(self) -> list[str]:
        return self.rendered(lambda console: console.print(f"\n{self.missing()}")) if self.saves.missing else []

    def missing(self) -> str:
        return (
            f"There is no file {self.file}: type `ladder start {self.number}`, and it is graded as soon as it is there."
        )

    def status(self, below: int) -> Text:
        if self.question:
            return Text(self.question.text, HEAD)
        if self.notice:
            return Text(self.notice, HEAD)
        if self.running and self.page.show:
            return self.heading()
        if below or self.page.top:
            return Text(f"{below} line{'s' * (below > 1)} more: ↓ ↑ space" if below else "the end: ↑", DIM)
        return Text()

    def key_line(self) -> Text:
        """Which keys there are. Where the terminal is too narrow for all, the last but the one to quit are left out."""
        line = Text.assemble(("esc", HEAD), " verdict · ") if self.page.show else Text()
        *pairs, end = [Text.assemble((key, HEAD), f" {word}") for key, word in KEYS.items()]
        found = [line + Text(" · ").join([*pairs[:shown], end]) for shown in range(len(pairs), 0, -1)]
        return next((each for each in found if each.cell_len <= self.console.width), found[-1])

    # ---- text ----

    def rendered(self, show: Show) -> list[str]:
        """What `show` prints, as lines of the console's width, coloured as the terminal is."""
        with self.console.capture() as capture:
            show(self.console)
        return capture.get().rstrip("\n").split("\n")

    def one_line(self, text: Text) -> str:
        return self.rendered(lambda console: console.print(text, no_wrap=True, overflow="ellipsis"))[0]

    def dimmed(self, line: str) -> str:
        plain = COLOURS.sub("", line)
        return self.one_line(Text(plain, DIM))
