"""Practice sites: small self-made places on the web, with tasks whose success a program can check."""

from arena_site.practice import library_tasks, museum_tasks, shop_tasks, timetable_tasks
from arena_site.practice.library import Library
from arena_site.practice.museum import Museum
from arena_site.practice.shop import Shop
from arena_site.practice.timetable import Timetable
from battles.checks import register_site


def register_practice_sites() -> None:
    """Make the practice sites and their tasks known to battles. May be called more than once."""
    register_site(Shop.host, Shop, shop_tasks.TASKS)
    register_site(Library.host, Library, library_tasks.TASKS)
    register_site(Timetable.host, Timetable, timetable_tasks.TASKS)
    register_site(Museum.host, Museum, museum_tasks.TASKS)
