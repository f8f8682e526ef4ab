"""The configurations that docs/howto/run-a-server.md shows, run as they stand there.

Only where they lie, their ports, and their certificates are put in.
"""

import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest
import typer
import yaml  # of schemathesis
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from pinyon.surfaces.cli.main import app
from pinyon.surfaces.server import DRAINED_WITHIN_S, PORT
from server.conftest import PATIENCE_S, serving

NAME = "memory.example.com"
PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "run-a-server.md").read_text("utf-8")
MB = 1024 * 1024


def block(info):
    """Return the first block of the page behind a fence of that name."""
    return re.search(rf"^```{info}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1]


def put_in(text, places):
    """Return a configuration with its places changed, each of which must be there."""
    for shown, real in places.items():
        assert shown in text, shown
        text = text.replace(shown, real)
    return text


def is_installed(program):
    return pytest.param(
        program,
        marks=pytest.mark.skipif(not shutil.which(program), reason=f"{program} is not installed"),
    )


# ── a proxy ──────────────────────────────────────────────────────────────────────────────────


@dataclass
class Site:
    """A server and the proxy before it."""

    server: object
    proxy: subprocess.Popen
    port: int
    certificate: Path
    folder: Path

    def ask(self, method, path, *, host=NAME, key=None, **more):
        given = {"Authorization": f"Bearer {key or self.server.key}"} if key != "" else {}
        headers = {"Host": host, **given, **more.pop("headers", {})}
        context = ssl.create_default_context(cafile=self.certificate)
        with httpx2.Client(verify=context, trust_env=False, timeout=60) as http:
            return http.request(
                method,
                f"https://127.0.0.1:{self.port}{path}",
                headers=headers,
                extensions={"sni_hostname": NAME},
                **more,
            )


@pytest.fixture
def certificate(tmp_path):
    """Give a certificate of the name, which it has signed itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    now = datetime(2020, 1, 1, tzinfo=UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=36_500))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    pem = serialization.Encoding.PEM
    (tmp_path / "name.pem").write_bytes(made.public_bytes(pem))
    (tmp_path / "name.key").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    )
    return tmp_path / "name.pem", tmp_path / "name.key"


@pytest.fixture(params=[is_installed("nginx"), is_installed("caddy")])
def site(request, tmp_path, certificate):
    """Give a server with a proxy before it that is set as the page shows."""
    with serving(tmp_path / "home", PINYON_HOSTS=NAME) as server, free_port() as port:
        configure = {"nginx": nginx, "caddy": caddy}[request.param]
        command = configure(tmp_path, port, server.url.rpartition(":")[2], certificate)
        with (tmp_path / "proxy.log").open("wb") as log:
            proxy = subprocess.Popen(command, stdout=log, stderr=log, env=its_own(tmp_path))
        try:
            wait_for(port, proxy, tmp_path / "proxy.log")
            yield Site(server, proxy, port, certificate[0], tmp_path)
        finally:
            proxy.terminate()
            proxy.wait(PATIENCE_S)


def nginx(folder, port, behind, certificate):
    site = put_in(
        block("nginx"),
        {
            "listen 443": f"listen 127.0.0.1:{port}",
            f"127.0.0.1:{PORT}": f"127.0.0.1:{behind}",
            f"/etc/ssl/{NAME}.pem": str(certificate[0]),
            f"/etc/ssl/private/{NAME}.key": str(certificate[1]),
            "/var/log/nginx": str(folder),
        },
    )
    paths = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    lines = [
        "user root;" if os.getuid() == 0 else "",
        f"daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log stderr warn;",
        "events {}",
        "http {",
        *(f"{name}_temp_path {folder}/{name};" for name in paths),
        site,
        "}",
    ]
    (folder / "nginx.conf").write_text("\n".join(lines), "utf-8")
    return ["nginx", "-p", str(folder), "-e", "stderr", "-c", str(folder / "nginx.conf")]


def caddy(folder, port, behind, certificate):
    site = put_in(
        block("caddyfile"),
        {
            f"{NAME} {{": f"https://{NAME}:{port} {{\n\ttls {certificate[0]} {certificate[1]}",
            f"127.0.0.1:{PORT}": f"127.0.0.1:{behind}",
        },
    )
    own = "{\n\tadmin off\n\tauto_https disable_redirects\n}\n"
    (folder / "Caddyfile").write_text(own + site, "utf-8")
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


def its_own(folder):
    return {"PATH": os.environ["PATH"], "HOME": str(folder)}


@contextmanager
def free_port():
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    yield port


def wait_for(port, process, log):
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError(log.read_text("utf-8"))


def test_it_answers_through_the_proxy_and_to_its_name_alone(site):
    written = site.ask("POST", "/v1/memory", json={"text": "Sarah has a Lumio Hub v2"})
    found = site.ask("POST", "/v1/memory/search", json={"query": "which hub has she?"})
    of_a_page = site.ask("GET", "/v1/memory", headers={"Origin": f"https://{NAME}"})
    own_page = site.ask(
        "POST", "/v1/memory", json={"text": "It is red"}, headers={"Origin": f"https://{NAME}"}
    )
    foreign_page = site.ask(
        "POST", "/v1/memory", json={"text": "x"}, headers={"Origin": "https://evil.example"}
    )

    assert written.status_code == 201
    assert found.json()["hits"][0]["text"] == "Sarah has a Lumio Hub v2"
    assert (of_a_page.status_code, own_page.status_code) == (200, 201)
    assert foreign_page.json()["code"] == "foreign_origin"
    # Caddy itself has nothing under another name, and says so by an empty page.
    assert "memories" not in site.ask("GET", "/v1/memory", host="evil.example").text


def test_through_the_proxy_metrics_take_a_key_whatever_a_client_says(site):
    without = site.ask("GET", "/metrics", key="")
    forged = site.ask("GET", "/metrics", key="", headers={"X-Forwarded-For": "127.0.0.1"})

    assert [one.json().get("code") for one in (without, forged)] == ["unauthenticated"] * 2
    assert site.ask("GET", "/metrics").status_code == 200
    assert httpx2.get(f"{site.server.url}/metrics", trust_env=False).status_code == 200


def test_a_request_may_bring_what_pinyon_takes(site):
    assert site.ask("POST", "/v1/memory/batch", json=drafts(MB)).status_code == 201


@pytest.mark.parametrize("site", [is_installed("nginx")], indirect=True)
def test_nginx_says_that_a_request_is_too_large_before_pinyon_hears_of_it(site):
    refused = [site.ask("POST", "/v1/memory/batch", json=drafts(3 * MB // 2)) for _ in range(5)]

    assert [answer.status_code for answer in refused] == [413] * 5


def drafts(size):
    texts = [{"text": f"{number} {'word ' * 1_500}"} for number in range(size // 7_600)]
    return {"memories": texts}


def test_what_is_imported_and_exported_may_be_long_and_lies_nowhere_between(site):
    rows = [{"text": f"Fact {number} of many. {'word ' * 1_000}"} for number in range(700)]
    sent = "\n".join(map(json.dumps, rows)).encode()
    assert len(sent) > 3 * MB
    imported = site.ask("POST", "/v1/memory/import", content=sent)
    exported = site.ask("GET", "/v1/memory/export").text.splitlines()
    left = [path for path in site.folder.rglob("*") if path.is_file() and "home" not in path.parts]

    assert imported.json()["created"] == 700
    assert len(exported) == 701
    assert [path for path in left if b"Fact 699" in path.read_bytes()] == []
    assert "temporary file" not in (site.folder / "proxy.log").read_text("utf-8")


def test_no_log_of_the_proxy_holds_what_is_looked_for(site):
    looked = site.ask("GET", "/v1/memory/events", params={"query": "turquoise"})
    site.proxy.terminate()
    site.proxy.wait(PATIENCE_S)
    logs = [path.read_text("utf-8") for path in site.folder.glob("*.log")]

    assert looked.status_code == 200
    assert [log for log in logs if "turquoise" in log] == []


# ── what runs it ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_the_unit_is_one_and_lets_little_be_done(tmp_path):
    program = tmp_path / "pinyon"
    program.write_text("#!/bin/sh\n", "utf-8")
    program.chmod(0o755)
    places = {
        "/opt/pinyon/bin/pinyon": str(program),
        "User=pinyon": "User=daemon",
        "Group=pinyon": "Group=daemon",
    }
    unit = tmp_path / "pinyon.service"
    unit.write_text(put_in(block("ini"), places), "utf-8")
    command = ["systemd-analyze", "--no-pager"]
    verified = subprocess.run(
        [*command, "verify", unit], capture_output=True, text=True, check=False
    )
    exposed = subprocess.run(
        [*command, "security", "--offline=yes", "--threshold=25", unit],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (verified.returncode, verified.stderr) == (0, "")
    assert exposed.returncode == 0, exposed.stdout


def test_whatever_runs_it_waits_for_as_long_as_it_may_take_to_end():
    waits = (
        re.search(r"TimeoutStopSec=(\d+)", PAGE),
        re.search(r"stop_grace_period: (\d+)s", PAGE),
        re.search(r"docker stop -t (\d+)", PAGE),
    )

    assert [int(wait[1]) > DRAINED_WITHIN_S for wait in waits] == [True] * 3


def test_compose_builds_the_image_and_keeps_the_home_on_a_volume():
    (service,) = yaml.safe_load(block("yaml"))["services"].values()

    assert service["build"] == "."
    assert service["volumes"] == ["memories:/var/lib/pinyon"]
    assert service["ports"] == [f"127.0.0.1:{PORT}:{PORT}"]


def test_what_containers_are_told_to_run_are_commands_of_pinyon():
    program = typer.main.get_command(app)
    shown = re.findall(
        r"^docker (?:compose )?run --rm .*\bpinyon (.+)$", PAGE.replace("\\\n", " "), re.MULTILINE
    )
    assert len(shown) >= 4
    for command in shown:
        name, *words = command.split()

        # Raises for what the command does not take.
        program.commands[name].make_context(name, words)
