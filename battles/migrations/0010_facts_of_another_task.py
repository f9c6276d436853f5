from django.db import migrations

#: Facts count loads of the task's hosts: a battle that is given another task has none until they are counted anew.
FORGET = """
CREATE FUNCTION battles_forget_facts_of_battle() RETURNS trigger LANGUAGE plpgsql AS $forget$
BEGIN
    DELETE FROM battles_lanefacts facts USING battles_lane lane, battles_attempt attempt
    WHERE facts.lane_id = lane.id AND attempt.id = lane.attempt_id AND attempt.battle_id = NEW.id;
    RETURN NULL;
END
$forget$;
CREATE TRIGGER battles_battle_forgets_facts AFTER UPDATE OF task_id ON battles_battle
    FOR EACH ROW WHEN (OLD.task_id IS DISTINCT FROM NEW.task_id) EXECUTE FUNCTION battles_forget_facts_of_battle();
"""
REMEMBER = """
DROP TRIGGER IF EXISTS battles_battle_forgets_facts ON battles_battle;
DROP FUNCTION IF EXISTS battles_forget_facts_of_battle();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("battles", "0009_merges_and_stakes"),
    ]

    operations = [migrations.RunSQL(FORGET, REMEMBER)]
