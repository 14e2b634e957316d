
// Other prices: the same sets and errors, with new costs. Names are only ever handled as text.
document.addEventListener("DOMContentLoaded", () => {
  const box = document.getElementById("what-if");
  if (!box) return;
  const byId = (id) => document.getElementById(id);
  const currency = box.dataset.currency;

  // As in formats.py: whole, or with two decimals, unless that would be 0.
  function money(amount) {
    if (amount > 0 && amount < 0.005) return String(Number(amount.toPrecision(2)));
    const rounded = Math.round((amount + 1e-9) * 100) / 100;
    const digits = Number.isInteger(rounded) ? 0 : 2;
    return rounded.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  }
  const inCurrency = (amount) => (currency ? `${currency}\u00a0${money(amount)}` : money(amount));
  const tick = (value) =>
    box.dataset.percent ? `${Number((100 * value).toPrecision(3))}\u00a0%` : String(Number(value.toPrecision(3)));
  const fits = (cost, limit) => cost <= limit * (1 + 1e-9);

  const features = [...document.querySelectorAll("tr[data-price]")].map((row) => ({
    row,
    name: row.querySelector("bdi").textContent,
    price: Number(row.dataset.price),
    group: row.dataset.group,
    fee: Number(row.dataset.fee ?? 0),
  }));
  const sets = [...box.querySelectorAll("[data-set]")].map(({ dataset }) => ({
    features: dataset.set ? dataset.set.split(" ").map(Number) : [], // nothing may be the answer
    budget: Number(dataset.budget),
    original: Number(dataset.cost),
    cost: Number(dataset.cost),
    turn: Number(dataset.turn),
    error: Number(dataset.error),
    se: Number(dataset.se),
    text: dataset.text,
    expected: dataset.expected,
    better: dataset.better !== undefined,
  }));
  const rows = [...box.querySelectorAll("[data-if]")];
  const limits = rows.map((row) => Number(row.dataset.limit));
  const fields = new Map(); // "3" is the price of column 3, "g3" the fee of its group

  function costOf(set) {
    const groups = new Set();
    let cost = 0;
    for (const j of set.features) {
      const { group, price } = features[j];
      cost += fields.get(String(j))?.value ?? price;
      if (group === undefined || groups.has(group)) continue;
      groups.add(group);
      cost += feeOf(group);
    }
    return cost;
  }
  function feeOf(group) {
    const first = features.findIndex((f) => f.group === group);
    return fields.get(`g${first}`)?.value ?? features[first].fee;
  }

  const first = (a, b) => a.turn - b.turn || a.cost - b.cost;

  // What a budget buys: the first of its own sets and of those that came within its reach; if none
  // fits, of all that do.
  function bought(limit, index) {
    const affordable = sets.filter((set) => fits(set.cost, limit));
    const near = affordable.filter((s) => s.budget === index || !fits(s.original, limit));
    return [...(near.length ? near : affordable)].sort(first)[0];
  }

  // Where errors have a price, the lowest total. Otherwise the cheapest within one standard error of
  // the lowest error; if that is not shown to be better than guessing, the cheapest that is and errs
  // less.
  const nothing = box.dataset.nothing === undefined ? NaN : Number(box.dataset.nothing);
  const total = (set) => set.cost + set.error;
  function recommended(points) {
    if (!Number.isNaN(nothing)) return points.reduce((a, b) => (total(b) < total(a) ? b : a));
    const cheapest = (some) => some.reduce((a, b) => (b.cost < a.cost ? b : a));
    const lowest = points.reduce((a, b) => (b.error < a.error ? b : a));
    const good = cheapest(points.filter((p) => p.error <= lowest.error + lowest.se));
    const surer = points.filter((p) => p.better && p.error < good.error);
    return good.better || surer.length === 0 ? good : cheapest(surer);
  }

  const countOf = (set) => `${set.features.length || "No"}\u00a0feature${set.features.length === 1 ? "" : "s"}`;
  const answer = (set, cost) => `${countOf(set)} for ${inCurrency(cost)}, expected to ${set.expected}`;
  const before = sets.find((set) => set.budget === Number(box.dataset.shown));
  const originals = limits.map((limit, i) => sets.find((set) => set.budget === i));

  function update() {
    for (const set of sets) set.cost = costOf(set);
    const points = limits.map(bought);
    const reachable = points.filter(Boolean);
    const changed = [...fields.values()].some((field) => field.value !== field.original);
    const best = !changed ? before : reachable.length ? recommended(reachable) : undefined;
    byId("what-if-now").textContent = best
      ? nothing < total(best)
        ? `Now: measuring nothing is cheapest, ${inCurrency(nothing)} for each case.`
        : `Now: ${answer(best, best.cost)}.`
      : "At these prices none of the sets fits any of the budgets.";
    byId("what-if-before").textContent = changed ? `Before: ${answer(before, before.original)}.` : "";
    rows.forEach((row, i) => {
      const point = points[i];
      const [spent, error, names] = row.querySelectorAll("td");
      spent.textContent = point ? money(point.cost) : "–";
      error.textContent = point ? point.text : "–";
      names.replaceChildren(...(point ? listed(point) : ["no set that was tested fits"]));
      row.classList.toggle("answer", best !== undefined && point === best);
    });
    draw(points);
    const prices = [...fields]
      .filter(([, field]) => field.value !== field.original)
      .map(([key, field]) => `${key}:${field.value}`);
    address.write("prices=", prices.length ? prices.join(",") : null);
    byId("what-if-link").href = location.hash || "#prices";
  }

  function listed(set) {
    return set.features.flatMap((j, i) => {
      const name = document.createElement("bdi");
      name.textContent = features[j].name;
      return i ? [", ", name] : [name];
    });
  }

  // 0 and up to four round numbers, the last at most as large as this.
  function roundTo(largest) {
    const power = 10 ** Math.floor(Math.log10(largest / 4));
    const step = [1, 2, 5, 10].find((m) => m * power * 4 >= largest * (1 - 1e-9)) * power;
    return Array.from({ length: Math.floor(largest / step + 1e-9) + 1 }, (_, i) => i * step);
  }

  function draw(points) {
    const chart = byId("what-if-chart");
    const shown = [...originals, ...points.filter(Boolean)];
    const most = Math.max(...originals.map((p) => p.original), ...shown.map((p) => p.cost)) || 1;
    const worst = Math.max(...shown.map((p) => p.error)) || 1;
    const right = most * 1.05;
    const top = worst * 1.15;
    const place = (share) => `${(100 * share).toFixed(2)}%`;
    const x = (cost) => place(cost / right);
    const y = (error) => place(1 - error / top);
    const parts = [];
    const add = (tag, attributes, text = "") => {
      const element = document.createElementNS(chart.namespaceURI, tag);
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
      element.textContent = text;
      parts.push(element);
    };
    for (const error of roundTo(worst)) {
      const at = y(error);
      add("line", { class: error ? "grid" : "grid base", x1: 0, x2: "100%", y1: at, y2: at });
      add("text", { class: "y-tick", x: -8, y: at, dy: ".33em" }, tick(error));
    }
    for (const cost of roundTo(most)) {
      add("text", { class: "x-tick", x: x(cost), y: "100%", dy: "1.5em" }, money(cost));
    }
    points.forEach((point, i) => {
      const was = originals[i];
      if (point) {
        add("line", { class: "move", x1: x(was.original), y1: y(was.error), x2: x(point.cost), y2: y(point.error) });
      }
      add("circle", { class: "before", cx: x(was.original), cy: y(was.error), r: 5 });
      if (point) add("circle", { class: "now", cx: x(point.cost), cy: y(point.error), r: 4 });
    });
    chart.replaceChildren(...parts);
  }

  function addField(key, cell, original, label) {
    const input = document.createElement("input");
    const field = { input, original, value: original };
    Object.assign(input, { type: "number", min: "0", step: "any", value: original });
    input.setAttribute("aria-label", label);
    const cut = document.createElement("button");
    Object.assign(cut, { type: "button", className: "cut", textContent: "−10\u00a0%" });
    cut.setAttribute("aria-label", `${label}: 10 % cheaper`);
    input.addEventListener("input", () => {
      const value = input.valueAsNumber;
      if (!(value >= 0)) return; // half-typed
      setField(field, value, false);
      update();
    });
    cut.addEventListener("click", () => {
      setField(field, 0.9 * field.value);
      update();
    });
    cell.replaceChildren(input, cut);
    fields.set(key, field);
  }
  function setField(field, value, write = true) {
    field.value = value;
    if (write) field.input.value = Number(value.toPrecision(12));
    field.input.classList.toggle("changed", value !== field.original);
  }

  function start() {
    byId("try-prices").parentElement.hidden = true;
    byId("what-if-answer").hidden = false;
    byId("price-list").open = true;
    byId("price-list").classList.add("editing");
    const seen = new Set();
    features.forEach(({ row, name, price, group, fee }, j) => {
      addField(String(j), row.querySelector(".price-cell"), price, `Price of ${name}`);
      if (group === undefined) return;
      if (seen.has(group)) {
        row.querySelector(".fee-cell").textContent = "as above";
        return;
      }
      seen.add(group);
      addField(`g${j}`, row.querySelector(".fee-cell"), fee, `Shared fee of ${group}`);
    });
    update();
  }

  byId("try-prices").addEventListener("click", start);
  byId("reset-prices").addEventListener("click", () => {
    for (const field of fields.values()) setField(field, field.original);
    update();
  });
  byId("all-cheaper").addEventListener("click", () => {
    for (const field of fields.values()) setField(field, 0.9 * field.value);
    update();
  });
  const linked = address.read("prices=");
  if (linked === null) return;
  start();
  for (const part of linked.split(",")) {
    const [key, value] = part.split(":");
    if (fields.has(key) && Number(value) >= 0) setField(fields.get(key), Number(value));
  }
  update();
});
