"use strict";
// Everything is on the page already: this shows one budget at a time, and hides methods in the chart.
document.documentElement.classList.add("js");

document.addEventListener("DOMContentLoaded", () => {
  const all = (selector) => [...document.querySelectorAll(selector)];

  for (const button of all("[data-toggle]")) {
    const series = all("[data-series]").filter((g) => g.dataset.series === button.dataset.toggle);
    button.addEventListener("click", () => {
      const shown = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(shown));
      for (const g of series) g.classList.toggle("off", !shown);
    });
  }

  const slider = document.getElementById("budget");
  if (!slider) return;
  const output = document.getElementById("budget-shown");
  const panels = all(".panel");
  const columns = all("#frontier-chart .column");

  function show(index) {
    panels.forEach((panel, i) => panel.classList.toggle("shown", i === index));
    columns.forEach((column, i) => column.classList.toggle("shown", i === index));
    output.textContent = panels[index].dataset.budget;
    slider.setAttribute("aria-valuetext", panels[index].dataset.summary);
  }

  slider.addEventListener("input", () => show(slider.valueAsNumber));
  show(slider.valueAsNumber);
});
