// What this page knows of the cards. Ids are text here, as in the events, so that all 64 bits survive.

export class Board {
  // id → {card, place}. A card is on the "board", or in the "tray" of the deleted ones. It is "away" when a list came
  // without it and no event said why; its deletion may still arrive.
  #known = new Map();

  onBoard() {
    return this.#in("board");
  }

  inTray() {
    return this.#in("tray").reverse();
  }

  get(id) {
    return this.#known.get(id)?.card;
  }

  // clear forgets everything: another choice of cards comes.
  clear() {
    this.#known.clear();
  }

  // replace takes the server's list.
  replace(items) {
    for (const known of this.#known.values()) {
      if (known.place === "board") known.place = "away";
    }
    for (const item of items) this.#put(String(item.id), item, "board");
  }

  // apply takes one event: deleted removes a card, every other one brings the row as it is now.
  apply(event) {
    if (event.event !== "deleted") {
      this.#put(event.id, event.item, "board");
      return;
    }
    const known = this.#known.get(event.id);
    if (!known) return;
    if (event.cause === "filter") {
      this.#known.delete(event.id); // it is still there, only not for this filter
    } else if (known.place === "tray") {
      this.#known.delete(event.id); // deleted once more: for good
    } else {
      this.#put(event.id, known.card, "tray");
    }
  }

  // forget drops a card that turned out to be gone for good.
  forget(id) {
    this.#known.delete(id);
  }

  #put(id, card, place) {
    this.#known.delete(id); // so that the map's order is that of the latest news
    this.#known.set(id, { card, place });
  }

  #in(place) {
    return [...this.#known].filter(([, known]) => known.place === place).map(([id, { card }]) => ({ id, card }));
  }
}
