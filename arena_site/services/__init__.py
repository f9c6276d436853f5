"""The PostgreSQL and the Valkey that the arena starts for itself when it is given no others.

Nothing here imports Django: the settings ask this package for addresses before Django is set up.
"""
