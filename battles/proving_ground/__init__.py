"""The proving ground: MiniWoB++ pages, written by others, on which the hands of a lane are tried out.

Nothing here is part of a battle and nothing is recorded: ``manage.py proving_ground`` prints what came out.
Model agents are refused; they race in battles.
"""
