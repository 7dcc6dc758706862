#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""check_forms.py FIRMWARE VERSION: the package files for Zephyr, ESP-IDF and PlatformIO name the library's version, existing
files, and licences, and hold the library alone; examples name existing sources."""
import json
import re
import sys
from pathlib import Path

firmware, version = Path(sys.argv[1]), sys.argv[2]
errors: list[str] = []


def check(good: bool, what: str) -> None:
    if not good:
        errors.append(what)


def yaml(path: str) -> tuple[dict[str, str], dict[str, list[str]]]:
    """The scalars and the lists of a YAML file as simple as these, by name."""
    lines = (firmware / path).read_text().splitlines()
    content = [line for line in lines if line.strip() and not line.startswith("#")]
    scalars: dict[str, str] = {}
    lists: dict[str, list[str]] = {}
    name = ""
    for line in content:
        if item := re.fullmatch(r' +- "?([^"#]+?)"?', line):
            lists.setdefault(name, []).append(item[1])
        elif scalar := re.fullmatch(r' *([a-z_]+):(?: +"?([^"#]+?)"?)?', line):
            name = scalar[1]
            scalars[name] = scalar[2] or ""
        else:
            check(False, f"{path}: {line}")
    return scalars, lists


def holds_the_library(path: str, patterns: list[str]) -> None:
    """Patterns of files: all that the library is built from, its page and its licences, and nothing else."""
    files = {file.relative_to(firmware) for pattern in patterns for file in firmware.glob(pattern) if file.is_file()}
    wanted = {file.relative_to(firmware) for folder in ("include", "src") for file in (firmware / folder).rglob("*.[ch]")}
    wanted |= {Path(name) for name in ("README.md", "LICENSE-MIT", "LICENSE-APACHE")}
    build = {Path(name) for name in ("CMakeLists.txt", path)}
    check(files - build == wanted, f"{path}: the package differs from the library: {sorted(files - build ^ wanted)}")


module, _ = yaml("zephyr/module.yml")
check((firmware / module["cmake"] / "CMakeLists.txt").is_file(), "module.yml: cmake names no folder with a CMakeLists.txt")
check((firmware / module["kconfig"]).is_file(), "module.yml: kconfig names no file")
symbol = re.search(r"^config (\w+)", (firmware / "zephyr/Kconfig").read_text(), re.M)
for user in "zephyr/CMakeLists.txt", "examples/zephyr/prj.conf":
    check(bool(symbol) and f"CONFIG_{symbol[1]}" in (firmware / user).read_text(), f"{user} does not have the symbol of Kconfig")

component, lists = yaml("idf_component.yml")
check(component["version"] == version, f"idf_component.yml has version {component['version']}")
check(lists["exclude"] == ["**/*"], "idf_component.yml: what is not included is not excluded")
check({"CMakeLists.txt", "idf_component.yml"} <= set(lists["include"]), "idf_component.yml: the package does not build")
holds_the_library("idf_component.yml", lists["include"])

library = json.loads((firmware / "library.json").read_text())
check(library["version"] == version, f"library.json has version {library['version']}")
paths = [library["build"]["srcDir"], library["build"]["includeDir"], *library["export"]["include"]]
paths.append(f"{library['build']['includeDir']}/{library['headers']}")
for path in paths:
    check((firmware / path).exists(), f"library.json: there is no {path}")
# A folder stands for all in it.
exported = library["export"]["include"]
holds_the_library("library.json", [f"{path}/**/*" if (firmware / path).is_dir() else path for path in exported])

for licence in component["license"], library["license"]:
    check(licence == "MIT OR Apache-2.0", f"licence {licence}")

# Sources named by build files of the examples, relative to each.
for build_file, folder in (("zephyr/CMakeLists.txt", "zephyr"), ("esp_idf/main/CMakeLists.txt", "esp_idf/main"),
                           ("platformio/platformio.ini", ".")):
    sources = re.findall(r"[\w./]+\.c\b", (firmware / "examples" / build_file).read_text())
    check(bool(sources), f"{build_file} names no source")
    for source in sources:
        check((firmware / "examples" / folder / source).is_file(),
              f"{build_file}: there is no {source}")

print("\n".join(errors) or "packages: the forms are right")
sys.exit(bool(errors))
