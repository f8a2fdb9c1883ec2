// Package conformance proves that somebody's adapter or store behaves like ours. It needs the standard library only,
// and each suite is one call with a closure:
//
//	func TestMyAdapter(t *testing.T) {
//		conformance.TestTransport(t, conformance.Transport{Serve: serveMine})
//	}
//
// Each case carries the sentence of the rule that it checks, and prints it when it fails. Nothing is skipped.
package conformance

import (
	"bytes"
	"runtime"
	"strings"
	"testing"
	"time"
)

// patience is how long a suite waits for something that should happen at once. It only ever runs out on a failure.
var patience = 10 * time.Second

// eventually waits for a condition that gives no signal of its own.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	timeout := time.After(patience)
	for !condition() {
		select {
		case <-tick.C:
		case <-timeout:
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// noGoroutinesLeft fails if goroutines of rowcast outlive the case that started them.
func noGoroutinesLeft(t *testing.T) {
	t.Helper()
	var left []string
	deadline := time.Now().Add(patience)
	for time.Now().Before(deadline) {
		if left = rowcastGoroutines(); len(left) == 0 {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d goroutines of rowcast are left, such as\n%s", len(left), left[0])
}

// rowcastGoroutines are the stacks in which engine or stream code runs, but for those of the suite itself.
func rowcastGoroutines() []string {
	buf := make([]byte, 1<<20)
	for {
		n := runtime.Stack(buf, true)
		if n < len(buf) {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	var stacks []string
	for _, stack := range bytes.Split(buf, []byte("\n\n")) {
		text := string(stack)
		if strings.Contains(text, "rowcast/core") && !strings.Contains(text, "rowcast/conformance") {
			stacks = append(stacks, text)
		}
	}
	return stacks
}
