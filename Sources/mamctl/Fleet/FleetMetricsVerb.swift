// `fleet metrics`: the survey as metrics, for the textfile collector of Prometheus' node_exporter.

internal import MAMCommandLine
internal import MAMModel
internal import MAMOffice
internal import MAMWire

func writeFleetMetrics(_ invocation: Invocation) throws -> ExitStatus {
    let directory = try FleetDirectory(of: invocation)
    let output = invocation.arguments.value("output")
    let file = try output.flatMap { path throws(Failure) in
        path.text == "-"
            ? nil : try NewFile(for: path, replacing: invocation.arguments.has("force"))
    }
    let text = openMetrics(try directory.survey(invocation).metrics(directory.root))
    guard let file else {
        return invocation.answer(["text": .string(text)], words: .verbatim(String(text.dropLast())))
    }
    try file.write(Array(text.utf8))
    // The collector is another user, and machines are no more than counted here.
    try file.finish(mode: 0o644)
    return invocation.answer(
        ["path": .string(file.path.shown)], words: .verbatim(file.path.shown))
}
