import MAMModel
import Testing

@Suite struct OpenMetricsTests {
    @Test func `families follow each other, and the end is marked`() {
        let families = [
            MetricFamily("mamd_opens", .counter, "Files.", [.init(3)]),
            MetricFamily(
                "mamd_machines", .gauge, "Machines.",
                [.init(["state": "stale"], 1), .init(["state": "well", "of": "all"], -2)]),
        ]
        #expect(
            openMetrics(families) == """
                # TYPE mamd_opens counter
                # HELP mamd_opens Files.
                mamd_opens_total 3
                # TYPE mamd_machines gauge
                # HELP mamd_machines Machines.
                mamd_machines{state="stale"} 1
                mamd_machines{state="well",of="all"} -2
                # EOF

                """)
    }

    @Test func `a label's value cannot end it`() {
        let family = MetricFamily("a", .gauge, "A.", [.init(["b": "c\"} 1\n\\"], 0)])
        #expect(openMetrics([family]).contains(#"a{b="c\"} 1\n\\"} 0"#))
    }
}
