"""Pages read back, and what is fitted for them."""

from html.parser import HTMLParser

from vicinal.learning.fit import fit_table
from vicinal.settings import Settings
from vicinal.tables.table import read_table

VOID = {"meta", "br", "input"}


class Outline(HTMLParser):
    """Elements, attributes and texts; every element must be closed in order."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.attributes, self.texts = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, key, value) for key, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append((self.open[-1] if self.open else "", data))


def outline(page):
    read = Outline()
    read.feed(page)
    assert read.open == []
    return read


def text_of(page):
    """All that a reader sees."""
    return " ".join(text for _, text in outline(page).texts)


def sections(page):
    return [
        value for tag, key, value in outline(page).attributes if (tag, key) == ("section", "id")
    ]


def fit(table, weights=None, **settings):
    """What a Model of the table keeps."""
    return fit_table(read_table(table), Settings(**settings), weights)
