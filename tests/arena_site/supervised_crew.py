"""A supervisor over small programs, run as a process of its own by the tests.

``python -m tests.arena_site.supervised_crew NOTES PORT DRAIN_SECONDS WORKER``: each program writes what happens to it
as a line of the file NOTES. WORKER is ``idle``, ``busy`` (finishes two seconds after it is asked to), ``stuck`` (never
does), ``parent`` (has a child in a session of its own) or ``broken web`` (idle, beside a site that cannot start).
"""

import signal
import sys
from pathlib import Path

from arena_site.environment import CHECKOUT, read_environment
from arena_site.services.embedded import EmbeddedServices
from arena_site.supervisor import Child, Crew, Program, Supervisor

ELSEWHERE = {"ARENA_DATABASE_URL": "postgres://elsewhere/arena", "ARENA_REDIS_URL": "redis://elsewhere"}

BEGINNING = """
import http.server, os, signal, subprocess, sys, time
def note(what):
    with open({notes!r}, "a") as file:
        file.write(what + chr(10))
def on(number, what, then):
    def handler(*_):
        note(what)
        then()
    signal.signal(number, handler)
leave = lambda: os._exit(0)
"""
WEB = """
on(signal.SIGTERM, "web stops", leave)
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
    def log_message(self, *_):
        pass
note(f"web {{os.getpid()}}")
http.server.HTTPServer(("127.0.0.1", {port}), Page).serve_forever()
"""
BROKEN_WEB = """
note("web breaks")
sys.exit("the page is broken")
"""
CLOCK = """
on(signal.SIGTERM, "beat stops", leave)
note(f"beat {{os.getpid()}}")
time.sleep(600)
"""
WORKERS = {
    "idle": """
on(signal.SIGTERM, "worker warm", leave)
on(signal.SIGQUIT, "worker cold", leave)
note(f"worker {{os.getpid()}}")
time.sleep(600)
""",
    "busy": """
on(signal.SIGTERM, "worker warm", lambda: (time.sleep(2), note("worker done"), leave()))
note(f"worker {{os.getpid()}}")
time.sleep(600)
""",
    "stuck": """
on(signal.SIGTERM, "worker warm", lambda: None)
on(signal.SIGQUIT, "worker cold", leave)
note(f"worker {{os.getpid()}}")
while True:
    time.sleep(600)
""",
    "parent": """
on(signal.SIGTERM, "worker warm", leave)
browser = subprocess.Popen(["sleep", "600"], start_new_session=True)
note(f"worker {{os.getpid()}}")
note(f"browser {{browser.pid}}")
time.sleep(600)
""",
}


def main(notes: str, port: int, drain_seconds: float, worker: str) -> int:
    def child(name: str, code: str, at_death: signal.Signals) -> Child:
        text = (BEGINNING + code).format(notes=notes, port=port)
        return Child(Program(name, ("-c", text), at_death))

    web = BROKEN_WEB if worker == "broken web" else WEB
    crew = Crew(
        web=child("web", web, signal.SIGTERM),
        workers=[child("lanes", WORKERS.get(worker, WORKERS["idle"]), signal.SIGQUIT)],
        clock=child("beat", CLOCK, signal.SIGTERM),
    )
    services = EmbeddedServices(read_environment(ELSEWHERE), owner="a test")
    supervisor = Supervisor(
        services=services,
        crew=crew,
        port=port,
        logs=Path(notes).parent,
        folder=CHECKOUT,
        say=lambda line: print(line, flush=True),
        drain_seconds=drain_seconds,
    )
    return supervisor.run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]))
