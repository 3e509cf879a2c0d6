// Comforts only: the form works without any of this.
"use strict";

const news = document.getElementById("news");
if (news) news.focus();

for (const wrong of document.querySelectorAll("details [aria-invalid]")) {
  wrong.closest("details").open = true;
}

// Starting a server takes a while: say so, and let nobody press twice.
const form = document.querySelector("form");
form.addEventListener("submit", (event) => {
  const pressed = event.submitter;
  if (pressed && pressed.value !== "cancel") {
    document.getElementById("waiting").textContent = "Starting the server with these values…";
  }
  // After the browser has collected what was pressed.
  setTimeout(() => {
    for (const button of form.querySelectorAll("button")) button.disabled = true;
  }, 0);
});

// A page that comes back from history can be used again.
window.addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  document.getElementById("waiting").textContent = "";
  for (const button of form.querySelectorAll("button")) button.disabled = false;
});

for (const field of document.querySelectorAll("[data-paths]")) {
  let asked = "";
  field.addEventListener("input", async () => {
    const begun = field.value.slice(0, field.value.lastIndexOf("/") + 1);
    if (begun === asked) return;
    asked = begun;
    const query = new URLSearchParams({ field: field.name, text: begun });
    const answer = await fetch(`paths?${query}`);
    if (!answer.ok) return;
    const options = (await answer.json()).map((path) => {
      const option = document.createElement("option");
      option.value = path;
      return option;
    });
    document.getElementById(field.getAttribute("list")).replaceChildren(...options);
  });
}
