// `fleet withdraw`: orders that machines are not to obey any more.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

func withdrawOrders(_ invocation: Invocation) throws -> ExitStatus {
    let directory = try FleetDirectory(of: invocation)
    let survey = try directory.survey(invocation)
    var meant: [SurveyedOrder] = []
    for word in invocation.operands {
        let order = try order(word, survey, directory)
        if !meant.contains(where: { $0.nonce == order.nonce }) { meant.append(order) }
    }
    let key = try FleetKey(of: invocation)
    try key.require(.order, in: directory.root.root)
    for order in meant {
        let machine = survey.machines.first { .machine($0.entry.machine) == order.audience }
        printError(
            "order \(order.nonce)  \(excerpt(of: order.whom(survey.names)))  "
                + order.words(machine?.status))
    }
    try agree(
        to: "Withdraw \(meant.count.counted("order"))?", orElse: "nothing was withdrawn",
        invocation)
    var files: [FleetFile] = []
    for order in meant {
        let name = "\(OrganizationDirectory.orders)/withdraw-\(order.nonce).json"
        var file = try withdrawal(of: order, directory.place.whole(name), directory)
        try key.sign(&file.envelope)
        try directory.place.write(name, file.envelope.encoded())
        directory.place.note([LogEntry(.withdraw, name, file.envelope)])
        files.append(file)
    }
    report(files, by: directory.root.root, invocation, asList: true)
    if !invocation.isJSON {
        printError(
            "The order is sent until enough keys have signed this (mamctl fleet cosign), and then"
                + " this (mamfleet push).\nA machine that obeys the order first has obeyed it.")
    }
    return .success
}

/// By its file, its nonce, or the beginning of that.
private func order(
    _ word: ByteString, _ survey: Survey, _ directory: FleetDirectory
) throws(Failure) -> SurveyedOrder {
    let text = word.text ?? ""
    let known = survey.orders.orders
    let path = word.resolved
    let found = known.filter {
        $0.nonce == text || $0.file == text || text.count >= 8 && $0.nonce.hasPrefix(text)
            || path != nil && directory.place.whole($0.file).resolved == path
    }
    guard let order = found.first else {
        throw Failure(
            .notFound, "\(word.shown): there is no such order",
            next: "mamctl fleet orders lists them")
    }
    guard found.count == 1 else {
        throw Failure(
            .usage, "\(word.shown) is the beginning of \(found.count) nonces",
            next: "mamctl fleet orders --json has the nonces whole")
    }
    guard case .machine = order.audience, order.order.action != .withdraw else {
        throw Failure(
            .refused,
            "\(word.shown): only orders for one machine are withdrawn, and no withdrawals",
            next: "sign the order anew: mamctl fleet order")
    }
    guard order.state == .pending || order.state == .unsigned else {
        throw Failure(
            .refused, "\(word.shown): it cannot be withdrawn: \(order.outcome)",
            next: "mamctl fleet orders")
    }
    try refuseAnother(for: order, known, directory)
    return order
}

/// A second withdrawal would stand in the first one's file, without the signatures of that.
private func refuseAnother(
    for order: SurveyedOrder, _ known: [SurveyedOrder], _ directory: FleetDirectory
) throws(Failure) {
    let first = known.first {
        $0.order.withdrawn?.description == order.nonce && !$0.signed.isEmpty
    }
    guard let first else { return }
    let path = directory.place.whole(first.file)
    let root = directory.root.file.path.asArgument
    throw Failure(
        .failure, "\(path.shown) withdraws it already",
        next: first.missing == 0
            ? "mamfleet push" : "mamctl fleet cosign \(path.asArgument) --root \(root) --key KEY")
}

/// It lasts as long as the order.
private func withdrawal(
    of order: SurveyedOrder, _ path: ByteString, _ directory: FleetDirectory
) throws -> FleetFile {
    let nonce = try id(order.nonce, "the order's nonce")
    return try FleetFile(
        path, Order(withdrawing: nonce), for: order.audience, of: directory.root.organization,
        issued: Int64(currentTime()), expires: order.expires)
}
