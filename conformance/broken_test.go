package conformance_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/rowcast/rowcast/conformance"
)

// A suite is worth what it catches. Each of these transports has one fault, and the case that is about it must fail.
// The suite fails for good when a case fails, so each runs in a process of its own.

// broken names a transport's fault in the child process.
const broken = "ROWCAST_BROKEN_TRANSPORT"

func TestSuiteCatchesBrokenTransports(t *testing.T) {
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			run := "^TestBrokenTransport$/^" + strings.ReplaceAll(f.caught, " ", "_") + "$"
			child := exec.Command(os.Args[0], "-test.run", run, "-test.v", "-test.timeout", "60s")
			child.Env = append(os.Environ(), broken+"="+f.name)
			output, err := child.CombinedOutput()
			if err == nil {
				t.Errorf("the case %q passed", f.caught)
			}
			if want := "--- FAIL: TestBrokenTransport/" + strings.ReplaceAll(f.caught, " ", "_"); !strings.Contains(string(output), want) {
				t.Errorf("the case %q did not fail by itself: %v\n%s", f.caught, err, output)
			}
			if !strings.Contains(string(output), "the rule: ") {
				t.Errorf("the failure does not name the rule:\n%s", output)
			}
		})
	}
}

// TestBrokenTransport is the child: without the variable there is nothing broken, and the suite must pass.
func TestBrokenTransport(t *testing.T) {
	name := os.Getenv(broken)
	if name == "" {
		conformance.TestTransport(t, conformance.Transport{Serve: serveWith(fault{})})
		return
	}
	conformance.SetPatience(time.Second)
	for _, f := range faults() {
		if f.name == name {
			conformance.TestTransport(t, conformance.Transport{Serve: serveWith(f)})
			return
		}
	}
	t.Fatalf("no fault is called %q", name)
}
