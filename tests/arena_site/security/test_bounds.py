"""What one request may be: how large, how many fields, and no file."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

pytestmark = pytest.mark.django_db

FORMS = ("/battles/new", "/account/sign-in", "/withdraw")


@pytest.mark.parametrize("path", FORMS)
def test_a_body_that_is_too_large_is_refused_before_it_is_read_as_a_form(client, settings, path):
    assert settings.DATA_UPLOAD_MAX_MEMORY_SIZE <= 2_621_440
    body = b"instruction=" + b"a" * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
    answer = client.post(path, body, content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 400


@pytest.mark.parametrize("path", FORMS)
def test_a_form_of_very_many_fields_is_refused(client, settings, path):
    fields = "&".join(f"f{number}=1" for number in range(settings.DATA_UPLOAD_MAX_NUMBER_FIELDS + 1))
    assert client.post(path, fields, content_type="application/x-www-form-urlencoded").status_code == 400


@pytest.mark.parametrize("path", FORMS)
def test_a_file_is_taken_by_no_form(client, path, settings, tmp_path):
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path)
    file = SimpleUploadedFile("../../x.svg", b"<svg onload=alert(1)>" * 200_000, "image/svg+xml")
    answer = client.post(path, {"instruction": file, "login": "x", "code": "x"})
    assert answer.status_code < 500
    assert b"<svg onload" not in answer.content
    assert list(tmp_path.iterdir()) == []


def test_a_form_of_many_files_is_refused(client, settings):
    files = {
        f"file{number}": SimpleUploadedFile("x", b"x") for number in range(settings.DATA_UPLOAD_MAX_NUMBER_FILES + 1)
    }
    assert client.post("/battles/new", files).status_code == 400
