"""What a process remembers is asked for once, and not for ever."""

from datetime import timedelta

from governance.remembering import remembered


def test_a_result_is_worked_out_once_and_anew_when_its_time_has_passed(monkeypatch):
    asked = []
    clock = [0.0]
    monkeypatch.setattr("governance.remembering.time.monotonic", lambda: clock[0])

    @remembered(most=2, lasts=timedelta(hours=1))
    def doubled(number: int) -> int:
        asked.append(number)
        return 2 * number

    assert [doubled(1), doubled(1), doubled(2)] == [2, 2, 4]
    assert asked == [1, 2]
    clock[0] = timedelta(hours=2).total_seconds()
    assert doubled(1) == 2
    assert asked == [1, 2, 1]
