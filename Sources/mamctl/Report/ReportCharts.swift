// A report's charts: SVG without a viewBox, so that they fill the width but do not scale the text.

internal import Glibc
internal import MAMCommandLine
internal import MAMModel
internal import MAMWire

/// An axis with round ticks from zero to the first that is not below the greatest value.
struct ReportAxis {
    let ticks: [Int]

    var end: Int { max(1, ticks.last ?? 1) }

    /// `unit`: 1 for numbers; for bytes, the power of 1024 to show them in.
    init(upTo greatest: Int, unit: Int) {
        var step = unit
        let factors = [2, 5, 10]
        var scale = 1
        while step * 4 < greatest {
            for factor in factors where step * 4 < greatest { step = unit * scale * factor }
            scale *= 10
        }
        ticks = Array(stride(from: 0, through: greatest + step - 1, by: step))
    }

    static func ofBytes(upTo greatest: Int) -> ReportAxis {
        var unit = 1
        while unit * 1024 <= greatest, unit < 1 << 50 { unit *= 1024 }
        return ReportAxis(upTo: greatest, unit: unit)
    }

    func share(_ value: Int) -> Double { Double(value) * 100 / Double(end) }
}

/// `12.34`: SVG requires this form in every locale.
func percent(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
}

/// One line of a bar chart.
struct ReportBar {
    let label: HTML
    let parts: [(kind: String, name: String, value: Int)]

    var sum: Int { parts.reduce(0) { $0 + $1.value } }
}

/// Horizontal stacked bars on a common axis.
func barChart(
    _ title: String, _ bars: [ReportBar], _ axis: ReportAxis, _ text: (Int) -> String
) -> HTML {
    let rows = bars.map { bar -> HTML in
        var start = 0
        let parts = bar.parts.filter { $0.value > 0 }.map { part -> HTML in
            defer { start += part.value }
            return """
                <rect class="\(part.kind)" x="\(percent(axis.share(start)))%" y="3" \
                width="\(percent(axis.share(part.value)))%" height="16">\
                <title>\(part.name): \(text(part.value))</title></rect>
                """
        }
        return """
            <div class="bar"><div class="name">\(bar.label)</div>
            <svg height="22" role="img" aria-label="\(text(bar.sum))">\
            \(grid(axis, height: 22))\(parts)</svg>
            <div class="sum">\(text(bar.sum))</div></div>
            """
    }
    return """
        <figure><figcaption>\(title)</figcaption>
        \(rows)
        <div class="bar axis" aria-hidden="true"><div class="name"></div>
        <svg height="18">\(labels(axis, text))</svg><div class="sum"></div></div></figure>
        """
}

private func grid(_ axis: ReportAxis, height: Int) -> [HTML] {
    axis.ticks.map { tick in
        let place = percent(axis.share(tick))
        return "<line class=\"grid\" x1=\"\(place)%\" x2=\"\(place)%\" y1=\"0\" y2=\"\(height)\"/>"
    }
}

private func labels(_ axis: ReportAxis, _ text: (Int) -> String) -> [HTML] {
    axis.ticks.map { tick in
        let anchor =
            tick == axis.ticks.first ? "start" : tick == axis.ticks.last ? "end" : "middle"
        return """
            <text x="\(percent(axis.share(tick)))%" y="13" text-anchor="\(anchor)">\
            \(text(tick))</text>
            """
    }
}

/// One line per account.
func timelineChart(_ timelines: [AccountTimeline], from start: Int, to end: Int) -> HTML {
    func place(_ time: Int) -> String { percent(Double(time - start) * 100 / Double(end - start)) }
    let days = midnights(from: start, to: end)
    let lines = days.map { day -> HTML in
        "<line class=\"grid\" x1=\"\(place(day))%\" x2=\"\(place(day))%\" y1=\"0\" y2=\"30\"/>"
    }
    let rows = timelines.map { line -> HTML in
        let parts = line.stretches.map { part -> HTML in
            let width = percent(Double(part.to - part.from) * 100 / Double(end - start))
            return """
                <rect class="\(part.kind.rawValue)" x="\(place(part.from))%" y="3" \
                width="\(width)%" height="16"><title>\(part.kind.label), \
                \(localTime(part.from, "%a %H:%M")) to \(localTime(part.to, "%a %H:%M"))\
                </title></rect>
                """
        }
        let marks = line.refusals.map { refusal -> HTML in
            """
            <line class="refusal" x1="\(place(refusal.time))%" x2="\(place(refusal.time))%" \
            y1="21" y2="28"><title>\(refusal.count.counted("refusal").english), \
            \(localTime(refusal.time, "%a %H:%M"))</title></line>
            """
        }
        return """
            <div class="bar"><div class="name"><bdi>\(line.account)</bdi></div>
            <svg height="30" role="img" \
            aria-label="\(line.seconds(.open).asRoughDuration) unlocked">\
            \(lines)\(parts)\(marks)</svg></div>
            """
    }
    // Narrow screens hide every second label, as they would overlap.
    let names = days.enumerated().map { number, day -> HTML in
        let kind: HTML = number % 2 == 1 ? " class=\"second\"" : ""
        return """
            <text\(kind) x="\(place(day))%" y="13" text-anchor="middle">\
            \(localTime(day, "%a %d"))</text>
            """
    }
    return """
        <figure class="timeline"><figcaption>Windows of the accounts, day by day</figcaption>
        \(rows)
        <div class="bar axis" aria-hidden="true"><div class="name"></div>\
        <svg height="18">\(names)</svg></div></figure>
        """
}

/// In the local time zone. Skips days if there are many.
private func midnights(from start: Int, to end: Int) -> [Int] {
    var moment = time_t(start)
    var parts = tm()
    localtime_r(&moment, &parts)
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (0, 0, 0)
    let step = Int32(max(1, ((end - start) / 86_400 + 7) / 8))
    var found: [Int] = []
    while found.last ?? start < end, found.count < 100 {
        parts.tm_mday += step
        parts.tm_isdst = -1
        var day = parts
        found.append(mktime(&day))
    }
    // A label at the edge would be cut off.
    let margin = (end - start) / 25
    return found.filter { $0 > start + margin && $0 < end - margin }
}

func legend(_ entries: [(kind: String, name: String)]) -> HTML {
    let items = entries.map { entry -> HTML in
        """
        <li><svg width="14" height="14" aria-hidden="true">\
        <rect class="\(entry.kind)" width="14" height="14" rx="2"/></svg> \(entry.name)</li>
        """
    }
    return "<ul class=\"legend\">\(items)</ul>"
}
