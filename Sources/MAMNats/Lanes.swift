// Several requests on one connection at once.

internal import CNats

/// What is asked of the server.
struct NatsRequest: Sendable {
    let subject: String
    var payload: [UInt8] = []
}

extension NatsConnection {
    /// Asks in lanes: each has one request on its way. `answered` takes the answer, and returns the
    /// lane's next request; nil ends the lane.
    ///
    /// Fails with ``NatsFailure/timeout`` if no lane has an answer for that long.
    func ask(
        _ first: [NatsRequest], milliseconds: Int64,
        answered: (_ lane: Int, NatsMessage) throws(NatsFailure) -> NatsRequest?
    ) throws(NatsFailure) {
        let inbox = makeInbox()
        let subscription = try subscribe("\(inbox).*")
        defer { end(subscription) }
        // Each request has a subject of its own for its answer. A second answer, of a leader that
        // was just replaced, is ignored.
        var lanes: [String: Int] = [:]
        var count = 0
        func send(_ request: NatsRequest, _ lane: Int) throws(NatsFailure) {
            count += 1
            let reply = "\(inbox).\(count)"
            lanes[reply] = lane
            try publish(request.subject, request.payload, replyTo: reply)
        }
        for (lane, request) in first.enumerated() { try send(request, lane) }
        while !lanes.isEmpty {
            let answer = try nextMessage(of: subscription, milliseconds: milliseconds)
            guard let lane = lanes.removeValue(forKey: answer.subject) else { continue }
            if let request = try answered(lane, answer) { try send(request, lane) }
        }
    }

    private func nextMessage(
        of subscription: OpaquePointer, milliseconds: Int64
    ) throws(NatsFailure) -> NatsMessage {
        var raw: OpaquePointer?
        let status = natsSubscription_NextMsg(&raw, subscription, milliseconds)
        guard status == NATS_OK, let raw else { throw .ofThread(status) }
        defer { natsMsg_Destroy(raw) }
        return NatsMessage(raw)
    }
}
