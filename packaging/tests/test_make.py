"""How artefacts are made, as far as it needs no program: reproducible archives, the changelog, what a release lacks."""

import io
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from make import archive, npm, project, sums  # noqa: E402
from make.problem import Problem  # noqa: E402
from make.program import TARGETS, platform_of  # noqa: E402

CHANGELOG = """# Changelog

## Unreleased

### Added

- nothing

## [0.2.0] - 2026-12-01

### Fixed

- one thing

## 0.1.0

- the first
"""


class Changelog(unittest.TestCase):
    def test_a_section_ends_where_the_next_begins(self):
        self.assertEqual(project.section(CHANGELOG, "0.2.0"), "### Fixed\n\n- one thing")
        self.assertEqual(project.section(CHANGELOG, "0.1.0"), "- the first")
        self.assertEqual(project.section(CHANGELOG, "Unreleased"), "### Added\n\n- nothing")

    def test_a_version_is_not_a_pattern(self):
        self.assertIsNone(project.section(CHANGELOG, "0.3.0"))
        self.assertIsNone(project.section(CHANGELOG, "0.1"))
        self.assertIsNone(project.section(CHANGELOG.replace("0.1.0", "0x1y0"), "0.1.0"))


class Release(unittest.TestCase):
    def lacks(self, tag="v0.1.0", address="https://example.org/a/b", at=None, readme="", changelog=CHANGELOG):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "README.md").write_text(readme)
            (Path(folder) / "CHANGELOG.md").write_text(changelog)
            package = {"version": "0.1.0", "repository": address}
            with mock.patch.object(project, "ROOT", Path(folder)), mock.patch.object(project, "_package", lambda: package):
                try:
                    project.check_release(tag, at)
                except Problem as problem:
                    return str(problem)
        return ""

    def test_what_is_complete_can_be_released(self):
        self.assertEqual(self.lacks(), "")
        self.assertEqual(self.lacks(at="https://example.org/a/b"), "")

    def test_each_thing_that_is_missing_is_named(self):
        self.assertIn("tag v0.1.0", self.lacks(tag="v0.2.0"))
        self.assertIn("`repository` in Cargo.toml is empty", self.lacks(address=""))
        self.assertIn("is made at https://example.org/c/b", self.lacks(at="https://example.org/c/b"))
        self.assertIn("CHANGELOG.md has no section", self.lacks(changelog="# Changelog\n"))
        self.assertIn("remove that sentence", self.lacks(readme="It is not\npublished yet."))
        self.assertEqual(self.lacks(tag="1", address="", changelog="").count("\n- "), 3)


class Archives(unittest.TestCase):
    def test_the_same_files_give_the_same_bytes(self):
        one = archive.packed({"a/b": b"1", "a/c": b"2", "w/": b""}, {"a/c"})
        two = archive.packed({"w/": b"", "a/c": b"2", "a/b": b"1"}, {"a/c"})
        self.assertEqual(one, two)
        with tarfile.open(fileobj=io.BytesIO(one)) as tar:
            entries = tar.getmembers()
        self.assertEqual([entry.name for entry in entries], ["a/b", "a/c", "w"])
        self.assertEqual([entry.mode for entry in entries], [0o644, 0o755, 0o755])
        self.assertEqual({entry.mtime for entry in entries}, {archive.MOMENT})

    def test_checksums_are_those_of_the_files(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "b").write_bytes(b"")
            (Path(folder) / "a").write_bytes(b"abc")
            sums.write(Path(folder))
            sums.write(Path(folder))
            text = (Path(folder) / "SHA256SUMS").read_text()
        empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        self.assertEqual(text, f"{abc}  a\n{empty}  b\n")
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(Problem):
            sums.write(Path(folder))


class Targets(unittest.TestCase):
    def test_each_target_has_a_package_of_its_own(self):
        names = [npm.name_of(each) for each in TARGETS.values()]
        self.assertEqual(names, ["@mcp-compat/linux-x64", "@mcp-compat/linux-arm64", "@mcp-compat/darwin-x64", "@mcp-compat/darwin-arm64"])

    def test_a_build_for_glibc_counts_for_its_system_and_others_are_refused(self):
        self.assertIs(platform_of("x86_64-unknown-linux-gnu"), TARGETS["x86_64-unknown-linux-musl"])
        with self.assertRaisesRegex(Problem, "no package is made for x86_64-pc-windows-msvc"):
            platform_of("x86_64-pc-windows-msvc")


if __name__ == "__main__":
    unittest.main()
