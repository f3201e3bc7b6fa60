"""The audit chains: their standing, a verification, and proofs to take away."""

from django.contrib import messages
from django.db import transaction
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memsys.desk.chains import read_status
from memsys.desk.pages import page, show
from memsys.desk.permissions import Permission
from memsys.desk.roles import may
from memsys.kernel.audit.chain import Deed, record
from memsys.kernel.audit.checking import Checked, check_chains, is_short
from memsys.kernel.audit.errors import ChainNotFound
from memsys.kernel.audit.exporting import VERIFIER, export_chain
from memsys.kernel.jobs import send_job
from memsys.kernel.pages.read_only import DESK_CHAIN, actor_of

VERIFY = "kernel.verify_chains"
VERIFY_EXPIRES_SECONDS = 3600


@page("chains/", name="chains", permission=Permission.SEE_AUDIT)
def chains(request: HttpRequest) -> HttpResponseBase:
    """Show when the chains were verified and published, and how long each is."""
    return show(
        request,
        "desk/chains.html",
        title=_("Audit chains"),
        status_of_chains=read_status(now=timezone.now()),
        may_verify=may(request.user, Permission.VERIFY_AUDIT),
    )


@page(
    "chains/verify/",
    name="verify_chains",
    permission=Permission.VERIFY_AUDIT,
    methods=("POST",),
)
def verify_chains(request: HttpRequest) -> HttpResponseBase:
    """Verify all chains: at once when they are short, else as a job."""
    if is_short():
        _tell(request, check_chains(by=actor_of(request)))
    elif send_job(VERIFY, expires_seconds=VERIFY_EXPIRES_SECONDS, by=actor_of(request)):
        messages.info(
            request,
            _("The chains are verified now; the result is shown here when it is done."),
        )
    else:
        messages.error(
            request, _("No worker could be asked to verify the chains; try again.")
        )
    return HttpResponseRedirect(reverse("admin:chains"))


@page(
    "chains/<str:chain>/proof/",
    name="chain_proof",
    permission=Permission.VERIFY_AUDIT,
)
def chain_proof(request: HttpRequest, chain: str) -> HttpResponseBase:
    """Hand out a chain as a file that proves itself; it is recorded."""
    try:
        lines = export_chain(chain)
    except ChainNotFound as exc:
        raise Http404 from exc
    with transaction.atomic():
        record(
            Deed(
                chain=DESK_CHAIN,
                action="audit.chain_exported",
                actor=actor_of(request),
                object_ref=f"audit_chain:{chain}",
            )
        )
    response = StreamingHttpResponse(
        (line.encode() for line in lines), content_type="application/jsonl"
    )
    response.headers["Content-Disposition"] = f'attachment; filename="{chain}.jsonl"'
    return response


@page("chains/verifier/", name="chain_verifier", permission=Permission.SEE_AUDIT)
def chain_verifier(request: HttpRequest) -> HttpResponseBase:
    """Hand out the program that proves such a file."""
    named = f'attachment; filename="{VERIFIER.name}"'
    return HttpResponse(
        VERIFIER.read_bytes(),
        content_type="text/x-python",
        headers={"Content-Disposition": named},
    )


def _tell(request: HttpRequest, checked: Checked) -> None:
    if not checked.fault_count:
        messages.success(request, _("All chains are intact."))
        return
    messages.error(
        request,
        ngettext(
            "The verification found %(count)s fault. It is named below.",
            "The verification found %(count)s faults. They are named below.",
            checked.fault_count,
        )
        % {"count": checked.fault_count},
    )
