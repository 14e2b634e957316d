"""Windows, and how a page's texts are read, for tests in a real browser."""

PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 900}


def number(text):
    return float(text.replace("−", "-").replace("\u00a0%", ""))


def texts(locator):
    return [" ".join(text.split()) for text in locator.all_inner_texts()]
