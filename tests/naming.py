"""A driver among names that nobody registered: `python -m tests.naming NAMES …its words`.

NAMES is JSON: name → addresses, or [] for a look-up that hangs, or null for a name that is none.
All other names below `.test` are 127.0.0.1. The certificate that the environment names by
AUTHORITY is trusted. A host that keeps failing is slowed by --delay alone, lest tests take minutes.
The product has no hooks for this: the driver runs as ever, with the resolver wrapped here.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from typing import Any

import driver
from layercrawl import manners
from layercrawl.fetch import connection

AUTHORITY = "LAYERCRAWL_TEST_CA"
HANGING = 600.0


def program(names: dict[str, list[str] | None]) -> list[str]:
    """What Python runs instead of driver.py."""
    return ["-m", "tests.naming", json.dumps(names)]


def know(names: dict[str, list[str] | None]) -> None:
    """Put these names before those that the machine knows."""
    asked = socket.getaddrinfo

    def getaddrinfo(host: str, *rest: Any, **more: Any) -> Any:
        if not host.endswith(".test"):
            return asked(host, *rest, **more)
        addresses = names.get(host, ["127.0.0.1"])
        if addresses is None:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        if not addresses:
            time.sleep(HANGING)
        return [entry for address in addresses for entry in asked(address, *rest, **more)]

    socket.getaddrinfo = getaddrinfo


def main() -> int:
    """Run the driver among these names."""
    know(json.loads(sys.argv[1]))
    manners.FAILING_PAUSE = 0.0
    usual = connection.DEFAULT_CA_BUNDLE_PATH
    connection.DEFAULT_CA_BUNDLE_PATH = os.environ.get(AUTHORITY, usual)
    return driver.main(sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
