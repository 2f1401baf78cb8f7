// The page's section on orders that are not done.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem

extension FleetPage {
    private static let maximumShownCount = 100

    /// Empty if there are none.
    var orders: HTML {
        let open = survey.orders.orders.filter { $0.state != .obeyed }
        guard !open.isEmpty else { return "" }
        let names = Dictionary(
            survey.machines.map { ($0.entry.machine, told($0.label)) }, uniquingKeysWith: { $1 })
        let shown = open.suffix(Self.maximumShownCount).reversed()
        let rows = shown.map { order -> [HTML] in
            [
                HTML(order.order.action.rawValue), "<bdi>\(order.whom(names))</bdi>",
                HTML(rfc3339(order.issued)), "\(order.signed.count) of \(order.needed)",
                HTML(order.outcome.english), "<code>\(String(order.nonce.prefix(8)))</code>",
            ]
        }
        return """
            <section><h2>Orders that are not done</h2>
            \(htmlTable(
                open.count > shown.count
                    ? "The newest \(shown.count) of \(open.count.grouped.english)"
                    : "The newest first",
                [
                    .init(title: "Order"), .init(title: "Machine"), .init(title: "Issued"),
                    .init(title: "Signed"), .init(title: "State"), .init(title: "Nonce"),
                ], rows))</section>
            """
    }
}
