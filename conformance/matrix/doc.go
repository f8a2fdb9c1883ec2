// Package matrix runs every conformance suite against every adapter and database, and holds what only that needs: the
// databases (postgres.go, mysql.go, sqlite.go). It is never released, so it may depend on what a user must not get.
//
// Where PostgreSQL comes from, in this order:
//
//   - ROWCAST_POSTGRES_DSN: a server that runs already; its role needs the right to create databases.
//   - A container, where a Docker engine answers; ROWCAST_POSTGRES_IMAGE names another image than the official one.
//   - Nowhere: the test skips and says why, or fails if ROWCAST_REQUIRE (names with commas between) has «postgres».
//
// MySQL, or MariaDB, is ROWCAST_MYSQL_DSN or the local server behind its usual socket; each test gets a database of its
// own. Where there is none, tests skip or fail likewise, by the name «mysql»; so do those that need nginx or Chromium.
//
// The folder guard holds the tests of the repository itself: imports, dependencies, README.
package matrix
