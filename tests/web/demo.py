"""`make demo`: serve the seeded web on loopback, crawl it, and say where the results lie."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import driver
from tests.web import Web, serve

ROOT = Path(sys.argv[1] if len(sys.argv) > 1 else "demo")
DEPTH = 3


def main() -> int:
    """The crawl's exit code; an earlier demo's stores are removed first, since its web is gone."""
    if (ROOT / "_lock").exists():
        shutil.rmtree(ROOT)
    with serve(Web(port=0), log=None) as web:
        print(f"A web of {len(web.hosts)} hosts, served on loopback, seed {web.seeds[0]}")
        code = driver.main([
            f"--depth={DEPTH}", "--delay=0", "--scope=any", "--allow-private",
            "--contact=demo@example.org", "--max-bytes=2000000", f"--root={ROOT}", *web.seeds,
        ])  # fmt: skip
    print(f"\nThe stores lie in {ROOT}/ (hdfs_layout.md tells what is where). Look at them with")
    print(f"    {Path(sys.prefix).name}/bin/layercrawl status --root {ROOT}")
    print(f"    {Path(sys.prefix).name}/bin/layercrawl why --root {ROOT} {web.seeds[0]}")
    print(f"    head -c 500 {ROOT}/xml/part-00000")
    return code


if __name__ == "__main__":
    sys.exit(main())
