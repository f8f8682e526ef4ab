"""What a server asks of the system before it answers anybody."""

import socket

import pytest

from pinyon.surfaces.server import _configured, _listen, _take_file_handles

resource = pytest.importorskip("resource")


def test_what_is_sent_on_a_connection_goes_at_once():
    listening = _listen("127.0.0.1", 0)
    with listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            waits = not accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)

    assert not waits


def test_a_server_takes_the_file_handles_that_it_may_have():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    few = min(soft, 1_024)
    resource.setrlimit(resource.RLIMIT_NOFILE, (few, hard))
    try:
        _take_file_handles()
        taken, left = resource.getrlimit(resource.RLIMIT_NOFILE)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    assert left == hard
    assert taken in (16_384, hard)


def test_the_parser_is_the_one_that_limits_headers():
    assert _configured(lambda: None).http == "h11"
