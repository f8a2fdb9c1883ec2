// Wires the page: what arrives is drawn, what the user does becomes a request. The page changes only by what comes
// back in the stream, so what one sees is what was committed.

import { Board } from "./board.js";
import { openEditor } from "./editor.js";
import { onFilter } from "./filter.js";
import { request } from "./request.js";
import { Feed } from "./stream.js";
import { drawAll, drawChange, drawTray, neighbour } from "./view.js";

const streamURL = "/realtime?channel=Card";
const framesKept = 200;

const board = new Board();
const $ = (id) => document.getElementById(id);

// A query of the filter language narrows the list and the stream alike.
const streamOf = (query) => streamURL + (query && `&${query}`);
const listOf = (query) => async () => (await request("GET", `/api/cards?${query}`)).items;

const feed = new Feed(streamOf(""), listOf(""), {
  state(name) {
    $("state").textContent = name;
    $("state").dataset.state = name;
  },
  note(text) {
    $("note").textContent = text;
  },
  frame: showFrame,
  list(items) {
    board.replace(items);
    drawAll(board.onBoard());
    drawTray(board.inTray());
  },
  change(event) {
    board.apply(event);
    drawChange(event.id, event.item);
    drawTray(board.inTray());
  },
});

function showFrame({ name, id, data }) {
  const part = (tag, className, text) => {
    const element = document.createElement(tag);
    element.className = className;
    element.textContent = text;
    return element;
  };
  const frame = document.createElement("li");
  frame.dataset.event = name;
  frame.append(part("b", "name", name), part("span", "id", id), part("code", "data", data));
  $("frames").prepend(frame);
  while ($("frames").childElementCount > framesKept) $("frames").lastElementChild.remove();
}

let toastTimer;
function toast(text) {
  $("toast").textContent = text;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => ($("toast").textContent = ""), 5000);
}

async function attempt(action) {
  try {
    await action();
  } catch (error) {
    toast(error.message);
  }
}

const move = (id, status) => attempt(() => request("PATCH", `/api/cards/${id}`, { status }));

// A card of the tray may be gone for good without this page having been told, such as after a restart.
const fromTray = (id, method, path) => attempt(async () => {
  try {
    await request(method, path);
  } catch (error) {
    if (error.status === 404) {
      board.forget(id);
      drawTray(board.inTray());
    }
    throw error;
  }
});

const actions = {
  back: (id) => move(id, neighbour(board.get(id).status, -1)),
  forward: (id) => move(id, neighbour(board.get(id).status, +1)),
  edit: (id) => openEditor(board.get(id)),
  delete: (id) => attempt(() => request("DELETE", `/api/cards/${id}`)),
  restore: (id) => fromTray(id, "POST", `/api/cards/${id}/restore`),
  purge: (id) => fromTray(id, "DELETE", `/api/cards/${id}?purge=true`),
};

document.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-action]");
  if (button) actions[button.dataset.action](button.closest("[data-id]").dataset.id);
});

document.addEventListener("dragstart", (event) => {
  const card = event.target.closest?.(".card");
  if (!card) return;
  event.dataTransfer.setData("application/x-card", card.dataset.id);
  event.dataTransfer.effectAllowed = "move";
});

for (const column of document.querySelectorAll(".column")) {
  column.addEventListener("dragover", (event) => {
    if (!event.dataTransfer.types.includes("application/x-card")) return;
    event.preventDefault();
    column.classList.add("target");
  });
  column.addEventListener("dragleave", (event) => {
    if (!column.contains(event.relatedTarget)) column.classList.remove("target");
  });
  column.addEventListener("drop", (event) => {
    event.preventDefault();
    column.classList.remove("target");
    const id = event.dataTransfer.getData("application/x-card");
    if (board.get(id)?.status !== column.dataset.status) move(id, column.dataset.status);
  });
}

$("add").addEventListener("click", () => openEditor(null));

function showCurl(query) {
  $("curl").textContent = `curl -N '${new URL(streamOf(query), location.href)}'`;
}
showCurl("");

// The list is asked first: it says why a filter is refused, which an EventSource cannot tell.
let wanted = "";
onFilter($("filter"), async (query) => {
  wanted = query;
  let refusal = "";
  try {
    await listOf(query)();
  } catch (error) {
    refusal = error.message;
  }
  if (query !== wanted) return; // another one has been asked for meanwhile
  $("refused").textContent = refusal;
  if (refusal) return;
  showCurl(query);
  board.clear();
  feed.open(streamOf(query), listOf(query));
});

$("copy").addEventListener("click", () => attempt(async () => {
  if (!navigator.clipboard) throw new Error("The browser allows copying only on localhost and https.");
  await navigator.clipboard.writeText($("curl").textContent);
  toast("Copied.");
}));

feed.start();
