"""Votes from elsewhere: files as people have them, read into columns, checked row by row, and fitted.

``read_votes`` reads, ``fit_votes`` fits, ``fit_document`` writes what came out as JSON values. ``manage.py fit`` and
notebooks call the same three (see ``docs/fit.md``).
"""
