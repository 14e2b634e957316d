"""Patterns for messages."""

import re


def says(*parts):
    """Pattern for a message that holds all the parts, in this order."""
    return "(?s)" + ".*".join(re.escape(part) for part in parts)
