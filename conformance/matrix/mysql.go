package matrix

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// localMySQL is where distributions put the socket of MySQL or MariaDB, on which root of the system is root.
const localMySQL = "root@unix(/run/mysqld/mysqld.sock)/"

// mysqlServer is the one server that all tests of a binary share.
var mysqlServer struct {
	once   sync.Once
	config *mysql.Config
	err    error
	absent bool // err says why there is none, and is no fault of a server that was promised
}

// MySQL returns the DSN of an empty database that is the test's own, and drops it when the test ends. MariaDB counts as
// MySQL.
func MySQL(t testing.TB) string {
	t.Helper()
	mysqlServer.once.Do(findMySQL)
	switch {
	case mysqlServer.absent:
		Missing(t, "mysql", mysqlServer.err.Error())
	case mysqlServer.err != nil:
		t.Fatal(mysqlServer.err)
	}
	admin := mysqlServer.config
	// Random text and digits only, so that it needs no quoting.
	name := fmt.Sprintf("rowcast_%s_%d", run, databases.Add(1))
	if err := executeMySQL(admin, "CREATE DATABASE "+name+" CHARACTER SET utf8mb4"); err != nil {
		t.Fatalf("making a database for %s: %v", t.Name(), err)
	}
	t.Cleanup(func() {
		if err := executeMySQL(admin, "DROP DATABASE IF EXISTS "+name); err != nil {
			t.Errorf("dropping the database of %s: %v", t.Name(), err)
		}
	})
	own := admin.Clone()
	own.DBName, own.ParseTime = name, true
	if err := own.Apply(mysql.Charset("utf8mb4", "")); err != nil {
		t.Fatal(err)
	}
	return own.FormatDSN()
}

func findMySQL() {
	promised := os.Getenv("ROWCAST_MYSQL_DSN")
	config, err := mysql.ParseDSN(cmp.Or(promised, localMySQL))
	if err == nil {
		config.Timeout = 10 * time.Second
		err = executeMySQL(config, "DO 1")
	}
	switch {
	case err == nil:
		mysqlServer.config = config
	case promised != "":
		mysqlServer.err = fmt.Errorf("ROWCAST_MYSQL_DSN: %w", err)
	default:
		mysqlServer.absent = true
		mysqlServer.err = fmt.Errorf("no MySQL: ROWCAST_MYSQL_DSN is not set, and no local server answers (%w)", err)
	}
}

func executeMySQL(config *mysql.Config, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	_, err = db.ExecContext(ctx, statement)
	return err
}
