"""What is told of a file that g++ takes as it stands, but not as subscripts.py and margins.py write its arrays."""

KIND = "fewer_checks"  # of the note


def fewer_checks(why: str) -> str:
    """The sentence. `why` is what g++ says, "" if that is not known."""
    said = f" ({why})" if why else ""
    return (
        "an index one past the end of a local array is not looked for in this file where an address or a reference "
        "leads to the element, as in arrays of structures: g++ does not take the arrays and indexes as they are "
        f"written for that{said}"
    )
