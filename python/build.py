#!/usr/bin/env python3
"""Builds the wheel and the source archive, without pip and the network. The same sources give the same bytes.

usage: build.py VERSION FOLDER      SOURCE_DATE_EPOCH is the time of all packed files
"""

import base64
import gzip
import hashlib
import io
import os
import pathlib
import sys
import tarfile
import time
import zipfile
from typing import Dict

HERE = pathlib.Path(__file__).resolve().parent
PACKED = ("README.md", "pyproject.toml")


def sources(version: str) -> Dict[str, bytes]:
    files = {f"openseat/{path.name}": path.read_bytes() for path in sorted((HERE / "openseat").iterdir()) if path.is_file()}
    files["openseat/_version.py"] = f'__version__ = "{version}"\n'.encode()
    return files


def metadata(version: str) -> bytes:
    lines = [
        "Metadata-Version: 2.1",
        "Name: openseat",
        f"Version: {version}",
        "Summary: A seat at any game of an Openseat server, for programs that learn, evaluate or play",
        "License: MIT",
        "Requires-Python: >=3.9",
        "Classifier: Typing :: Typed",
        "Classifier: Programming Language :: Python :: 3",
        "Provides-Extra: gymnasium",
        "Requires-Dist: gymnasium>=1.0; extra == 'gymnasium'",
        "Requires-Dist: numpy; extra == 'gymnasium'",
        "Provides-Extra: pettingzoo",
        "Requires-Dist: pettingzoo>=1.24; extra == 'pettingzoo'",
        "Requires-Dist: numpy; extra == 'pettingzoo'",
        "Description-Content-Type: text/markdown",
        "",
        (HERE / "README.md").read_text(),
    ]
    return "\n".join(lines).encode()


def build_wheel(version: str, folder: pathlib.Path, when: int) -> pathlib.Path:
    info = f"openseat-{version}.dist-info"
    files = sources(version)
    files[f"{info}/METADATA"] = metadata(version)
    files[f"{info}/LICENSE"] = (HERE.parent / "LICENSE").read_bytes()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: openseat\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = folder / f"openseat-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, time.gmtime(max(when, 315532800))[:6])
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


def build_sdist(version: str, folder: pathlib.Path, when: int) -> pathlib.Path:
    files = sources(version)
    files.update({name: (HERE / name).read_bytes() for name in PACKED})
    files.update({f"examples/{path.name}": path.read_bytes() for path in sorted((HERE / "examples").glob("*.py"))})
    files["LICENSE"] = (HERE.parent / "LICENSE").read_bytes()
    files["PKG-INFO"] = metadata(version)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name in sorted(files):
            entry = tarfile.TarInfo(f"openseat-{version}/{name}")
            entry.size = len(files[name])
            entry.mtime = when
            entry.mode = 0o644
            archive.addfile(entry, io.BytesIO(files[name]))
    sdist = folder / f"openseat-{version}.tar.gz"
    with open(sdist, "wb") as file, gzip.GzipFile("", "wb", 9, file, when) as compressed:
        compressed.write(packed.getvalue())
    return sdist


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    version, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    when = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    for built in (build_wheel(version, folder, when), build_sdist(version, folder, when)):
        print(built)
    return 0


if __name__ == "__main__":
    sys.exit(main())
