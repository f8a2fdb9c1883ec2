// The dialog that adds a card, or replaces one. It stays open, with the server's words, when the server refuses.

import { request } from "./request.js";

const dialog = document.getElementById("editor");
const form = dialog.querySelector("form");
const problem = document.getElementById("problem");
let editing = null; // the card as it was when the dialog opened; null for a new one

export function openEditor(card) {
  editing = card;
  problem.textContent = "";
  form.reset();
  document.getElementById("editor-title").textContent = card ? "Edit card" : "Add a card";
  if (card) {
    const fields = form.elements;
    fields.title.value = card.title;
    fields.status.value = card.status;
    fields.owner.value = card.owner;
    fields.points.value = card.points;
    fields.due.value = localTime(card.due);
    fields.note.value = card.note ?? "";
  }
  dialog.showModal();
}

// localTime is how an input of type datetime-local writes a time.
function localTime(due) {
  if (!due) return "";
  const date = new Date(due);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
}

function read() {
  const fields = form.elements;
  const due = fields.due.value;
  return {
    title: fields.title.value,
    status: fields.status.value,
    owner: fields.owner.value,
    points: fields.points.value === "" ? 0 : Number(fields.points.value),
    note: fields.note.value === "" ? null : fields.note.value,
    // The input knows only minutes: a time that was not touched goes back as it came.
    due: editing && due === localTime(editing.due) ? editing.due : due && new Date(due).toISOString() || null,
  };
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    if (editing) {
      await request("PUT", `/api/cards/${editing.id}`, read());
    } else {
      await request("POST", "/api/cards", read());
    }
    dialog.close();
  } catch (error) {
    problem.textContent = error.message;
  }
});

document.getElementById("cancel").addEventListener("click", () => dialog.close());
