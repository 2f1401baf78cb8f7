// A report's style sheet: wide and narrow screens, light and dark, and print.

/// Colours have the same meaning throughout: blue is encrypted, the darker the stricter; sand is
/// not encrypted; green is open.
let reportStyle: HTML = """
    :root {
      color-scheme: light dark;
      --page: #ffffff; --card: #f5f7fa; --ink: #17202b; --soft: #586475; --line: #dce2e9;
      --grid: #e3e8ee;
      --a: #173f73; --b: #2f71b8; --c: #7fb0e0; --d: #bcd6f1; --plain: #cfc4ad;
      --open: #3f9d6b; --closed: #b4bdc9; --blocked: #c8553d; --stopped: #e9edf1;
      --warn: #a8321c; --good: #1f7a4b;
      --accent: #1d5fa8;
    }
    @media (prefers-color-scheme: dark) { :root {
      --page: #11161d; --card: #1a212b; --ink: #e8edf3; --soft: #9dabbc; --line: #2d3744;
      --grid: #28313d;
      --a: #8cc2fa; --b: #5594d6; --c: #356799; --d: #26486b; --plain: #7f7663;
      --open: #4fb583; --closed: #566272; --blocked: #e0735b; --stopped: #222b36;
      --warn: #f08d76; --good: #6fcf9b;
      --accent: #7db7f2;
    } }
    @media print { :root {
      color-scheme: light;
      --page: #ffffff; --card: #ffffff; --ink: #000000; --soft: #444444; --line: #bbbbbb;
      --grid: #dddddd;
      --a: #173f73; --b: #2f71b8; --c: #7fb0e0; --d: #bcd6f1; --plain: #cfc4ad;
      --open: #3f9d6b; --closed: #b4bdc9; --blocked: #c8553d; --stopped: #eeeeee;
      --warn: #8a2412; --good: #17623b;
    } }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--page); color: var(--ink);
      font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif;
      -webkit-print-color-adjust: exact; print-color-adjust: exact; }
    main, header, footer { max-width: 1080px; margin: 0 auto; padding: 0 28px; }
    header { padding-top: 40px; }
    h1 { font-size: 30px; line-height: 1.2; margin: 0 0 4px; letter-spacing: -0.01em;
      overflow-wrap: anywhere; }
    h2 { font-size: 19px; margin: 0 0 4px; }
    h3 { font-size: 15px; margin: 24px 0 4px; overflow-wrap: anywhere; }
    p { margin: 0 0 12px; max-width: 76ch; }
    code { font: 13px/1.4 ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
    .soft, caption, .name small, footer { color: var(--soft); }
    .soft { overflow-wrap: anywhere; }
    section { padding: 28px 0 0; border-top: 1px solid var(--line); margin-top: 24px; }
    .verdict { margin: 20px 0 0; padding: 14px 18px; border-left: 4px solid var(--good);
      background: var(--card); }
    .verdict.attention { border-color: var(--warn); }
    .verdict strong { display: block; }
    .verdict ul { margin: 6px 0 0; padding-left: 20px; }
    .verdict li { overflow-wrap: anywhere; }
    dl.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr));
      gap: 12px; margin: 20px 0 0; }
    dl.facts div { background: var(--card); padding: 12px 16px; }
    dl.facts dt { color: var(--soft); font-size: 13px; }
    dl.facts dd { margin: 0; font-size: 22px; line-height: 1.3;
      font-variant-numeric: tabular-nums; }
    dl.facts dd small { display: block; font-size: 12.5px; color: var(--soft); }
    figure { margin: 16px 0; }
    figcaption { font-weight: 600; margin-bottom: 8px; }
    .bar { display: grid; grid-template-columns: minmax(120px, 22%) 1fr 92px; gap: 0 14px;
      align-items: center; }
    .timeline .bar { grid-template-columns: minmax(120px, 22%) 1fr; }
    .bar .name { overflow-wrap: anywhere; font-size: 14px; line-height: 1.3; padding: 3px 0; }
    .bar .sum { text-align: right; font-variant-numeric: tabular-nums; font-size: 14px;
      white-space: nowrap; }
    .bar svg { width: 100%; display: block; overflow: visible; }
    .axis text { font-size: 12px; fill: var(--soft); }
    .grid { stroke: var(--grid); stroke-width: 1; }
    rect.a { fill: var(--a); } rect.b { fill: var(--b); } rect.c { fill: var(--c); }
    rect.d { fill: var(--d); }
    rect.plain { fill: var(--plain); }
    rect.open { fill: var(--open); } rect.closed { fill: var(--closed); }
    rect.blocked { fill: var(--blocked); }
    rect.stopped { fill: var(--stopped); }
    rect.unknown { fill: none; stroke: var(--closed); stroke-dasharray: 3 3; }
    .refusal { stroke: var(--warn); stroke-width: 2; }
    rect.refusal { fill: var(--warn); stroke: none; }
    .legend { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 20px; padding: 0;
      margin: 8px 0 20px; font-size: 13.5px; }
    .legend li { display: flex; align-items: center; gap: 7px; }
    table { width: 100%; border-collapse: collapse; margin: 16px 0 20px; font-size: 14px; }
    caption { text-align: left; padding-bottom: 6px; font-size: 13px; }
    th, td { min-width: 104px; } th.number, td.number { min-width: 0; }
    th { text-align: left; font-weight: 600; font-size: 13px; color: var(--soft);
      border-bottom: 1px solid var(--line); padding: 6px 12px 6px 0; }
    td { border-bottom: 1px solid var(--line); padding: 6px 12px 6px 0; vertical-align: top;
      overflow-wrap: anywhere; }
    th.number, td.number { text-align: right; font-variant-numeric: tabular-nums;
      white-space: nowrap; }
    th:last-child, td:last-child { padding-right: 0; }
    .bad { color: var(--warn); font-weight: 600; } .ok { color: var(--good); font-weight: 600; }
    footer { font-size: 13px; padding-top: 24px; padding-bottom: 48px; }
    @media (max-width: 760px) {
      main, header, footer { padding-left: 16px; padding-right: 16px; }
      header { padding-top: 24px; }
      h1 { font-size: 24px; }
      dl.facts { grid-template-columns: 1fr 1fr; }
      th, td { min-width: 0; }
      .bar, .timeline .bar { grid-template-columns: 1fr auto; row-gap: 0; }
      .bar .name { grid-column: 1; } .bar .sum { grid-column: 2; grid-row: 1; }
        .bar svg { grid-column: 1 / -1; }
      .axis .name { display: none; } .axis .second { display: none; }
      thead { position: absolute; width: 1px; height: 1px; overflow: hidden;
        clip-path: inset(50%); }
      table, tbody, tr, td, caption { display: block; }
      tr { padding: 8px 0; border-bottom: 1px solid var(--line); }
      td, td.number { border: 0; padding: 1px 0; display: flex; justify-content: space-between;
        gap: 16px; text-align: right; white-space: normal; }
      td::before { content: attr(data-label); color: var(--soft); text-align: left; flex: none;
        max-width: 45%; }
      td > span { min-width: 0; }
    }
    @media print {
      body { font-size: 11px; }
      main, header, footer { max-width: none; padding: 0; }
      section { break-before: auto; }
      figure, tr, .verdict, dl.facts div { break-inside: avoid; }
      thead { display: table-header-group; }
      .verdict, dl.facts div { border: 1px solid var(--line); }
    }
    """
