#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""check_forms.py FIRMWARE VERSION: the package files for Zephyr, ESP-IDF and PlatformIO name the library's version, existing
files, and licences; examples name existing sources."""
import json
import re
import sys
from pathlib import Path

firmware, version = Path(sys.argv[1]), sys.argv[2]
errors: list[str] = []


def check(good: bool, what: str) -> None:
    if not good:
        errors.append(what)


def yaml(path: str) -> dict[str, str]:
    """The scalars of a YAML file as simple as these, by name."""
    lines = (firmware / path).read_text().splitlines()
    content = [line for line in lines if line.strip() and not line.startswith("#")]
    scalar = re.compile(r'( *)([a-z_]+):(?: +"?([^"#]+?)"?)?$')
    for line in content:
        check(bool(scalar.match(line)), f"{path}: {line}")
    return {found[2]: found[3] or "" for found in map(scalar.match, content) if found}


module = yaml("zephyr/module.yml")
check((firmware / module["cmake"] / "CMakeLists.txt").is_file(), "module.yml: cmake names no folder with a CMakeLists.txt")
check((firmware / module["kconfig"]).is_file(), "module.yml: kconfig names no file")
symbol = re.search(r"^config (\w+)", (firmware / "zephyr/Kconfig").read_text(), re.M)
for user in "zephyr/CMakeLists.txt", "examples/zephyr/prj.conf":
    check(bool(symbol) and f"CONFIG_{symbol[1]}" in (firmware / user).read_text(), f"{user} does not have the symbol of Kconfig")

component = yaml("idf_component.yml")
check(component["version"] == version, f"idf_component.yml has version {component['version']}")

library = json.loads((firmware / "library.json").read_text())
check(library["version"] == version, f"library.json has version {library['version']}")
paths = [library["build"]["srcDir"], library["build"]["includeDir"], *library["export"]["include"]]
paths.append(f"{library['build']['includeDir']}/{library['headers']}")
for path in paths:
    check((firmware / path).exists(), f"library.json: there is no {path}")

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
