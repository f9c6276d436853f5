"""British formats, but with 24 hours and the time zone: an instant is read by people who are anywhere."""

DATE_FORMAT = "j F Y"
DATETIME_FORMAT = "j M Y, H:i T"
SHORT_DATETIME_FORMAT = "j M Y, H:i T"
TIME_FORMAT = "H:i T"
