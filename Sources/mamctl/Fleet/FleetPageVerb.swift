// `fleet page`: all machines on one self-contained page.

internal import MAMCommandLine
internal import MAMFleet
internal import MAMModel
internal import MAMOffice
internal import MAMSystem
internal import MAMWire

func writeFleetPage(_ invocation: Invocation) throws -> ExitStatus {
    let output = try invocation.output()
    let directory = try FleetDirectory(of: invocation)
    let file = try NewFile(for: output, replacing: invocation.arguments.has("force"))
    let survey = try directory.survey(invocation)
    try write(FleetPage(survey, directory.root).html, to: file)
    if invocation.isJSON {
        printJSON([
            "path": .string(output.shown), "machines": JSONValue(survey.machines.count),
            "attention": JSONValue(survey.machines.count { !$0.attention.isEmpty }),
        ])
    } else {
        printOut("\(output.shown): \(survey.machines.count.counted("machine"))")
    }
    return .success
}
