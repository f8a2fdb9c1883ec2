// Package matrix runs every conformance suite against every adapter and database, and holds what only that needs: the
// databases (postgres.go, sqlite.go). It is never released, so it may depend on what a user must not get.
//
// Where PostgreSQL comes from, in this order:
//
//   - ROWCAST_POSTGRES_DSN: a server that runs already; its role needs the right to create databases.
//   - A container, where a Docker engine answers; ROWCAST_POSTGRES_IMAGE names another image than the official one.
//   - Nowhere: the test skips and says why, or fails if ROWCAST_REQUIRE (names with commas between) has «postgres».
//
// The folder guard holds the tests of the repository itself: imports, dependencies, README.
package matrix
