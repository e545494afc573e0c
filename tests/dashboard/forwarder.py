"""A door before a server on loopback that a test can shut and open again."""

from __future__ import annotations

import contextlib
import socket
import threading


class Forwarder:
    """Hands connections on to a port until it is shut; opening it again takes the same port."""

    def __init__(self, target_port: int) -> None:
        self._target_port = target_port
        self._open_sockets: list[socket.socket] = []
        self._listener = self._listen(0)
        self.port: int = self._listener.getsockname()[1]

    def shut(self) -> None:
        """Refuse new connections and break the old ones."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for held in self._open_sockets:
            _close(held)
        self._open_sockets.clear()

    def open(self) -> None:
        """Listen again."""
        self._listener = self._listen(self.port)

    def _listen(self, port: int) -> socket.socket:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen()
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()
        return listener

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self._target_port))
            self._open_sockets += [near, far]
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=_copy, args=(source, sink), daemon=True).start()


def _copy(source: socket.socket, sink: socket.socket) -> None:
    try:
        while piece := source.recv(65_536):
            sink.sendall(piece)
    except OSError:
        pass
    finally:
        _close(source)
        _close(sink)


def _close(held: socket.socket) -> None:
    with contextlib.suppress(OSError):
        held.shutdown(socket.SHUT_RDWR)
    held.close()
