"""What stops the making of a release: a message for the person who makes it."""


class Problem(Exception):
    """Says what was being done, what was wrong, and what to do."""
