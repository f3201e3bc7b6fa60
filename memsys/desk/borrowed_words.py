"""Words of other packages that the desk shows and that come without Chinese.

Owns nothing but the list, so that they are collected into our catalogue: unfold has no
catalogue at all, and those of the job schedules and of the keys have gaps.

>>> "Reset filters" in WORDS
True
"""

from django.utils.translation import gettext_noop as _

WORDS = (
    # unfold
    _("After you've created a user, you’ll be able to edit more user options."),
    _("All applications"),
    _("Apply Filters"),
    _("Cancel"),
    _("Choose file to upload"),
    _("Click to download"),
    _("Dark"),
    _("Date"),
    _("Expand row"),
    _("False"),
    _("General"),
    _("Go back"),
    _("Light"),
    _("Loading more results..."),
    _("More actions"),
    _("Next"),
    _("No data"),
    _("No results found"),
    _("No results matching your query"),
    _("Previous"),
    _(
        "Raw passwords are not stored, so there is no way to see this "
        "user’s password, but you can change the password using "
        '<a href="{}" class="text-primary-600 dark:text-primary-500">this form</a>.'
    ),
    _("Recent searches"),
    _("No recent searches"),
    _("Reset filters"),
    _("Return to site"),
    _("Run"),
    _("Search apps and models..."),
    _("Select action"),
    _("Select action to run"),
    _("Select all rows"),
    _("Select record"),
    _("Select value"),
    _("Submit"),
    _("System"),
    _("Toggle password visibility"),
    _("True"),
    _("Type to search"),
    _("Welcome"),
    _("Welcome back to"),
    _("You have been successfully logged out from the administration"),
    # Django's Chinese of these reads badly
    _(" By %(filter_title)s "),
    _(
        "Please enter the correct %(username)s and password for a staff "
        "account. Note that both fields may be case-sensitive."
    ),
    # The schedules of jobs
    _('Cron Months (1-12) Of The Year to Run. Use "*" for "all". (Example: "1,12")'),
    _(
        'Cron Days Of The Week to Run. Use "*" for "all", Sunday is 0 or 7, '
        'Monday is 1. (Example: "0,5")'
    ),
    # The keys of services
    _("A free-form name for the API key. Need not be unique. 50 characters max."),
    _(
        "If the API key is revoked, clients cannot use it anymore. "
        "(This cannot be undone.)"
    ),
    _("Once API key expires, clients cannot use it anymore."),
)
