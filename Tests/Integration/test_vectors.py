"""The test vectors, read by the decoder that was written from FORMAT.md alone."""
import pathlib
import subprocess
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent


class Vectors(unittest.TestCase):
    def test_the_second_decoder_agrees_with_every_vector(self):
        vectors = TESTS / "Vectors"
        result = subprocess.run(
            [sys.executable, TESTS / "decoder.py", "--vectors", vectors], capture_output=True,
            text=True)
        count = len([*vectors.glob("*.vector"), *vectors.glob("*.stream")])
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn(f"{count} vectors, 0 failures", result.stdout)
        self.assertGreaterEqual(count, 120)
