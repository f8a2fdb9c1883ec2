// Draws cards. Elements are kept and changed in place, so that focus and a drag survive. What came from the server
// is only ever set as text.

const order = ["todo", "doing", "done"];
const names = { todo: "To do", doing: "Doing", done: "Done" };

const columns = new Map(order.map((status) => [status, document.querySelector(`.column[data-status="${status}"]`)]));
const tray = document.getElementById("tray");
const elements = new Map(); // id → the card's element on the board

export function neighbour(status, step) {
  return order[order.indexOf(status) + step];
}

// drawAll draws the board from a new list, without animation.
export function drawAll(cards) {
  const ids = new Set(cards.map(({ id }) => id));
  for (const id of [...elements.keys()]) {
    if (!ids.has(id)) remove(id);
  }
  for (const { id, card } of cards) draw(id, card);
  count();
}

// drawChange draws one card after an event, and shows where something happened.
export function drawChange(id, card) {
  if (!card) {
    remove(id);
  } else {
    flash(draw(id, card));
  }
  count();
}

export function drawTray(cards) {
  const template = document.getElementById("tray-template").content.firstElementChild;
  tray.replaceChildren(...cards.map(({ id, card }) => {
    const element = template.cloneNode(true);
    element.dataset.id = id;
    element.querySelector(".title").textContent = card.title;
    element.querySelector("[data-action=restore]").ariaLabel = `Restore ${card.title}`;
    element.querySelector("[data-action=purge]").ariaLabel = `Delete ${card.title} for good`;
    return element;
  }));
}

function draw(id, card) {
  let element = elements.get(id);
  if (!element) {
    element = document.getElementById("card-template").content.firstElementChild.cloneNode(true);
    element.dataset.id = id;
    elements.set(id, element);
  }
  fill(element, card);
  place(element, id, columns.get(card.status).querySelector(".cards"));
  return element;
}

function remove(id) {
  elements.get(id)?.remove();
  elements.delete(id);
}

function fill(element, card) {
  const text = (selector, value) => {
    const target = element.querySelector(selector);
    target.textContent = value;
    target.hidden = value === "";
  };
  text(".title", card.title);
  text(".text", card.note ?? "");
  text(".owner", card.owner);
  text(".points", card.points === 0 ? "" : `${card.points} ${card.points === 1 ? "point" : "points"}`);
  text(".due", card.due ? shortDate(new Date(card.due)) : "");
  const due = element.querySelector(".due");
  due.dateTime = card.due ?? "";
  due.classList.toggle("late", card.due !== null && card.status !== "done" && new Date(card.due) < new Date());
  label(element, "back", neighbour(card.status, -1), card);
  label(element, "forward", neighbour(card.status, +1), card);
  element.querySelector("[data-action=edit]").ariaLabel = `Edit ${card.title}`;
  element.querySelector("[data-action=delete]").ariaLabel = `Delete ${card.title}`;
}

function label(element, action, status, card) {
  const button = element.querySelector(`[data-action=${action}]`);
  button.disabled = !status;
  button.ariaLabel = status ? `Move ${card.title} to ${names[status]}` : "";
  button.title = status ? `Move to ${names[status]}` : "";
}

function shortDate(date) {
  const options = { day: "numeric", month: "short" };
  if (date.getFullYear() !== new Date().getFullYear()) options.year = "numeric";
  return date.toLocaleDateString(undefined, options);
}

// place puts the card into its column in the order of ids, and keeps the focus that moving an element takes away.
function place(element, id, list) {
  const next = [...list.children].find((other) => other !== element && BigInt(other.dataset.id) > BigInt(id)) ?? null;
  const moves = element.parentElement !== list || element.nextElementSibling !== next;
  if (!moves) return;
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  list.insertBefore(element, next);
  if (focused?.disabled) {
    element.querySelector(".actions button:enabled").focus();
  } else {
    focused?.focus();
  }
}

// flash restarts the animation of a card that changed; style.css leaves it out for those who asked for no motion.
function flash(element) {
  element.classList.remove("changed");
  void element.offsetWidth; // without a layout in between, removing and adding the class would be no change
  element.classList.add("changed");
}

function count() {
  for (const column of columns.values()) {
    column.querySelector(".count").textContent = column.querySelector(".cards").childElementCount;
  }
  const total = elements.size;
  document.getElementById("total").textContent = `${total} ${total === 1 ? "card" : "cards"}`;
}
