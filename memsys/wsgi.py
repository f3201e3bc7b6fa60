"""The WSGI entry point; refuses an unsafe database login before it serves."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memsys.settings")

application = get_wsgi_application()

from memsys.warming import warm_up  # noqa: E402 - needs the settings

warm_up()
