// The page about all machines: filters, sorts and pages its table. It makes elements and sets their
// text, and never parses HTML.
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const fields = ["id", "label", "host", "state", "issued", "version", "system", "kernel",
  "accounts", "pending", "refused", "groups", "why"];
const rows = data.machines.map(values => {
  const row = Object.fromEntries(fields.map((name, index) => [name, values[index]]));
  row.text = [row.id, row.label, row.host, row.groups, row.system, row.kernel,
    ...row.why.map(reason => reason[1])].join("\n").toLowerCase();
  return row;
});
const rank = ["revoked", "compliant", "attention", "stale", "silent", "refused"];
const order = new Intl.Collator("en", { numeric: true });
// title, what sorts it, whether the highest come first, and what stands in a cell
const columns = [
  ["Machine", row => row.label, false, name],
  ["State", row => rank.indexOf(data.states[row.state][0]), true, state],
  ["Last report", row => row.issued ?? -Infinity, true, age],
  ["Version", row => row.version, false, version],
  ["Groups", row => row.groups, false, row => row.groups],
  ["Accounts", row => row.accounts, true, row => number(row.accounts)],
  ["Orders pending", row => row.pending, true, row => number(row.pending)],
  ["Refused, 7 days", row => row.refused, true, row => number(row.refused)],
  ["Why", row => row.why.length, true, why],
];
const numbers = ["Accounts", "Orders pending", "Refused, 7 days"];
const size = 50, mostPrinted = 2000;
let sorted = { column: 1, down: true }, page = 0, found = rows;
const at = id => document.getElementById(id);

function element(tag, text, kind) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}
function number(value) { return value.toLocaleString("en"); }
function name(row) {
  const cell = document.createDocumentFragment();
  cell.append(element("bdi", row.label || row.id));
  if (row.host) cell.append(element("small", "calls itself " + row.host));
  return cell;
}
function version(row) {
  const cell = element("span", row.version);
  if (row.system) cell.append(element("small", row.system));
  return cell;
}
function state(row) {
  const cell = element("span", undefined, "state");
  cell.append(element("i", undefined, data.states[row.state][2]),
    element("span", data.states[row.state][1]));
  return cell;
}
function age(row) {
  if (row.issued === null) return "none";
  const seconds = data.time - row.issued, time = element("time", ago(seconds));
  const date = new Date(row.issued * 1000);
  if (!isNaN(date)) time.dateTime = time.title = date.toISOString();
  return time;
}
function ago(seconds) {
  if (seconds < -60) return "in the future";
  for (const [unit, length] of [["d", 86400], ["h", 3600], ["min", 60]])
    if (seconds >= length) return Math.floor(seconds / length) + " " + unit + " ago";
  return "just now";
}
function why(row) {
  if (row.why.length < 2) return row.why.length ? row.why[0][1] : "";
  const list = element("ul");
  for (const reason of row.why) list.append(element("li", reason[1]));
  return list;
}

const table = element("table"), head = element("tr"), body = element("tbody");
table.append(element("caption", "Machines, by name"), element("thead"), body);
table.tHead.append(head);
columns.forEach(([title], index) => {
  const cell = element("th", undefined, numbers.includes(title) ? "number" : "");
  const button = element("button", title);
  cell.scope = "col";
  button.type = "button";
  button.addEventListener("click", () => sort(index));
  cell.append(button);
  head.append(cell);
});
at("table").append(table);

function sort(column) {
  const down = sorted.column === column ? !sorted.down : columns[column][2];
  sorted = { column, down };
  select();
}
// The heads, and the list that stands for them on narrow screens.
function showOrder() {
  [...head.children].forEach((cell, index) => {
    if (index !== sorted.column) cell.removeAttribute("aria-sort");
    else cell.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
  });
  table.caption.textContent = "Machines, by " + columns[sorted.column][0].toLowerCase();
  at("order").value = sorted.column;
}
function select() {
  const text = at("search").value.trim().toLowerCase().split(/\s+/);
  const [state, reason, version] = ["state", "reason", "version"].map(id => at(id).value);
  found = rows.filter(row => text.every(word => row.text.includes(word))
    && (!state || data.states[row.state][0] === state)
    && (!reason || row.why.some(each => each[0] === reason))
    && (!version || "v" + row.version === version));
  const key = columns[sorted.column][1], sign = sorted.down ? -1 : 1;
  const keyed = found.map(row => [key(row), row]);
  keyed.sort(([one], [other]) => sign * (typeof one === "string"
    ? order.compare(one, other) : one < other ? -1 : one > other ? 1 : 0));
  found = keyed.map(pair => pair[1]);
  showOrder();
  show(0);
}
function show(next, count = size) {
  page = Math.max(0, Math.min(next, Math.ceil(found.length / size) - 1));
  const first = page * size, some = found.slice(first, first + count);
  body.replaceChildren(...some.map(line));
  const last = first + some.length;
  at("shown").textContent = found.length === 0 ? "No machine fits."
    : number(first + 1) + " to " + number(last) + " of " + number(found.length)
    + (found.length === 1 ? " machine" : " machines")
    + (found.length < rows.length ? " that fit, of " + number(rows.length) : "");
  pages();
}
function line(row) {
  const made = element("tr");
  for (const [title, , , content] of columns) {
    const value = content(row), inner = element("span");
    inner.append(value);
    const kind = numbers.includes(title) ? "number" : { Machine: "name", Why: "why" }[title];
    const cell = element("td", undefined, kind);
    if (value === "") cell.classList.add("empty");
    cell.dataset.label = title;
    cell.append(inner);
    made.append(cell);
  }
  return made;
}
const turns = [["First", () => 0], ["Previous", () => page - 1], ["Next", () => page + 1],
  ["Last", () => Infinity]].map(([title, target]) => {
    const button = element("button", title);
    button.type = "button";
    button.addEventListener("click", () => {
      show(target());
      if (button.disabled) turns.find(other => !other.disabled)?.focus();
    });
    return button;
  });
const place = element("span");
at("pages").append(...turns.slice(0, 2), place, ...turns.slice(2));
function pages() {
  const last = Math.max(0, Math.ceil(found.length / size) - 1);
  at("pages").hidden = last === 0;
  place.textContent = "Page " + number(page + 1) + " of " + number(last + 1);
  turns.forEach((button, index) => {
    button.disabled = index < 2 ? page === 0 : page === last;
  });
}

function choices(id, entries) {
  for (const [value, title, count] of entries) {
    const option = element("option", title + " (" + number(count) + ")");
    option.value = value;
    at(id).append(option);
  }
}
function counts(keys) {
  const sums = new Map();
  for (const key of keys) sums.set(key, (sums.get(key) ?? 0) + 1);
  return [...sums].sort((one, other) => other[1] - one[1]);
}
choices("state", counts(rows.map(row => row.state))
  .map(([index, count]) => [data.states[index][0], data.states[index][1], count]));
choices("reason", counts(rows.flatMap(row => [...new Set(row.why.map(each => each[0]))]))
  .map(([key, count]) => [key, data.reasons[key] ?? key, count]));
choices("version", counts(rows.filter(row => row.issued !== null).map(row => row.version))
  .slice(0, 100).map(([version, count]) => ["v" + version, version || "none", count]));
columns.forEach(([title], index) => {
  const option = element("option", title.toLowerCase());
  option.value = index;
  at("order").append(option);
});
at("order").addEventListener("input", event => {
  event.stopPropagation();
  sorted = { column: -1 };
  sort(Number(at("order").value));
});
at("filter").addEventListener("input", select);
at("filter").addEventListener("submit", event => event.preventDefault());
at("filter").addEventListener("reset", () => setTimeout(select));
// A printer gets all rows that fit the filter, up to a bound.
let before = 0;
addEventListener("beforeprint", () => { before = page; show(0, mostPrinted); });
addEventListener("afterprint", () => show(before));
at("filter").hidden = false;
select();
})();
