"""The site for the fuzzer, as it is served; without the limits on how often somebody asks, or it met nothing else."""

from dataclasses import replace

# First, since it makes the models ready.
from arena_site.wsgi import application

# isort: split
from arena_site.rest import limits

limits.READS = 10**9
limits.API_WRITES = replace(limits.API_WRITES, most=10**9)

__all__ = ["application"]
