"""The type stub of the kernels says what the bindings say."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from vicinal.index import _native

STUB = ast.parse((Path(__file__).parents[2] / "src/vicinal/index/_native.pyi").read_text())
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
CONSTANTS = {node.target.id for node in STUB.body if isinstance(node, ast.AnnAssign)}


def stub_arguments(function):
    return [argument.arg for argument in function.args.args if argument.arg != "self"]


def bound_arguments(function):
    """Names from the signature that nanobind writes, of which types in brackets are dropped."""
    signature = function.__doc__.splitlines()[0]
    while (shorter := re.sub(r"\[[^][]*\]", "", signature)) != signature:
        signature = shorter
    names = re.findall(r"[(,] *(\w+)(?=[:,)])", signature)
    return [name for name in names if name != "self"]


def test_the_stub_has_the_names_of_the_module():
    public = {name for name in vars(_native) if not name.startswith("__")}
    assert {*FUNCTIONS, *CLASSES, *CONSTANTS} == public


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_the_stub_has_the_arguments_of_the_function(name):
    assert stub_arguments(FUNCTIONS[name]) == bound_arguments(getattr(_native, name))


def test_the_stub_has_the_arguments_of_a_table():
    (init,) = [node for node in CLASSES["Table"].body if isinstance(node, ast.FunctionDef)]
    assert stub_arguments(init) == bound_arguments(_native.Table.__init__)
