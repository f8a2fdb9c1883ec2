// Follows the server's events and keeps a list in step with them.
//
// Nothing is lost between the list and the stream: the stream opens first, events that arrive before the list are kept,
// and they are applied after it. An event holds the whole row, so one that the list knew already does no harm.

const changes = ["created", "updated", "patched", "restored", "deleted"];
const notices = ["subscribed", "snapshot", "ready", "resync", "bye"];

export class Feed {
  #url;
  #load;
  #on;
  #source = null;
  #subscribed = false; // at least once
  #reason = ""; // why the list is being fetched again
  #loads = 0; // the number of the newest fetch: what an older one brings is out of date
  #waiting = null; // events that wait for the list; null when it is current
  #restart; // the timer of a stream that the browser has given up

  // load fetches the list. on has: state(name), note(text), frame({name, id, data}), list(items), change(event).
  constructor(url, load, on) {
    this.#url = url;
    this.#load = load;
    this.#on = on;
  }

  // open begins with another URL and another list; what the old ones still bring is ignored.
  open(url, load) {
    this.stop();
    this.#url = url;
    this.#load = load;
    this.start();
  }

  stop() {
    clearTimeout(this.#restart);
    this.#source?.close();
    this.#subscribed = false;
    this.#waiting = null;
    this.#loads++;
  }

  start() {
    this.#source = new EventSource(this.#url);
    for (const name of [...changes, ...notices]) {
      this.#source.addEventListener(name, (message) => this.#receive(name, message));
    }
    this.#source.onerror = () => this.#lost();
  }

  // EventSource reconnects by itself, except after an answer that is no stream, such as a proxy's error page.
  #lost() {
    this.#on.state(this.#subscribed ? "reconnecting" : "connecting");
    if (this.#source.readyState === EventSource.CLOSED) {
      this.#restart = setTimeout(() => this.start(), 3000);
    }
  }

  #receive(name, message) {
    const event = JSON.parse(message.data);
    const hasId = name !== "snapshot" && name !== "bye";
    this.#on.frame({ name, id: hasId ? message.lastEventId : "", data: message.data });
    if (changes.includes(name)) {
      this.#change(event);
    } else if (name === "subscribed") {
      this.#reason = this.#subscribed ? "reconnected" : "";
      this.#subscribed = true;
      this.#on.state("live");
      this.#refresh();
    } else if (name === "resync") {
      this.#reason = `resync, ${event.reason}`;
      this.#refresh();
    } else if (name === "bye") {
      this.#on.state("reconnecting");
      this.#on.note(`the server said bye: ${event.reason}`);
    }
  }

  #change(event) {
    if (this.#waiting) {
      this.#waiting.push(event);
    } else {
      this.#on.change(event);
    }
  }

  // Fetches the list, again and again until it arrives. Events that wait stay waiting when a newer fetch takes over.
  async #refresh() {
    const load = ++this.#loads;
    this.#waiting ??= [];
    for (let pause = 500; ; pause = Math.min(2 * pause, 8000)) {
      try {
        const items = await this.#load();
        if (load === this.#loads) this.#apply(items);
        return;
      } catch (error) {
        if (load !== this.#loads) return;
        this.#on.note(`the list could not be fetched: ${error.message}`);
        await new Promise((resume) => setTimeout(resume, pause));
        if (load !== this.#loads) return;
      }
    }
  }

  #apply(items) {
    const waiting = this.#waiting;
    this.#waiting = null;
    this.#on.list(items);
    for (const event of waiting) this.#on.change(event);
    this.#on.note(this.#reason && `${this.#reason}: list fetched again`);
  }
}
