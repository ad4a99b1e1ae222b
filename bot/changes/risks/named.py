"""The named risks of a change, each with what was changed, as the docs show it."""

NAMED_RISKS = {
    "ci_changed": (
        "CI workflows, build files, or hooks before a commit; newer versions of actions and hooks, and comments and "
        "layout of YAML files, are only shown"
    ),
    "policy_changed": "Bouncer's policy",
    "owners_changed": "`CODEOWNERS`, in any of its three places",
    "instructions_changed": (
        "what coding agents read as instructions: `AGENTS.md`, `.cursorrules`, skills and the like; in documentation "
        "folders only the name in capitals, since `agents.md` is a page there"
    ),
    "git_changed": "git attributes, submodules, or the commit of one",
    "dependency_source": "the index, registry, address or repository that dependencies come from",
    "install_script": (
        "something that runs while the project is installed or built: scripts, build backends, `setup.py`, `build.rs`"
    ),
    "dependency_added": (
        "a new dependency, if tests end differently with it or it may take part in running them; one in the base's "
        "lock file is only shown, except plugins of pytest"
    ),
    "tests_steered": (
        "configuration, fixtures and hooks of tests, if tests end differently with them or they choose tests, bring "
        "plugins, change reports, or have a hook that touches tests, marks or reports"
    ),
    "tools_shadowed": (
        "a new file that Python or a test tool loads by itself or instead of the real one, or a file in a folder such "
        "as `node_modules` or `.venv`"
    ),
    "symbolic_link": "a symbolic link",
    "made_executable": "a file that may be started as a program now; new ones are only shown",
    "asks_if_tested": "product code asks whether it is tested or runs on CI",
    "asks_where_it_runs": (
        "product code asks on which machine, as which user, or how started it runs; `/work` and `/results` count only "
        "next to what reads files and folders, because routes have such names"
    ),
    "reaches_frames": "product code reads its callers' frames or the garbage collector",
    "reads_itself": (
        "product code reads its own source or compiled code; a function "
        "may read the source of its parameter, unless another new line names that function"
    ),
    "reaches_runtime": (
        "product code changes the interpreter, its imports, or test tools; parts of pytest or pluggy may import their "
        "like"
    ),
    "ends_process": "product code ends the process, at once or when it is imported",
    "equals_everything": "a comparison always gives the same answer",
    "special_cased": (
        "product code checks for a value of a test or the issue, and returns the answer that the test expects; nothing "
        "(`None`, an empty text or list) for a plain word is no answer"
    ),
}
