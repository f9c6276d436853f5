"""A PDF is read where memory, processor and files have a limit from the operating system."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from battles.lanes import pdf_reader
from battles.lanes.upload_files import UPLOAD_FILES

READER = Path(pdf_reader.__file__)
#: Reads, in place of a PDF, what a hostile one could make of its reader.
PROGRAM = """
import resource, sys
sys.path.insert(0, {folder!r})
import pdf_reader
def read(path, limit):
    {body}
pdf_reader.read = read
pdf_reader.main()
"""


def run(*command):
    return subprocess.run([sys.executable, "-I", *command], capture_output=True, text=True, timeout=60, check=False)


def made_to(body, file="none"):
    return run("-c", PROGRAM.format(folder=str(READER.parent), body=body), str(file), "100")


def test_a_pdf_is_read(tmp_path):
    file = tmp_path / "page.pdf"
    file.write_bytes(UPLOAD_FILES["page.pdf"].content)
    assert run(str(READER), str(file), "100").stdout == '{"pages": 1, "text": "A page with one line of text."}'


@pytest.mark.parametrize(
    ("name", "most"),
    [("RLIMIT_AS", pdf_reader.MEMORY), ("RLIMIT_CPU", pdf_reader.PROCESSOR), ("RLIMIT_FSIZE", 0)],
)
def test_whoever_reads_it_can_raise_no_limit(name, most):
    """The hard one too: what took the process over stays within it."""
    told = made_to(f"return resource.getrlimit(resource.{name})").stdout
    assert told == f"[{most}, {most}]"
    assert resource.getrlimit(getattr(resource, name))[0] != most, "the test itself has no such limit"


def test_more_memory_than_that_is_not_given():
    refused = made_to(f"return len(bytearray({pdf_reader.MEMORY}))")
    assert (refused.returncode, refused.stdout, refused.stderr.strip()) == (1, "", "MemoryError:")


def test_nothing_is_written(tmp_path):
    written = tmp_path / "written"
    assert made_to("open(path, 'wb', buffering=0).write(b'x')", written).returncode
    assert written.read_bytes() == b""
