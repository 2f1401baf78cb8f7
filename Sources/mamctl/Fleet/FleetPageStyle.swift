// What the page about all machines adds to a report's style sheet.

let fleetStyle: HTML = """
    main, header, footer { max-width: 1480px; }
    .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(480px, 100%), 1fr));
      gap: 8px 56px; }
    .charts figure { min-width: 0; }
    .charts .bar { grid-template-columns: minmax(110px, 36%) 1fr 64px; }
    dl.facts div { min-width: 0; }
    dl.facts dd { overflow-wrap: anywhere; }
    .verdict ul:empty { display: none; }
    .filter { display: flex; flex-wrap: wrap; gap: 12px 20px; align-items: end;
      margin: 12px 0 16px; }
    .filter[hidden], .pages[hidden] { display: none; }
    .filter label { display: grid; gap: 3px; font-size: 13px; color: var(--soft); }
    .filter label:first-child { flex: 1 1 260px; }
    .filter .narrow { display: none; }
    input, select, button { font: inherit; font-size: 14px; color: var(--ink);
      background: var(--page); border: 1px solid var(--closed); border-radius: 4px;
      padding: 6px 10px; min-height: 36px; min-width: 0; max-width: 100%; }
    button { cursor: pointer; background: var(--card); }
    button:disabled { cursor: default; color: var(--soft); border-color: var(--line); }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 1px; }
    th button { all: unset; cursor: pointer; font: inherit; white-space: nowrap; }
    th button:focus-visible { outline: 3px solid var(--accent); outline-offset: 1px; }
    th button::after { content: "\\00a0\\2195"; color: var(--closed); }
    th[aria-sort="ascending"] button::after { content: "\\00a0\\2191"; color: var(--ink); }
    th[aria-sort="descending"] button::after { content: "\\00a0\\2193"; color: var(--ink); }
    #table th, #table td { min-width: 0; }
    #table td.name { min-width: 250px; max-width: 420px; }
    td.name small { display: block; color: var(--soft); font-size: 12px; }
    #table td.why { min-width: 240px; width: 40%; }
    #table th.number + th:not(.number), #table td.number + td:not(.number) { padding-left: 16px; }
    td ul { margin: 0; padding-left: 16px; }
    .state { display: inline-flex; gap: 7px; align-items: center; white-space: nowrap; }
    .state i { width: 11px; height: 11px; border-radius: 3px; flex: none;
      background: var(--closed); }
    .state .open { background: var(--open); } .state .blocked { background: var(--blocked); }
    .state .plain { background: var(--plain); } .state .refusal { background: var(--warn); }
    .state .stopped { background: var(--stopped); border: 1px solid var(--closed); }
    .pages { display: flex; flex-wrap: wrap; gap: 8px 12px; align-items: center; }
    .pages span { font-variant-numeric: tabular-nums; }
    @media (max-width: 1240px) {
      .filter .narrow { display: grid; }
      #table table, #table tbody, #table caption { display: block; }
      #table thead { display: none; }
      #table tr { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr));
        gap: 2px 24px; padding: 10px 0; border-bottom: 1px solid var(--line);
        break-inside: avoid; }
      #table td { display: flex; justify-content: space-between; align-items: start; gap: 16px;
        border: 0; padding: 1px 0; font-size: 13px; text-align: right; }
      #table td::before { content: attr(data-label); color: var(--soft); white-space: nowrap;
        max-width: none; }
      #table td.name, #table td.why { display: block; grid-column: 1 / -1; min-width: 0;
        max-width: none; width: auto; text-align: left; font-size: 14px; }
      #table td.name { font-weight: 600; }
      #table td.name::before, #table td.why::before { content: none; }
      #table td.name small { font-weight: 400; overflow-wrap: anywhere; }
      #table td.empty { display: none; }
    }
    @media (max-width: 760px) {
      .charts .bar { grid-template-columns: 1fr auto; }
      .filter label, .filter label:first-child { flex: 1 1 40%; }
      .filter label:first-child, .filter button { flex: 1 1 100%; }
      .legend { gap: 4px 16px; }
    }
    @media print {
      .filter, .pages { display: none; }
    }
    """
