package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// What two windows show of one board: everything that happens in one appears in the other, also after a restart.
func TestBrowser(t *testing.T) {
	chromium := findChromium(t)
	db := filepath.Join(t.TempDir(), "board.db")
	b := start(t, "-db", db)
	one, other := openPages(t, chromium, b.url)

	const title, renamed = `Write <b>the</b> "plan" & more`, "Write the plan"
	one.click("#add")
	one.fill("title", title)
	one.fill("owner", "Ada")
	one.click("#editor [type=submit]")
	one.sees(card("todo", title))
	other.sees(card("todo", title))

	other.clickOn(title, "forward") // as the keyboard does
	one.sees(card("doing", title))

	one.drag(title, "done")
	other.sees(card("done", title))
	other.sees(noCard("doing", title))

	other.clickOn(title, "edit")
	other.fill("title", renamed)
	other.click("#editor [type=submit]")
	one.sees(card("done", renamed))

	one.clickOn(renamed, "delete")
	one.sees(deleted(renamed))
	other.sees(noCard("done", renamed))
	other.sees(deleted(renamed))

	other.clickOn(renamed, "restore")
	one.sees(card("done", renamed))
	one.sees("!" + deleted(renamed))

	one.clickOn(renamed, "delete")
	other.clickOn(renamed, "purge")
	one.sees("!" + deleted(renamed))

	one.filter("text", "wRiTe the")
	one.sees(noCard("todo", "Draft the release notes"))
	b.add(t, `{"title":"Write the changelog","status":"doing"}`)
	one.sees(card("doing", "Write the changelog"))
	other.clickOn("Write the changelog", "edit")
	other.fill("title", "Publish the changelog")
	other.click("#editor [type=submit]")
	other.sees(card("doing", "Publish the changelog"))
	one.sees(noCard("doing", "Write the changelog")) // it left the filter
	one.filter("points", "many")
	one.sees("document.getElementById('refused').textContent.includes('filter[points][gte]')")
	one.filter("points", "")
	one.filter("text", "")
	one.sees(card("doing", "Publish the changelog"))
	one.sees("document.getElementById('refused').textContent === ''")

	addr := strings.TrimPrefix(b.url, "http://")
	if code := b.stop(); code != 0 {
		t.Fatalf("the board ended with code %d", code)
	}
	one.sees(state("reconnecting"))
	other.sees(state("reconnecting"))
	b = start(t, "-db", db, "-addr", addr)
	one.sees(state("live"))
	other.sees(state("live"))
	one.sees("document.getElementById('note').textContent.includes('list fetched again')")
	b.add(t, `{"title":"After the restart"}`)
	one.sees(card("todo", "After the restart"))
	other.sees(card("todo", "After the restart"))
}

// findChromium skips the test where there is no browser, and fails it where ROWCAST_REQUIRE says there must be one.
func findChromium(t *testing.T) string {
	t.Helper()
	names := []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	const reason = "no Chromium: none of %s is in PATH"
	if slices.Contains(strings.Split(os.Getenv("ROWCAST_REQUIRE"), ","), "chromium") {
		t.Fatalf(reason, strings.Join(names, ", "))
	}
	t.Skipf(reason, strings.Join(names, ", "))
	return ""
}

// window is the page in one browser window.
type window struct {
	t    *testing.T
	name string
	ctx  context.Context
}

// openPages opens the board twice, as two windows of one browser, and waits until both are live.
func openPages(t *testing.T, chromium, url string) (one, other *window) {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium), chromedp.UserDataDir(t.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.WindowSize(1200, 900))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	ctx, closeBrowser := chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(closeBrowser)
	first, closeFirst := chromedp.NewContext(ctx)
	t.Cleanup(closeFirst)
	one = &window{t, "one", first}
	one.do(chromedp.Navigate(url)) // starts the browser, which the second window then shares
	second, closeSecond := chromedp.NewContext(first, chromedp.WithNewWindow(true))
	t.Cleanup(closeSecond)
	other = &window{t, "the other", second}
	other.do(chromedp.Navigate(url))
	one.sees(state("live"))
	other.sees(state("live"))
	return one, other
}

func (w *window) do(action chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	if err := chromedp.Do(w.ctx, action); err != nil {
		w.t.Fatalf("window %s: %v", w.name, err)
	}
}

func (w *window) click(selector string) {
	w.t.Helper()
	w.do(chromedp.Click(chromedp.CSS(selector)))
}

// clickOn presses a button of the card, on the board or among the deleted ones.
func (w *window) clickOn(title, action string) {
	w.t.Helper()
	button := fmt.Sprintf("find(%q)?.querySelector('[data-action=%s]')", title, action)
	w.sees(button)
	w.evaluate(button + ".click()")
}

// fill types into a field of the dialog as a user does, in place of what is there.
func (w *window) fill(name, text string) {
	w.t.Helper()
	field := fmt.Sprintf("#editor [name=%s]", name)
	w.evaluate(fmt.Sprintf("document.querySelector(%q).select()", field))
	w.do(chromedp.SendKeys(chromedp.CSS(field), text))
}

// filter types into the filter bar, in place of what is there.
func (w *window) filter(name, text string) {
	w.t.Helper()
	w.evaluate(fmt.Sprintf(`(() => {
		const field = document.querySelector('#filter [name=%s]');
		field.value = %q;
		field.dispatchEvent(new Event('input', { bubbles: true }));
	})()`, name, text))
}

// drag drags the card into a column with the mouse.
func (w *window) drag(title, status string) {
	w.t.Helper()
	w.evaluate(fmt.Sprintf("find(%q).id = 'dragged'", title))
	w.do(chromedp.DragAndDrop(chromedp.CSS("#dragged .title"), chromedp.CSS(fmt.Sprintf(".column[data-status=%s]", status))))
}

// helpers is what the expressions of a test may use.
const helpers = `
	const find = (title) => [...document.querySelectorAll('.card, .deleted')]
		.find((card) => card.querySelector('.title').textContent === title);
	const has = (status, title) => find(title)?.closest('.column')?.dataset.status === status;
	const inTray = (title) => find(title)?.closest('.tray') != null;
`

func card(status, title string) string   { return fmt.Sprintf("has(%q, %q)", status, title) }
func noCard(status, title string) string { return "!" + card(status, title) }
func deleted(title string) string        { return fmt.Sprintf("inTray(%q)", title) }
func state(name string) string {
	return fmt.Sprintf("document.getElementById('state').textContent === %q", name)
}

func (w *window) evaluate(expression string) {
	w.t.Helper()
	w.do(chromedp.Evaluate[chromedp.Void]("{" + helpers + expression + "}"))
}

// sees waits until the expression holds. It looks whenever the page changes; chromedp.Poll would need a page whose
// policy allows new Function.
func (w *window) sees(expression string) {
	w.t.Helper()
	script := `new Promise((resolve) => {` + helpers + `
		const look = () => { if (` + expression + `) { observer.disconnect(); resolve(); } };
		const observer = new MutationObserver(look);
		observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
		look();
	})`
	ctx, cancel := context.WithTimeout(w.ctx, 20*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](script, chromedp.EvalAwaitPromise)); err != nil {
		text, _ := chromedp.Run(w.ctx, chromedp.Evaluate[string]("document.body.innerText"))
		w.t.Fatalf("window %s does not see %s: %v; it shows:\n%s", w.name, expression, err, text)
	}
}
