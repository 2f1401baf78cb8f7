// What a connection from a contained program says of itself.
#pragma once

/// Gives a socket of AF_UNIX that is not connected yet the address by which the other end knows
/// that it is a contained program's. It keeps that address for good. -1 and errno on failure.
int mam_mark_contained(int socket);

/// Whether the other end of a connection has such an address.
int mam_is_contained(int socket);
