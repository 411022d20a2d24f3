"""Sphinx settings. ``make docs`` works on a copy in ``build/docs``, so nothing is written here."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

project = "Vicinal"
author = "The Vicinal developers"
copyright = author  # noqa: A001
release = version = version_of("vicinal")

extensions = [
    "command_help",
    "mathml",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["guide/index.md"]
html_math_renderer = "mathml"
templates_path = ["_templates"]

# A name in single backticks is a link where it is one of ours, and in italics where it is not.
default_role = "autolink"

# What scikit-learn gives to every estimator, and Python to every error, is not told again.
_TAKEN_OVER = (
    "BaseEstimator,ClassifierMixin,DensityMixin,Enum,Exception,OutlierMixin,RegressorMixin,"
    "Sequence,TransformerMixin,str,tuple,_MetadataRequester,_SetOutputMixin"
)
autodoc_default_options = {"members": True, "inherited-members": _TAKEN_OVER}
autodoc_member_order = "groupwise"
autodoc_typehints = "none"
autosummary_generate = True
numpydoc_show_class_members = False

html_theme = "pydata_sphinx_theme"
html_title = "Vicinal"
html_static_path = ["_static"]
html_css_files = ["vicinal.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 5,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
}
_ALONE = ("changelog", "command-line", "contributing", "faq", "glossary", "start")
html_sidebars = {page: [] for page in _ALONE}

sphinx_gallery_conf = {
    "examples_dirs": ["../examples"],
    "gallery_dirs": ["tutorials"],
    "filename_pattern": r".*\.py",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "min_reported_time": 1e9,
    "reference_url": {},
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
}


def _skip(app: Any, what: str, name: str, obj: object, skip: bool, options: object) -> bool | None:
    """Leave out the methods that scikit-learn makes for metadata routing."""
    return True if name.startswith("set_") and name.endswith("_request") else None


def setup(app: Any) -> None:
    app.connect("autodoc-skip-member", _skip)
