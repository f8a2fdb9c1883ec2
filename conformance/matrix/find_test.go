package matrix

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func environment(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

func TestPostgresIsLookedForInOrder(t *testing.T) {
	const dsn, image = "postgres://user@host/db", "example/postgres:1"
	for _, c := range []struct {
		rule   string
		env    map[string]string
		docker error
		want   source
	}{
		{rule: "a DSN comes first", env: map[string]string{"ROWCAST_POSTGRES_DSN": dsn, "ROWCAST_POSTGRES_IMAGE": image}, want: source{dsn: dsn}},
		{rule: "a DSN needs no engine", env: map[string]string{"ROWCAST_POSTGRES_DSN": dsn}, docker: errors.New("down"), want: source{dsn: dsn}},
		{rule: "the image can be chosen", env: map[string]string{"ROWCAST_POSTGRES_IMAGE": image}, want: source{image: image}},
		{rule: "else it is the official one", want: source{image: defaultImage}},
		{
			rule: "without an engine an image is no help", env: map[string]string{"ROWCAST_POSTGRES_IMAGE": image}, docker: errors.New("down"),
			want: source{none: "no PostgreSQL: ROWCAST_POSTGRES_DSN is not set, and no Docker engine answers (down)"},
		},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if got := find(environment(c.env), func() error { return c.docker }); got != c.want {
				t.Errorf("found %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestDockerIsNotAskedWhenADSNIsThere(t *testing.T) {
	find(environment(map[string]string{"ROWCAST_POSTGRES_DSN": "x"}), func() error {
		t.Error("the engine was asked")
		return nil
	})
}

// verdict is a testing.TB that keeps how a test ended.
type verdict struct {
	testing.TB
	failed, skipped string
}

func (v *verdict) Helper()                        {}
func (v *verdict) Fatalf(format string, a ...any) { v.failed = fmt.Sprintf(format, a...); panic(v) }
func (v *verdict) Skip(a ...any)                  { v.skipped = fmt.Sprint(a...); panic(v) }

func TestMissing(t *testing.T) {
	for _, c := range []struct {
		require         string
		failed, skipped string
	}{
		{require: "", skipped: "none here"},
		{require: "chromium", skipped: "none here"},
		{require: "postgresql", skipped: "none here"},
		{require: "postgres", failed: "ROWCAST_REQUIRE names postgres: none here"},
		{require: "chromium, postgres", failed: "ROWCAST_REQUIRE names postgres: none here"},
	} {
		t.Run(c.require, func(t *testing.T) {
			t.Setenv("ROWCAST_REQUIRE", c.require)
			got := &verdict{}
			func() {
				defer func() {
					if recover() != got {
						t.Error("Missing returned")
					}
				}()
				Missing(got, "postgres", "none here")
			}()
			if got.failed != c.failed || got.skipped != c.skipped {
				t.Errorf("failed with %q, skipped with %q; want %q, %q", got.failed, got.skipped, c.failed, c.skipped)
			}
		})
	}
}

func TestWithDatabase(t *testing.T) {
	for _, c := range []struct{ dsn, want string }{
		{"postgres://u:p@h:5432/old?sslmode=disable", "postgres://u:p@h:5432/new?sslmode=disable"},
		{"postgresql://h", "postgresql://h/new"},
		{"postgres:///old?host=/run/pg&dbname=other", "postgres:///new?host=%2Frun%2Fpg"},
		{"host=h dbname=old user=u", "host=h dbname=old user=u dbname=new"},
	} {
		if got, err := withDatabase(c.dsn, "new"); got != c.want || err != nil {
			t.Errorf("withDatabase(%q) = %q, %v; want %q", c.dsn, got, err, c.want)
		}
	}
	if _, err := withDatabase("postgres://h:port/db", "new"); err == nil {
		t.Error("a DSN with a malformed port was accepted")
	}
}

func TestReadySaysWhatTheServerAnswered(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	err := ready(ctx, func(context.Context) (string, error) { return "postgres://user@127.0.0.1:1/db", nil }, 0)
	if err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("ready on a closed port: %v; want the refusal, not the time-out", err)
	}
}
