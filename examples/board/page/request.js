// Calls the API. An error that the server explained has its text, and its HTTP status as status.

export async function request(method, path, body) {
  let response;
  try {
    response = await fetch(path, {
      method,
      headers: body && { "Content-Type": "application/json" },
      body: body && JSON.stringify(body),
    });
  } catch {
    throw new Error("The server does not answer.");
  }
  const text = await response.text();
  if (response.ok) return text && JSON.parse(text);
  throw Object.assign(new Error(explain(text, response)), { status: response.status });
}

function explain(text, response) {
  try {
    const { detail, field, issues } = JSON.parse(text).error;
    if (issues) return issues.map((issue) => `${issue.field}: ${issue.detail}`).join("\n");
    return field ? `${field}: ${detail}` : detail;
  } catch {
    return `${response.status} ${response.statusText}`;
  }
}
