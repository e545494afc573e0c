"""Dockerfile and compose file keep to the rules that a linter and a reviewer would hold them to; nothing is built here."""

from __future__ import annotations

import re

import pytest
import yaml

from tests.house.test_rooms import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
IGNORED = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()


def instructions() -> list[tuple[str, str]]:
    """Instructions of the Dockerfile with their words, continued lines joined."""
    text = re.sub(r"^#.*\n", "", DOCKERFILE, flags=re.MULTILINE)
    text = re.sub(r"\\\n\s*", " ", text)
    return [(line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in text.splitlines() if line.strip()]


def test_base_images_are_pinned_to_a_release_and_the_user_is_not_root():
    given = instructions()
    bases = [words.split()[0] for name, words in given if name == "FROM"]
    assert bases
    assert all(re.fullmatch(r"python:3\.\d+-slim", base) for base in bases)  # hadolint DL3006, DL3007
    last_stage = given[max(i for i, (name, _) in enumerate(given) if name == "FROM") :]
    assert [words for name, words in last_stage if name == "USER"] == ["10001"]  # DL3002, DL3066


def test_commands_keep_no_cache_and_programs_are_started_without_a_shell():
    given = instructions()
    for name, words in given:
        assert name != "ADD"  # DL3020
        if name == "RUN" and "pip install" in words:
            assert "--no-cache-dir" in words  # DL3042
        if name in {"CMD", "ENTRYPOINT"}:
            assert words.startswith("["), words  # DL3025
        if name == "WORKDIR":
            assert words.startswith("/")  # DL3000
    assert [name for name, _ in given].count("HEALTHCHECK") == 1
    assert not re.search(r"(?i)(password|token|secret)\s*=", DOCKERFILE)


def test_every_extra_the_image_installs_exists():
    import tomllib

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ]
    (named,) = re.findall(r"'\.\[(.*?)\]'", DOCKERFILE)
    assert set(named.split(",")) <= set(extras)


@pytest.mark.parametrize("left_out", [".git", ".venv", "build", "demo"])
def test_the_image_is_made_without_what_is_local(left_out):
    assert left_out in IGNORED


def test_the_image_is_made_with_what_the_package_needs():
    needed = {"README.md", "LICENSE", "pyproject.toml", "index", "dashboard", "grades", "store"}
    assert not needed & set(IGNORED)


def test_compose_states_no_secret_and_opens_to_this_machine_alone():
    services = COMPOSE["services"]
    assert set(services) == {"database", "rentmark"}
    for service in services.values():
        for name, value in service["environment"].items():
            if re.search(r"PASSWORD|TOKEN|URL", name):
                assert "${" in str(value), name
        for port in service.get("ports", []):
            assert port.startswith("127.0.0.1:")
    assert "ports" not in services["database"]
    assert services["rentmark"]["read_only"] is True
    assert services["rentmark"]["cap_drop"] == ["ALL"]
    assert services["rentmark"]["depends_on"]["database"]["condition"] == "service_healthy"
    volumes = {mount.split(":")[0] for service in services.values() for mount in service["volumes"]}
    assert volumes == set(COMPOSE["volumes"])
