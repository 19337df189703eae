from parking.fees import fee


def test_every_hour_that_was_begun_is_paid_for():
    assert [fee(minutes) for minutes in (0, 1, 60, 61)] == [0, 300, 300, 600]
