"""What a password must be besides what Django asks."""

from django.contrib.auth.base_user import AbstractBaseUser
from django.core.exceptions import ValidationError

from arena_site.accounts.names import fold_name

#: What must be left of a password once the name is taken out of it.
LEFT_WITHOUT_NAME = 6


class NotTheNameAgain:
    """Refuses a name written twice or with a few characters around it, which no measure of likeness catches."""

    def validate(self, password: str, user: AbstractBaseUser | None = None) -> None:
        """Raises ValidationError when hardly anything but the name is in the password."""
        name = fold_name(user.get_username()) if user is not None else ""
        if name and name in password.casefold() and len(password.casefold().replace(name, "")) < LEFT_WITHOUT_NAME:
            raise ValidationError("The password is too similar to the name.", code="password_too_similar")

    def get_help_text(self) -> str:
        return "The password may not be the name again."
