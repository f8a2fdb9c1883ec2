// Turns the filter bar into the query of the filter language: the same text narrows the list and the stream.

// escapeLike lets what the user types stand for itself inside a pattern.
const escapeLike = (text) => text.replace(/[\\%_]/g, "\\$&");

export function filterQuery(form) {
  const value = (name) => form.elements[name].value.trim();
  const query = new URLSearchParams();
  if (value("status")) query.set("filter[status][in]", value("status"));
  if (value("owner")) query.set("filter[owner][eq]", value("owner"));
  if (value("points")) query.set("filter[points][gte]", value("points"));
  if (value("text")) query.set("filter[title][ilike]", `%${escapeLike(value("text"))}%`);
  return query.toString();
}

// onFilter calls changed with the query a moment after the last keystroke, and only when it is another one.
export function onFilter(form, changed) {
  let timer;
  let last = "";
  const apply = () => {
    clearTimeout(timer);
    const query = filterQuery(form);
    if (query === last) return;
    last = query;
    changed(query);
  };
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(apply, 250);
  });
  form.addEventListener("change", apply);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    apply();
  });
}
