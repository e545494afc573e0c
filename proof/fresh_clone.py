"""A stranger's first hour: a clone of the last commit, an empty home, Python, make and git, and what the README says.

`python proof/fresh_clone.py [FOLDER]` clones into a new folder and runs `make demo` and `make test` there with an
environment of PATH, HOME and LANG alone. As root it does so as a user made for it (`--user`, default `stranger`).
"""

from __future__ import annotations

import argparse
import os
import pwd
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
PASSED_ON: Final = ("PIP_INDEX_URL", "PIP_CONFIG_FILE", "SSL_CERT_FILE", "HTTPS_PROXY", "https_proxy")
"""What a machine behind a mirror needs to install packages at all; nothing of Rentmark is among it."""


def as_stranger(name: str) -> list[str]:
    """The words that run a command as that user, made where there is none; empty for who isn't root."""
    if os.geteuid() != 0:
        return []
    try:
        pwd.getpwnam(name)
    except KeyError:
        subprocess.run(["useradd", "--create-home", "--shell", "/bin/bash", name], check=True)
    return ["setpriv", f"--reuid={name}", f"--regid={name}", "--clear-groups"]


def main() -> int:
    """Clone and run; the exit code of the first step that fails."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "folder", type=Path, nargs="?", help="an empty or new folder; default: a temporary one"
    )
    options.add_argument("--user", default="stranger")
    options.add_argument("--targets", nargs="+", default=["demo", "test"])
    asked = options.parse_args()
    base = (asked.folder or Path(tempfile.mkdtemp(prefix="fresh-"))).resolve()
    base.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "clone", "--quiet", "--no-local", str(ROOT), str(base / "rentmark")], check=True)
    (base / "home").mkdir()
    stranger = as_stranger(asked.user)
    if stranger:
        subprocess.run(["chown", "-R", f"{asked.user}:", str(base)], check=True)
        base.chmod(0o755)
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(base / "home"), "LANG": "C.UTF-8"}
    environment |= {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    for target in asked.targets:
        begin = time.monotonic()
        done = subprocess.run(
            [*stranger, "make", target], cwd=base / "rentmark", env=environment, check=False
        )
        minutes = (time.monotonic() - begin) / 60
        sys.stdout.write(
            f"make {target}: exit {done.returncode} after {minutes:.1f} min in {base / 'rentmark'}\n"
        )
        if done.returncode:
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
