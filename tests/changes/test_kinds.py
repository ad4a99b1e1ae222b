"""What a file is for, told from its path."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.changes.kinds import kind_of
from bot.changes.values import FileKind
from tests.support.properties import patient

KINDS = {
    FileKind.CODE: (
        *(
            "src/app.py",
            "lib/index.js",
            "cmd/main.go",
            "docs/conf.py",
            "django/test/client.py",
            "sympy/testing/runtests.py",
            "src/spec/parser.py",
        ),
        *(
            "contest.py",
            "latest.py",
            "src/protest.rb",
            "templates/page.html",
            "schema.sql",
            "run.sh",
            "a b.ts",
            "History.tsx",
        ),
        *("security.py", "docs/example.py", "src/Latest.java", "testing.go"),
    ),
    FileKind.TEST: (
        *(
            "tests/test_app.py",
            "tests/data/one.json",
            "pkg/tests/util.py",
            "app_test.go",
            "src/app.spec.ts",
            "app.test.jsx",
        ),
        *(
            "src/test/java/FooIT.java",
            "FooTest.java",
            "spec/models/user_spec.rb",
            "test_app.py",
            "app/tests.py",
            "conftest.py",
        ),
        *(
            "pkg/test/bar.js",
            "pkg/spec/bar_helper.rb",
            "spec/helper.py",
            "test/bar.py",
            "ui/__snapshots__/a.snap",
            "tests/README.md",
            "tests/Makefile",
            "TestFoo.java",
        ),
    ),
    FileKind.DOCUMENTATION: (
        *(
            "README.md",
            "README",
            "docs/index.rst",
            "LICENSE",
            "CHANGELOG.md",
            "docs/logo.png",
            "doc/style.css",
            "NEWS.txt",
            "docs/guide.txt",
        ),
        *(".github/PULL_REQUEST_TEMPLATE.md", "changelog.d/12.bugfix"),
    ),
    FileKind.GENERATED: (
        "api_pb2.py",
        "api.pb.go",
        "dist/app.min.js",
        "node_modules/a/index.js",
        "zz_generated.deepcopy.go",
    ),
    FileKind.LOCK: ("package-lock.json", "sub/poetry.lock", "Cargo.lock", "go.sum", "uv.lock", "Gemfile.lock"),
    FileKind.DEPENDENCIES: (
        *(
            "pyproject.toml",
            "package.json",
            "requirements.txt",
            "requirements-dev.txt",
            "requirements/base.in",
            "go.mod",
        ),
        *(
            "docs/requirements.txt",
            "dev-requirements.txt",
            "App.csproj",
            "x.gemspec",
            "setup.py",
            "pom.xml",
            ".gitmodules",
        ),
    ),
    FileKind.CONFIGURATION: (
        *(
            "config.yml",
            "settings.ini",
            ".eslintrc",
            ".gitignore",
            "docs/site.toml",
            ".github/bouncer.yml",
            "AGENTS.md",
        ),
        *("security.yml", "config/history.toml", "license.json", "changes.xml"),
        *("CLAUDE.md", ".github/copilot-instructions.md", ".github/CODEOWNERS.yml"),
    ),
    FileKind.CI: (
        *(
            ".github/workflows/ci.yml",
            ".github/workflows/tests/x.py",
            ".github/actions/a/index.js",
            "Makefile",
            "Dockerfile",
        ),
        *(
            ".gitlab-ci.yml",
            "Jenkinsfile",
            "tox.ini",
            "images/Dockerfile.dev",
            "rules.mk",
            ".circleci/config.yml",
            "action.yml",
        ),
    ),
    FileKind.OTHER: ("logo.png", "locale/de.po", "data.csv", "", "/", "x" * 10_000 + ".py"),
}


@pytest.mark.parametrize(("path", "kind"), [(path, kind) for kind, paths in KINDS.items() for path in paths])
def test_kinds(path: str, kind: FileKind) -> None:
    assert kind_of(path) is kind


@patient
@given(st.text())
def test_every_text_is_a_path(path: str) -> None:
    assert kind_of(path) in FileKind
