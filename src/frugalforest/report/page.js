"use strict";
// Everything is on the page already: this shows one budget at a time, and hides methods in the chart.
document.documentElement.classList.add("js");

// The budget and the prices are kept in the address, so that a link leads to them.
const address = {
  read(key) {
    const part = location.hash.slice(1).split("&").find((p) => p.startsWith(key));
    return part === undefined ? null : part.slice(key.length);
  },
  write(key, value) {
    const parts = location.hash.slice(1).split("&").filter((p) => /^(budget-|prices=)/.test(p));
    const others = parts.filter((p) => !p.startsWith(key));
    const hash = [...others, ...(value === null ? [] : [key + value])].join("&");
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
  },
};

document.addEventListener("DOMContentLoaded", () => {
  const all = (selector) => [...document.querySelectorAll(selector)];

  for (const button of all("[data-toggle]")) {
    const series = all("[data-series]").filter((g) => g.dataset.series === button.dataset.toggle);
    const toggle = () => {
      const shown = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(shown));
      for (const g of series) g.classList.toggle("off", !shown);
    };
    button.addEventListener("click", toggle);
    if (button.dataset.aside !== undefined) toggle(); // shown when asked for
  }

  // What a point says is in its title: shown at once, and beside the point, in place of the
  // browser's own tooltip.
  const tip = document.getElementById("tip");
  for (const point of all(".point")) {
    const title = point.querySelector("title");
    const text = title.textContent;
    title.remove();
    point.addEventListener("pointerenter", () => {
      const { left, right, top } = point.querySelector(".marker").getBoundingClientRect();
      tip.textContent = text;
      tip.hidden = false;
      const { width, height } = tip.getBoundingClientRect();
      const middle = Math.min((left + right - width) / 2, document.documentElement.clientWidth - width - 8);
      tip.style.left = `${Math.max(8, middle)}px`;
      tip.style.top = `${Math.max(8, top - height - 8)}px`;
    });
    point.addEventListener("pointerleave", () => {
      tip.hidden = true;
    });
  }

  const slider = document.getElementById("budget");
  if (!slider) return;
  const output = document.getElementById("budget-shown");
  const panels = all("#panels .panel");
  const parts = all("[data-panel]");
  const rows = all("tr[data-go]");

  function show(index) {
    for (const part of parts) part.classList.toggle("shown", Number(part.dataset.panel) === index);
    for (const row of rows) row.classList.toggle("current", Number(row.dataset.go) === index);
    slider.value = index;
    output.textContent = panels[index].dataset.budget;
    slider.setAttribute("aria-valuetext", panels[index].dataset.summary);
  }

  function keep(index) {
    show(index);
    address.write("budget-", String(index));
  }

  function fromAddress() {
    const found = address.read("budget-");
    if (!/^\d+$/.test(found ?? "") || Number(found) >= panels.length) return false;
    show(Number(found));
    return true;
  }

  slider.addEventListener("input", () => keep(slider.valueAsNumber));
  for (const target of all("[data-go]")) {
    target.addEventListener("click", (event) => {
      keep(Number(target.dataset.go));
      if (!event.target.closest("a")) return;
      event.preventDefault();
      document.getElementById("explore").scrollIntoView();
    });
  }
  window.addEventListener("hashchange", fromAddress);
  if (!fromAddress()) show(slider.valueAsNumber);
});
