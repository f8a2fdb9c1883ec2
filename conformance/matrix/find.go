package matrix

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// defaultImage is the official image of the newest PostgreSQL.
const defaultImage = "docker.io/postgres:18-alpine"

// source is where PostgreSQL comes from: exactly one of its fields is set.
type source struct {
	dsn   string // of a server that runs already
	image string // to start in a container
	none  string // why there is neither
}

// find decides; docker tells why no engine answers, and is asked only if its answer matters.
func find(getenv func(string) string, docker func() error) source {
	if dsn := getenv("ROWCAST_POSTGRES_DSN"); dsn != "" {
		return source{dsn: dsn}
	}
	if err := docker(); err != nil {
		return source{none: fmt.Sprintf("no PostgreSQL: ROWCAST_POSTGRES_DSN is not set, and no Docker engine answers (%v)", err)}
	}
	if image := getenv("ROWCAST_POSTGRES_IMAGE"); image != "" {
		return source{image: image}
	}
	return source{image: defaultImage}
}

// Missing ends a test that needs what this machine lacks: it skips with the reason, or fails if ROWCAST_REQUIRE names
// it. In CI everything is required, so that a skipped test cannot pass for a green one.
func Missing(t testing.TB, what, reason string) {
	t.Helper()
	if required(os.Getenv, what) {
		t.Fatalf("ROWCAST_REQUIRE names %s: %s", what, reason)
	}
	t.Skip(reason)
}

func required(getenv func(string) string, what string) bool {
	names := strings.FieldsFunc(getenv("ROWCAST_REQUIRE"), func(r rune) bool { return r == ',' || r == ' ' })
	return slices.Contains(names, what)
}
