"""What is counted, and when a connection counts as left."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from finalturn._testing.scripted_server.state import ClientGone, State
from tests.testing._peer import Peer


class TestWaiting:
    def test_it_ends_when_the_condition_holds_after_a_change(self) -> None:
        state = State()
        looked = threading.Event()

        def condition() -> bool:
            looked.set()
            return bool(state.mistakes)

        with ThreadPoolExecutor(1) as threads:
            waiting = threads.submit(state.wait_until, condition, 10)
            assert looked.wait(10)
            state.mistake(LookupError("x"))
            waiting.result()

    def test_a_condition_that_holds_is_not_waited_for(self) -> None:
        State().wait_until(lambda: True, 0)

    def test_one_that_does_not_come_says_what_was_seen(self, peer: Peer) -> None:
        peer.state.disconnects = 3
        with pytest.raises(
            TimeoutError, match=r"within 0 s; .* seen 1 connections, of which 1 are open, and 3 "
        ):
            peer.state.wait_until(lambda: False, 0)

    def test_mistakes_are_kept_in_order(self) -> None:
        state = State()
        errors = [LookupError("a"), KeyboardInterrupt()]
        for error in errors:
            state.mistake(error)
        assert state.mistakes == errors


class TestConnections:
    def test_one_is_open_until_it_is_lost(self, peer: Peer) -> None:
        assert (peer.state.connections, peer.state.open_connections) == (1, 1)
        for _ in range(2):
            peer.connection.lost()
            assert counters(peer) == (0, 0)
        assert peer.state.connections == 1

    def test_what_is_written_arrives(self, peer: Peer) -> None:
        peer.connection.write(b"ab")
        peer.connection.write(b"c")
        assert peer.rest() == b"abc"

    def test_a_client_that_leaves_during_an_answer_is_a_disconnect(self, peer: Peer) -> None:
        peer.connection.begin_answer()
        peer.client.close()
        peer.state.wait_until(lambda: counters(peer) == (0, 1), 10)
        with pytest.raises(ClientGone):
            peer.connection.write(b"a")

    def test_one_that_leaves_before_or_after_is_not(self, peer: Peer) -> None:
        peer.connection.begin_answer()
        peer.connection.end_answer()
        peer.client.close()
        peer.state.wait_until(lambda: counters(peer) == (0, 0), 10)

    def test_a_request_that_comes_early_is_no_leaving_and_stays(self, peer: Peer) -> None:
        peer.client.sendall(b"next")
        watchers = set(threading.enumerate())
        peer.connection.begin_answer()
        for watcher in set(threading.enumerate()) - watchers:
            watcher.join(10)
        assert counters(peer) == (1, 0)
        assert peer.server.recv(4) == b"next"

    def test_a_write_that_fails_is_a_client_that_left(self, peer: Peer) -> None:
        peer.client.close()
        for _ in range(2):
            with pytest.raises(ClientGone):
                peer.connection.write(b"a")
        assert counters(peer) == (0, 0)

    def test_closing_is_no_disconnect_and_wakes_the_client(self, peer: Peer) -> None:
        peer.connection.begin_answer()
        peer.connection.close()
        assert peer.client.recv(1) == b""
        peer.connection.close()
        assert counters(peer) == (0, 0)

    def test_one_whose_socket_is_gone_can_be_closed(self, peer: Peer) -> None:
        peer.server.close()
        peer.connection.begin_answer()
        peer.connection.close()
        assert peer.state.open_connections == 0


class TestConnectionsWait:
    def test_for_something_to_be_done(self, peer: Peer) -> None:
        with ThreadPoolExecutor(1) as threads:
            waiting = threads.submit(peer.connection.wait, lambda: bool(peer.state.mistakes))
            peer.state.mistake(LookupError())
            waiting.result(10)

    def test_for_a_time(self, peer: Peer) -> None:
        peer.connection.wait(lambda: False, 0)

    def test_for_a_client_that_leaves(self, peer: Peer) -> None:
        peer.connection.begin_answer()
        with ThreadPoolExecutor(1) as threads:
            waiting = threads.submit(peer.connection.wait, lambda: False)
            peer.client.close()
            with pytest.raises(ClientGone):
                waiting.result(10)
        with pytest.raises(ClientGone):
            peer.connection.wait(lambda: True)


def counters(peer: Peer) -> tuple[int, int]:
    return peer.state.open_connections, peer.state.disconnects
