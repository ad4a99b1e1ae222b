"""How a program is set up and tested where the policy is silent: as its own CI does it, else by its manifests. Of its
suites a change concerns those of the languages that it changes, and those whose files name what it changes."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import PurePosixPath

from bot.changes.kinds import (
    is_data_of_tests,
    is_documentation_folder,
    is_for_people,
    is_named_as_test,
    is_test_by_path,
)
from bot.changes.readers import globs, readers_of
from bot.changes.values import FileKind
from bot.child_process import TooLong, run_in_child
from bot.policy import Verify, VerifyPath
from bot.verification.environments.ci.node import install_line, packages
from bot.verification.environments.ci.plans import read_plans
from bot.verification.environments.ci.reader import MAKEFILES, PlanReader
from bot.verification.environments.ci.workflows import ACTIONS, FOLDER
from bot.verification.environments.manifests import (
    BY_EXIT,
    PERL,
    PYTHON,
    SCRIPT,
    SHELL,
    Detected,
    Manifests,
    cd,
    mapping,
)
from bot.verification.environments.python import detect_python
from bot.verification.programs import Hashes, content, source_files
from bot.verification.values import Program

# What decides which packages are installed, beside manifests and lock files.
_ALSO = globs(
    *("tox.ini", "hatch.toml", ".python-version", ".npmrc", ".yarnrc.yml"),
    *("rust-toolchain{,.toml}", "*constraints*.{txt,in}"),
)
Said = tuple[str, tuple[str, ...] | None, str | None]  # of the policy: a folder, its setup and test
SECONDS = 10.0  # of the processor, for all of it
MOST_SUITES, MOST_PROJECTS, _MOST_FILES = 12, 40, 400
_NO_TESTS = "no test specified"  # what `npm init` writes
# Of Rust, wherever they stand: a macro may be around them.
_RUST_TESTS = (b"#[test", b"#[rstest", b"#[quickcheck", b"::test]", b"::test(", b"cfg(test)")


def detect(program: Program, language: str = "", folder: str = "", paths: Collection[VerifyPath] = ()) -> Detected:
    """The suite of this language in this folder, with nothing to set up where it is not there; without a language the
    first. paths: of the base's policy."""
    found = suites(program, paths)
    absent = (
        Detected((), "", f"no tests of {language} were detected", language, folder=folder) if language else found[0]
    )
    return next((each for each in found if (each.language, each.folder) == (language, folder)), absent)


def suites(program: Program, paths: Collection[VerifyPath] = ()) -> tuple[Detected, ...]:
    """Those that the project has, at least one; read apart, since anybody may have written its files."""
    said = tuple(("" if each.path == "." else each.path, each.setup, each.test) for each in paths)
    found = run_in_child(read_suites, replace(program, files=dict(program.files)), said, seconds=SECONDS)
    return (Detected((), "", "the manifests take too long to read"),) if isinstance(found, TooLong) else found


def as_judged(head: Program, base: Program) -> Program:
    """The head, with what says how CI sets up and tests as the base has it: the head has no say in that."""
    both = Manifests(base), Manifests(head)
    folders = [FOLDER, *(f"{ACTIONS}/{name}" for each in both for name in each.names(ACTIONS))]
    paths = {f"{folder}/{name}" for folder in folders for each in both for name in each.names(folder)}
    steering = {path: content(base, path) for path in (*sorted(paths), *MAKEFILES)}
    return replace(head, files={**head.files, **steering})


def read_suites(program: Program, said: tuple[Said, ...] = ()) -> tuple[Detected, ...]:
    """`suites`, in this process and however long it takes: as the policy says for a folder, as CI sets them up, else as
    their manifests say."""
    manifests = Manifests(program)
    plans = read_plans(manifests)
    folders = dict.fromkeys(["", *(plan.folder for plan in plans)])
    by_manifest = {
        (each.language, each.folder): each for folder in folders for each in _of_folder(program, manifests, folder)
    }
    found = [_by_both(plan, by_manifest.get((plan.language, plan.folder), plan), manifests) for plan in plans]
    languages = {each.language for each in found}
    found += [each for each in by_manifest.values() if each.language not in languages and not each.folder]
    found.sort(key=lambda each: each.language in BY_EXIT)
    unreadable = [*manifests.unreadable] if found else manifests.unreadable
    paths = sorted({*source_files(program.tree), *program.files})
    below = [each for folder in _projects(manifests, paths, found) for each in _of_folder(program, manifests, folder)]
    if found:
        below = [replace(each, inside=True) for each in below if _apart(each, found, paths, program)]
    found += below[: MOST_PROJECTS if found else MOST_SUITES]
    if not any(path.endswith(".py") and is_test_by_path(path) for path in paths):  # its manifest may serve anything
        found = [each for each in found if not each.python or each.ci is not None] or found[:1]
    apart = [each for each in found if not any(f"{each.folder}/".startswith(f"{folder}/") for folder, *_ in said)]
    found = [*(_as_said(program, manifests, each, found) for each in said), *apart]
    first = found[0] if found else Detected((), "", "no way to run tests was detected")
    unread = ", ".join(dict.fromkeys(unreadable))
    why = f"{first.why}; {unread} cannot be read" if unread else first.why
    return (replace(first, why=why), *found[1:])


def _by_both(plan: Detected, other: Detected, manifests: Manifests) -> Detected:
    """CI's plan, with the manifest's setup: as another way, or as the first where nothing that is read of CI installs,
    but perhaps an action of another repository."""
    setup = other.setup
    if plan.language == SCRIPT:  # a package of a workspace is installed with the others
        at = "" if plan.folder in packages(manifests) else plan.folder
        setup = _there(_node_setup(manifests.inside(at)), at)
    before = () if plan.ci else setup
    whole = tuple(dict.fromkeys((*before, *(plan.whole or ()))))
    return replace(plan, setup=setup, ci=plan.ci or before, whole=whole)


def _as_said(program: Program, manifests: Manifests, said: Said, found: list[Detected]) -> Detected:
    folder, setup, test = said
    language = next(iter(PlanReader(manifests).languages(test or "", folder)), "")
    there = [each for each in (*found, *_of_folder(program, manifests, folder)) if each.folder == folder]
    base = next((each for each in there if language in ("", each.language)), Detected((), "", "", language or PYTHON))
    why = f"{test or base.test}, from the policy for {folder}"
    base = replace(base, test=test or base.test, why=why, folder=folder, inside=False)
    if setup is None:
        return base
    return replace(base, setup=_there(setup, folder), ci=None)


_OWN = ("pyproject.toml", "setup.py", "requirements.txt", "package.json", "go.mod", "Cargo.toml")


# Whose tests are no matter of the repository's.
_ASIDE = globs("{vendor,vendored,third{_,-}party,external,node_modules}/", "{example,sample,demo,template}{,s,[_-]*}/")


def _projects(manifests: Manifests, paths: Collection[str], found: Collection[Detected]) -> list[str]:
    """Folders below the root, and below those, that have a manifest of their own, or beside other projects tests of
    Python's."""
    folders = manifests.folders_with(*_OWN)
    for path in paths if folders or found else ():
        if path.endswith(".py") and is_named_as_test(path):
            above = (str(each) for each in PurePosixPath(path).parents)
            folder = next(each for each in above if not is_test_by_path(f"{each}/x"))
            folders += [] if any(f"{folder}/".startswith(f"{each}/") for each in (".", *folders)) else [folder]
    near = (folder for folder in folders if folder.count("/") < 2 and "/." not in f"/{folder}")
    return list(near)[:MOST_PROJECTS]


def _apart(suite: Detected, found: Iterable[Detected], paths: Iterable[str], program: Program) -> bool:
    """Whether nothing that was found tests its language there, and the repository does: it is no example, no fixture,
    nobody else's, and no manifest for other ends."""
    inside, folders = f"{suite.folder}/", [each.folder for each in found if each.language == suite.language]
    place = f"{inside}x"
    if any(not folder or place.startswith(f"{folder}/") for folder in folders) or _ASIDE(place.lower()):
        return False
    if is_test_by_path(place) or is_data_of_tests(place) or is_documentation_folder(place):
        return False
    within = [path for path in paths if path.startswith(inside)]
    if suite.language == "rust":  # its tests stand in its code
        texts = (content(program, path) or b"" for path in within if path.endswith(".rs"))
        return any(mark in text for text in islice(texts, _MOST_FILES) for mark in _RUST_TESTS)
    ending = ".py" if suite.python else ".go"
    return suite.language == SCRIPT or any(path.endswith(ending) and is_named_as_test(path) for path in within)


def _of_folder(program: Program, manifests: Manifests, folder: str) -> Iterator[Detected]:
    inside = manifests.inside(folder)
    for found in (detect_python(program, inside), *_others(inside)):
        if found:
            yield replace(found, folder=folder, setup=_there(found.setup, folder))


def _there(lines: tuple[str, ...], folder: str) -> tuple[str, ...]:
    return tuple(cd(folder) + line for line in lines)


# Others


def _others(manifests: Manifests) -> Iterator[Detected]:
    script = manifests.scripts.get("test")
    if isinstance(script, str) and script.strip() and _NO_TESTS not in script:
        yield Detected(_node_setup(manifests), "npm test", "npm test, detected from package.json", SCRIPT)
    if manifests.has("go.mod"):
        yield Detected(("go mod download",), "go test ./...", "go test ./..., detected from go.mod", "go")
    if manifests.has("Cargo.toml"):
        fetch = "cargo fetch --locked" if manifests.has("Cargo.lock") else "cargo fetch"
        yield Detected((fetch,), "cargo test", "cargo test, detected from Cargo.toml", "rust")
    if any(name.endswith(".t") for name in manifests.names("t")):
        line = "prove -l -r t" if manifests.names("lib") else "prove -r t"
        yield Detected((), line, f"{line}, detected from t/*.t", PERL, told=False)


def _node_setup(manifests: Manifests) -> tuple[str, ...]:
    package = manifests.json("package.json")
    needs = "workspaces" in package or any(mapping(package, key) for key in ("dependencies", "devDependencies"))
    return (install_line(manifests),) if needs or manifests.has("pnpm-workspace.yaml") else ()


_DEEPEST = 3  # directories in which manifests count; fixtures further down only look like them


def inputs_of(found: Hashes, setup: tuple[str, ...]) -> Hashes:
    """Manifests and lock files, and every file that a line of the setup names."""
    named = {str(PurePosixPath(word)) for line in setup for word in line.replace("=", " ").split()}
    of_packages = (FileKind.DEPENDENCIES, FileKind.LOCK)
    near = (path for path in found if path.count("/") < _DEEPEST)
    named |= {p for p in near if _ALSO(p.lower()) or any(row.kind in of_packages for row in readers_of(p))}
    return {path: item for path, item in found.items() if path in named}


# Which of them a change concerns

# How the names of each language's files end. Those of no suite's language (data, templates, manifests) concern all.
ENDINGS = {
    PYTHON: (".py", ".pyi", ".pyx", ".pxd"),
    SCRIPT: (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte"),
    "go": (".go",),
    "rust": (".rs",),
    PERL: (".pl", ".pm", ".t"),
    SHELL: (".sh", ".bash"),
}
_MOST_SEARCHED, _LARGEST = 2_000, 200_000  # files of a language, and bytes of one


@dataclass(frozen=True, slots=True)
class ConcernedSuites:
    """run: at least one. left: those that would run, if the policy's own command did not stand in their place."""

    run: tuple[Detected, ...]
    left: tuple[Detected, ...] = ()


def suites_of_change(base: Program, policy: Verify, changed: Collection[str]) -> ConcernedSuites:
    """changed: paths. The suites are the base's."""
    there = suites(base, policy.paths)
    concerned = _concerned(there, base, changed) if len(there) > 1 or policy.test else there
    if policy.test is None:
        return ConcernedSuites(concerned or there[:1])
    runs = PlanReader(Manifests(base)).languages(policy.test)
    apart = [each for each in there if policy.at(each.folder).test is None]
    others = [each for each in there if each not in apart] or [Detected((), "", "", PYTHON)]
    own = next((each for each in others if each.language in runs), others[0])
    left = [each for each in concerned if each not in apart and runs and each.language not in runs]
    beside = (each for each in concerned if each in apart)
    return ConcernedSuites((replace(own, test=policy.test), *beside), tuple(left))


def _concerned(there: tuple[Detected, ...], base: Program, changed: Collection[str]) -> tuple[Detected, ...]:
    told = [path for path in changed if not is_for_people(path)]
    whose, files = {path: _nearest(there, path) for path in told}, sorted({*source_files(base.tree), *base.files})

    def is_concerned(suite: Detected) -> bool:
        others = [path for path in told if suite not in whose[path]]
        return len(others) < len(told) or _names(suite, base, files, others)

    return tuple(filter(is_concerned, there))


def _nearest(there: Collection[Detected], path: str) -> list[Detected]:
    """Those of the file's language, or all where it is of none of theirs; of these the ones in whose folder it lies, as
    far down as may be, or all where it lies in none. Beside them those that no CI and no root tells of, where it is of
    their language or of nobody's, and those that tell by their exit status, where it is of their language."""
    close = [each for each in there if not each.folder or path.startswith(f"{each.folder}/")]
    speaking = [each for each in there if path.endswith(ENDINGS.get(each.language, ()))]
    usual = [each for each in there if not (each.inside or each.language in BY_EXIT)] or list(there)
    spoken = [each for each in usual if each in speaking]
    around = [each for each in spoken or usual if each in close]
    deepest = max((len(each.folder) for each in around), default=0) if spoken else 0
    own = [each for each in around if len(each.folder) >= deepest]
    beside = [each for each in close if each not in usual and (each in speaking or (each.inside and not speaking))]
    return [*own, *beside] or spoken or usual


def _names(suite: Detected, base: Program, files: Iterable[str], paths: Collection[str]) -> bool:
    """Whether its command, or one of these files, of the suite's language and in its folder, names one of the paths."""
    names, said = ({PurePosixPath(each).name.encode() for each in those} for those in (paths, suite.test.split()))
    if not names or names & said:
        return bool(names)
    start, endings = f"{suite.folder}/" if suite.folder else "", ENDINGS.get(suite.language, ())
    own = (path for path in files if path.startswith(start) and path.endswith(endings))
    own = (path for path in own if suite.language not in BY_EXIT or "test" in path or is_test_by_path(path))
    texts = (content(base, path) or b"" for path in islice(own, _MOST_SEARCHED))
    return any(name in text for text in texts if len(text) <= _LARGEST for name in names)
