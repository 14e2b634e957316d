"""Files appear whole or not at all."""

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from frugalforest.storage.files import whole_file


def write(file, text):
    with whole_file(file) as draft:
        draft.write_text(text)


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    file = tmp_path / "t.txt"
    write(file, "old")

    def fail_halfway():
        with whole_file(file) as draft:
            draft.write_text("ne")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_halfway()
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_two_writers_of_one_file_do_not_destroy_each_others_drafts(tmp_path):
    file = tmp_path / "t.txt"
    with whole_file(file) as first:
        first.write_text("first")
        with whole_file(file) as second:
            second.write_text("second")
        assert file.read_text() == "second"
        assert first.read_text() == "first"
    assert file.read_text() == "first"
    assert list(tmp_path.iterdir()) == [file]


def test_a_writer_that_fails_leaves_the_draft_of_the_other(tmp_path):
    file = tmp_path / "t.txt"

    def fail():
        with whole_file(file):
            raise RuntimeError

    with whole_file(file) as draft:
        draft.write_text("mine")
        with pytest.raises(RuntimeError):
            fail()
    assert file.read_text() == "mine"


def test_no_name_can_be_planted_for_a_draft(tmp_path):
    victim, file = tmp_path / "victim", tmp_path / "t.txt"
    victim.write_text("untouched")
    drafts = []
    for _ in range(2):
        with whole_file(file) as draft:
            drafts.append(draft)
    assert drafts[0] != drafts[1]
    # A link at a name that drafts had, or at that of the file itself, leads nowhere.
    drafts[0].symlink_to(victim)
    file.unlink()
    file.symlink_to(victim)
    write(file, "new")
    assert victim.read_text() == "untouched"
    assert not file.is_symlink()
    assert file.read_text() == "new"


def test_a_draft_is_made_exclusively(tmp_path, monkeypatch):
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    # Even if the random numbers were known.
    monkeypatch.setattr("secrets.token_hex", lambda _: "known")
    (tmp_path / "t.txt.known.part").symlink_to(victim)
    with pytest.raises(FileExistsError):
        write(tmp_path / "t.txt", "new")
    assert victim.read_text() == "untouched"
    assert (tmp_path / "t.txt.known.part").is_symlink()


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_permissions_are_those_of_any_new_file(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        write(tmp_path / "t.txt", "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "t.txt").stat().st_mode) == mode


@pytest.mark.parametrize("name", ["x" * 255, "ü" * 127, "🌲" * 63])
def test_names_may_be_as_long_as_the_file_system_allows(tmp_path, name):
    write(tmp_path / name, "new")
    assert (tmp_path / name).read_text() == "new"


def test_the_file_is_synced_before_it_gets_its_name_and_the_folder_after(tmp_path, monkeypatch):
    file, synced = tmp_path / "t.txt", []
    fsync = os.fsync

    def record(descriptor):
        synced.append((os.fstat(descriptor).st_ino, file.exists()))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", record)
    write(file, "new")
    assert synced == [(file.stat().st_ino, False), (tmp_path.stat().st_ino, True)]


def test_a_full_disk_names_the_file(tmp_path):
    file = tmp_path / "t.txt"
    with pytest.raises(OSError, match="No space left") as caught, whole_file(file):
        Path("/dev/full").write_text("x")
    assert caught.value.errno == errno.ENOSPC
    assert caught.value.filename == str(file)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_an_error_about_the_file(tmp_path):
    file = tmp_path / "nowhere" / "t.txt"
    with pytest.raises(FileNotFoundError) as caught:
        write(file, "new")
    assert caught.value.filename == str(file)


def test_an_error_about_another_file_names_that_file(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, whole_file(tmp_path / "t.txt"):
        (tmp_path / "source").read_text()
    assert caught.value.filename == str(tmp_path / "source")


LIMITED = """
import resource, sys
from frugalforest.storage.files import whole_file
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    with whole_file(sys.argv[1]) as draft:
        draft.write_text("x" * 5000)
except OSError as error:
    print(error.filename)
"""


@pytest.mark.slow
def test_a_disk_that_fills_up_midway_leaves_the_old_file(tmp_path):
    file = tmp_path / "t.txt"
    write(file, "old")
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, file], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{file}\n"
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]
