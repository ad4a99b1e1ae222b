"""The named risks of a change, as the docs show them. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NamedRisk:
    """changed: what was changed, in short. details: the same with its limits. asks: when a person must look."""

    changed: str
    details: str
    asks: str = "always"


NAMED_RISKS = {
    "ci_changed": NamedRisk(
        "CI workflows, build files, or hooks before a commit; not newer versions of actions and hooks",
        "CI workflows, build files, or hooks before a commit are changed",
        asks=("always; newer versions of actions and hooks, and comments and layout of YAML files, are only shown"),
    ),
    "policy_changed": NamedRisk(
        "Bouncer's policy",
        "Bouncer's policy is changed",
    ),
    "owners_changed": NamedRisk(
        "`CODEOWNERS`",
        "`CODEOWNERS` is changed, in any of its three places",
    ),
    "instructions_changed": NamedRisk(
        "what coding agents read as instructions: `AGENTS.md`, `.cursorrules`, skills and the like",
        (
            "what coding agents read as orders is changed (`AGENTS.md`, `.cursorrules`, skills and the like); in "
            "documentation folders only the name in capitals counts, `agents.md` is a page"
        ),
    ),
    "git_changed": NamedRisk(
        "git attributes or submodules",
        "git attributes, submodules, or the commit of one are changed",
    ),
    "dependency_source": NamedRisk(
        "the index, registry, address or repository that dependencies come from",
        "another index, registry, address or repository for dependencies; files that configure this",
    ),
    "install_script": NamedRisk(
        "something that runs while the project is installed or built",
        "something runs while the project is installed or built: scripts, build backends, `setup.py`, `build.rs`",
    ),
    "dependency_added": NamedRisk(
        "a new dependency, if tests end differently with it or it may take part in running them",
        "a dependency that the manifests did not name",
        asks=(
            "if tests end differently with it, and always if it may take part in running them; one in the base's lock"
            " file is only shown, except plugins of pytest"
        ),
    ),
    "tests_steered": NamedRisk(
        (
            "configuration, fixtures and hooks of tests, if tests end differently with them or they choose tests, "
            "bring plugins or change reports"
        ),
        "configuration, fixtures and hooks of tests, also of other runners",
        asks=(
            "if tests end differently with it, and always if it chooses tests, adds plugins, changes reports, or has "
            "a hook that touches tests, marks or reports"
        ),
    ),
    "tools_shadowed": NamedRisk(
        (
            "a new file that Python or a test tool loads instead of the real one, or a file in a folder such as "
            "`node_modules` or `.venv`"
        ),
        (
            "a new file that Python or a test tool loads by itself, or instead of the real one; any file in "
            "`node_modules`, `site-packages`, `.venv`, `.tox`, `.hg`, `.svn` or `__pycache__`"
        ),
    ),
    "symbolic_link": NamedRisk(
        "a symbolic link",
        "a symbolic link",
    ),
    "made_executable": NamedRisk(
        "a file that may be started as a program now",
        "a file may be started as a program now",
        asks="always; new ones are only shown",
    ),
    "asks_if_tested": NamedRisk(
        "product code asks whether it is tested or runs on CI",
        "product code asks whether it is tested, or runs on CI",
    ),
    "asks_where_it_runs": NamedRisk(
        "product code asks on which machine, as which user, or how started it runs",
        (
            "product code asks on which machine, as whom, or how started it runs; `/work` and `/results` count only "
            "next to what reads files and folders, because routes have such names"
        ),
    ),
    "reaches_frames": NamedRisk(
        "product code reads its callers' frames or the garbage collector",
        "product code reads its callers' frames, or what the collector holds",
    ),
    "reads_itself": NamedRisk(
        "product code reads its own source or compiled code",
        (
            "product code reads its own source or compiled code, by which it could detect a planted defect; not what "
            "a function receives that no other new line names"
        ),
    ),
    "reaches_runtime": NamedRisk(
        "product code changes the interpreter, its imports, or test tools",
        (
            "product code changes the interpreter, its imports, or test tools for everybody. Parts of pytest or "
            "pluggy may import their like; the result of a `require` call is no module, and paths under `@/` or `~/` "
            "are the project's"
        ),
    ),
    "ends_process": NamedRisk(
        "product code ends the process",
        "product code ends the process at once, or when it is imported",
    ),
    "equals_everything": NamedRisk(
        "a comparison always gives the same answer",
        "a comparison gives the same answer whatever it compares",
    ),
    "special_cased": NamedRisk(
        "product code compares with a value of a test or the issue, and gives that test's answer",
        (
            "product code compares with a literal of a test or the issue, and gives that test's answer; nothing "
            "(`None`, an empty text or list) for a plain word is no answer"
        ),
    ),
}
