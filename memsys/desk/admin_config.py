"""Makes the desk's site the site of Django's admin.

In INSTALLED_APPS it stands for `django.contrib.admin`; beside it unfold needs its
`BasicAppConfig`, which sets no site of its own.
"""

from django.contrib.admin.apps import AdminConfig


class DeskAdminConfig(AdminConfig):
    default_site = "memsys.desk.site.DeskSite"
