// The settings of one nats-server of the engine.

internal import MAMFleet

/// See docs/adr/0057 and the server's own documentation of these names.
package struct ServerConfiguration {
    let server: ServerName
    /// All servers of the engine, this one too.
    let servers: [ServerName]
    /// The directories on the server: of its settings, and of what it stores (`store`).
    let directory: String
    let store: String
    let systemAccount: Token
    let account: Token

    package init(
        _ server: ServerName, of servers: [ServerName], in directory: String,
        storingIn store: String, systemAccount: Token, account: Token
    ) {
        (self.server, self.servers) = (server, servers)
        (self.directory, self.store) = (directory, store)
        (self.systemAccount, self.account) = (systemAccount, account)
    }

    /// The length of a bundle and the headers of its message.
    static let maximumPayload = Bundle.maximumByteCount + 16_384

    package static let file = "nats-server.conf"
    package static let certificate = "server.pem"
    package static let key = "server.key"
    package static let authority = "ca.pem"
    package static let operatorToken = "operator.jwt"

    package var text: String {
        """
        # Written by `mamctl fleet engine`. Its tokens are no secrets; \(Self.key) is one.
        server_name: "\(server.label)"
        listen: "\(listen(server.port))"
        client_advertise: "\(server)"

        tls {
          cert_file: "\(directory)/\(Self.certificate)"
          key_file: "\(directory)/\(Self.key)"
          timeout: 10
        }
        # When all machines come at once, one waits for the others' handshakes.
        authorization { timeout: 15 }

        operator: "\(directory)/\(Self.operatorToken)"
        system_account: \(systemAccount.subject)
        resolver {
          type: full
          dir: "\(store)/accounts"
          allow_delete: false
          interval: "2m"
        }
        # Only what is newer than the resolver's own is taken: a revocation outlasts a restart.
        resolver_preload {
          \(systemAccount.subject): "\(systemAccount.text)"
          \(account.subject): "\(account.text)"
        }

        jetstream {
          store_dir: "\(store)"
          max_memory_store: 0
          max_file_store: 20GB
        }

        # A bundle of 4 MiB, and its headers.
        max_payload: \(Self.maximumPayload)
        max_pending: 16MB
        max_connections: 20000
        max_subscriptions: 512
        max_control_line: 4KB
        write_deadline: "10s"
        # Who vanished is noticed after 6 minutes.
        ping_interval: "2m"
        ping_max: 2
        """ + "\n" + (servers.count > 1 ? "\n" + cluster + "\n" : "")
    }

    private var cluster: String {
        let routes = servers.filter { $0 != server }.map {
            "    \"nats-route://\($0.at($0.clusterPort))\""
        }
        return """
            cluster {
              name: "mamd"
              listen: "\(listen(server.clusterPort))"
              # Clients have all names from their invitations, which the certificates have too.
              no_advertise: true
              tls {
                cert_file: "\(directory)/\(Self.certificate)"
                key_file: "\(directory)/\(Self.key)"
                ca_file: "\(directory)/\(Self.authority)"
                verify: true
                timeout: 10
              }
              routes: [
            \(routes.joined(separator: "\n"))
              ]
            }
            """
    }

    private func listen(_ port: UInt16) -> String {
        server.isIPv6 ? "[::]:\(port)" : "0.0.0.0:\(port)"
    }
}
