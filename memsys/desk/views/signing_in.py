"""Pages of signing in: the second step, setting up a device, one's own sessions.

The pages of the second step are open to who gave a password and nothing more; they
show nothing but themselves.

>>> verify_code(request)  # doctest: +SKIP
"""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.contrib.auth import authenticate
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_post_parameters
from unfold.widgets import INPUT_CLASSES

from memsys.desk import two_step
from memsys.desk.pages import page, show
from memsys.desk.sign_in import begin, end, list_sessions, prove

INPUT = " ".join(INPUT_CLASSES)


class CodeForm(forms.Form):
    """A code of the second step."""

    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=20,
        help_text=gettext_lazy("Six digits from your device, or a recovery code."),
        widget=forms.TextInput(
            attrs={
                "autocomplete": "one-time-code",
                "autofocus": True,
                "spellcheck": "false",
                "class": INPUT,
            }
        ),
    )


class AgainForm(CodeForm):
    """Both factors again."""

    password = forms.CharField(
        label=gettext_lazy("Password"),
        max_length=128,
        strip=False,
        widget=forms.PasswordInput(
            attrs={"autocomplete": "current-password", "class": INPUT}
        ),
    )
    field_order = ("password", "code")


def next_page(request: HttpRequest) -> str:
    """Return where to go afterwards: an address of this site, else the start page."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    is_ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if wanted and is_ours else reverse("admin:index")


def _signed_in_half(request: HttpRequest) -> bool:
    """Say whether the password was given by staff, whatever of the second step."""
    return bool(request.user.is_authenticated and admin.site.is_staff(request))  # type: ignore[attr-defined]


def _step(
    request: HttpRequest, template: str, title: Any, **context: Any
) -> HttpResponseBase:
    return show(request, template, title=title, next=next_page(request), **context)


@sensitive_post_parameters("code")
def verify_code(request: HttpRequest) -> HttpResponseBase:
    """Ask for the code of the second step."""
    if not _signed_in_half(request):
        return redirect_to_login(next_page(request), reverse("admin:login"))
    if admin.site.has_permission(request):
        return HttpResponseRedirect(next_page(request))
    if not two_step.has_device(request.user):
        return HttpResponseRedirect(reverse("admin:set_up_device"))
    form = CodeForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        device = two_step.verify(request.user, form.cleaned_data["code"])
        if device is not None:
            begin(request, device, now=timezone.now())
            return HttpResponseRedirect(next_page(request))
        form.add_error("code", _("This code is not right, or was used already."))
    return _step(request, "desk/sign_in/code.html", _("Second step"), form=form)


@sensitive_post_parameters("code")
def set_up_device(request: HttpRequest) -> HttpResponseBase:
    """Show the secret of a new device until its first code is right."""
    if not _signed_in_half(request):
        return redirect_to_login(next_page(request), reverse("admin:login"))
    if two_step.has_device(request.user):
        return HttpResponseRedirect(reverse("admin:verify_code"))
    device = two_step.prepare_device(request.user)
    form = CodeForm(request.POST or None)
    form.fields["code"].help_text = _("Six digits that the device shows now.")
    if request.method == "POST" and form.is_valid():
        codes = two_step.confirm_device(device, form.cleaned_data["code"])
        if codes is not None:
            begin(request, device, now=timezone.now())
            return _step(
                request, "desk/sign_in/codes.html", _("Recovery codes"), codes=codes
            )
        form.add_error("code", _("This code is not right, or was used already."))
    return _step(
        request,
        "desk/sign_in/set_up.html",
        _("Set up your device"),
        form=form,
        image=two_step.qr_image(device),
        secret=two_step.secret_of(device),
    )


@page("again/", name="again", permission=None, methods=("GET", "POST"))
def again(request: HttpRequest) -> HttpResponseBase:
    """Ask for both factors again before a deed that cannot be taken back."""
    form = AgainForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        user = authenticate(
            request,
            username=request.user.get_username(),
            password=form.cleaned_data["password"],
        )
        if user is None:
            form.add_error("password", _("This is not your password."))
        elif two_step.verify(request.user, form.cleaned_data["code"]) is None:
            form.add_error("code", _("This code is not right, or was used already."))
        else:
            prove(request, now=timezone.now())
            return HttpResponseRedirect(next_page(request))
    return _step(request, "desk/sign_in/again.html", _("Is it you?"), form=form)


@page("sessions/", name="sessions", permission=None)
def sessions(request: HttpRequest) -> HttpResponseBase:
    """List where the person is signed in."""
    return show(
        request,
        "desk/sign_in/sessions.html",
        title=_("Where you are signed in"),
        sessions=list_sessions(int(request.user.pk or 0), now=timezone.now()),
        this_key=request.session.session_key,
        codes_left=two_step.count_codes(request.user),
    )


@page(
    "sessions/<uuid:session_id>/end/",
    name="end_session",
    permission=None,
    methods=("POST",),
)
def end_session(request: HttpRequest, session_id: UUID) -> HttpResponseBase:
    """End one of the person's own sessions."""
    if not end(session_id, user_id=int(request.user.pk or 0), now=timezone.now()):
        raise Http404
    messages.success(request, _("The session was ended; its browser is signed out."))
    return HttpResponseRedirect(reverse("admin:sessions"))


@page(
    "recovery-codes/",
    name="renew_codes",
    permission=None,
    methods=("POST",),
    is_proof_asked=True,
)
def renew_codes(request: HttpRequest) -> HttpResponseBase:
    """Make new recovery codes and show them once."""
    codes = two_step.renew_codes(request.user)
    return _step(request, "desk/sign_in/codes.html", _("Recovery codes"), codes=codes)
