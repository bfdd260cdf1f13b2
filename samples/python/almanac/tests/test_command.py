import contextlib
import io
import tempfile
import unittest
from pathlib import Path

from almanac.__main__ import main


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.book = Path(folder.name) / "book.txt"

    def run_command(self, text, *options):
        self.book.write_text(text, encoding="utf-8")
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stderr(errors):
            status = main([str(self.book), *options], output)
        return status, output.getvalue(), errors.getvalue()

    def test_prints_the_agenda(self):
        status, output, _ = self.run_command(
            "Tea: every 2 days from 2024-05-01\n", "--from", "2024-05-02", "--to", "2024-05-05"
        )
        self.assertEqual(status, 0)
        self.assertEqual(output, "May 2024\n  Fri  3  Tea\n  Sun  5  Tea\n")

    def test_bad_line(self):
        status, output, errors = self.run_command(
            "Tea: never\n", "--from", "2024-05-02", "--to", "2024-05-05"
        )
        self.assertEqual((status, output), (2, ""))
        self.assertIn("line 1", errors)

    def test_bad_date(self):
        status, _, errors = self.run_command("", "--from", "soon", "--to", "2024-05-05")
        self.assertEqual(status, 2)
        self.assertIn("soon", errors)


if __name__ == "__main__":
    unittest.main()
