"""Fuzzing: bytes that nobody would write, and what must hold for all of them.

    python -m tests.fuzz [TARGET …] [--minutes M] [--jobs N]

Each target module has `target(data)`, which raises when a promise is broken, `seeds()`, the inputs
that mutation starts from, `TOKENS`, what is put in more often than chance would, and `SKIPPED`, why
it cannot run, if so. `mutation` makes inputs, `trial` judges one (errors, time, memory, growth),
`campaign` tries many. Atheris makes the inputs where it is installed: it sees what they reach.
"""

TARGETS = ("robots", "sitemaps", "pages", "answers", "urls")
