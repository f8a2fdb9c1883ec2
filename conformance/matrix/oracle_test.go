package matrix_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/glebarez/sqlite"
	"gorm.io/driver/mysql"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	rowcastgorm "github.com/rowcast/rowcast/adapters/gorm"
	"github.com/rowcast/rowcast/conformance/matrix"
	"github.com/rowcast/rowcast/core"
	"github.com/rowcast/rowcast/core/filter"
	"github.com/rowcast/rowcast/memstore"
)

var (
	oraclePairs = flag.Int("oracle.pairs", 100_000, "how many pairs of a row and a filter TestFilterOracle compares on each database")
	oracleSeed  = flag.Uint64("oracle.seed", 1, "what TestFilterOracle's rows and filters are made from")
)

const (
	oracleRows    = 100 // of a batch
	oracleFilters = 200 // that are tried on it

	// coveredBy is how many pairs make sure that everything has occurred.
	coveredBy = 100_000
)

// TestFilterOracle compares the evaluator of live events with what databases say of the same rows: of each pair of a
// row and a filter, whether the row is in the list.
func TestFilterOracle(t *testing.T) {
	t.Run("postgres", func(t *testing.T) {
		db := must(gorm.Open(postgres.Open(matrix.Postgres(t)), oracleConfig()))
		p := postgresProfile()
		var simple int64
		check(t, db.Raw("SELECT count(*) FROM pg_collation WHERE collname IN ('pg_c_utf8', 'C.utf8', 'C.UTF-8')").Scan(&simple).Error)
		if simple == 0 {
			p = p.icu()
		}
		runOracle(t, db, p)
	})
	t.Run("sqlite", func(t *testing.T) {
		runOracle(t, must(gorm.Open(sqlite.Open(matrix.SQLite(t)), oracleConfig())), sqliteProfile())
	})
	t.Run("mysql", func(t *testing.T) {
		db := must(gorm.Open(mysql.Open(matrix.MySQL(t)), oracleConfig()))
		var version string
		check(t, db.Raw("SELECT VERSION()").Scan(&version).Error)
		runOracle(t, db, mysqlProfile(version))
	})
}

func oracleConfig() *gorm.Config { return &gorm.Config{Logger: logger.Discard} }

// oracle compares on one database.
type oracle struct {
	db       *gorm.DB
	entity   rowcast.Entity
	random   values
	coverage *coverage
	batch    *batch
}

// entitySpy learns what entity the adapter made of the model.
type entitySpy struct {
	rowcast.Store
	entity rowcast.Entity
}

func (s *entitySpy) Bind(entity rowcast.Entity) error {
	s.entity = entity
	return s.Store.Bind(entity)
}

func runOracle(t *testing.T, db *gorm.DB, p profile) {
	t.Cleanup(func() { closeDB(t, db) })
	check(t, prepareOracle(db))
	check(t, db.AutoMigrate(&OracleRow{}))
	engine := must(rowcast.New(memstore.NewLog(memstore.LogConfig{}), rowcast.Config{Logger: slog.New(slog.DiscardHandler)}))
	capture := rowcastgorm.New(engine, rowcastgorm.Config{})
	check(t, db.Use(capture))
	spy := &entitySpy{Store: rowcastgorm.NewStore(db, &OracleRow{})}
	check(t, capture.Register(db, &OracleRow{}, rowcastgorm.Entity{
		Filterable: rowcast.AllFields, Store: spy, Enums: map[string][]string{"state": oracleStates, "stateN": oracleStates, "native": oracleStates},
	}))
	columns := columnsOf(spy.entity)
	o := &oracle{
		db: db, entity: spy.entity, coverage: newCoverage(columns),
		random: values{rand.New(rand.NewPCG(*oracleSeed, 0)), p},
	}
	pairs, disagreements := 0, 0
	t.Cleanup(func() {
		t.Logf("filter oracle %s: %d pairs, %d disagreements", db.Name(), pairs, disagreements)
	})
	t.Logf("seed %d", *oracleSeed)
	p.log(t)
	for pairs < *oraclePairs {
		o.batch = makeBatch(t, rowcastgorm.Skip(db), o.entity, columns, o.random, oracleRows)
		for n := 0; n < oracleFilters && pairs < *oraclePairs; n++ {
			f := filters{o.random, o.batch, o.coverage}.next()
			at, err := o.compare(f)
			if err == nil {
				o.count(t, f)
				pairs += oracleRows
				continue
			}
			disagreements++
			t.Fatal(o.report(f, at, err))
		}
	}
	o.coverage.log(t)
	if missing := o.coverage.missing(); len(missing) > 0 && pairs >= coveredBy {
		t.Errorf("%d of what must occur did not, such as %s", len(missing), missing[0])
	}
}

// compare tells in which row the evaluator and the database first differ, and how. Without an error they do not; an
// error of all rows is of row -1.
func (o *oracle) compare(f *node) (row int, err error) {
	compiled, err := o.bind(f.expr())
	if err != nil {
		return -1, err
	}
	doors, err := o.wire(f)
	if err != nil {
		return -1, err
	}
	found, err := o.query(o.db, f)
	if err != nil {
		return -1, err
	}
	for n, id := range o.batch.ids {
		for name, values := range map[string][]filter.Value{"written": o.batch.written[n], "read": o.batch.read[n]} {
			truth := compiled.Eval(values)
			for door, other := range doors {
				if got := other.Eval(values); got != truth {
					return n, fmt.Errorf("row %d as %s is %v built in code, %v through the wire: %s", id, name, truth, got, door)
				}
			}
			if listed := slices.Contains(found, id); listed != (truth == filter.IsTrue) {
				return n, fmt.Errorf("row %d as %s is %v in memory, listed by the database: %t", id, name, truth, listed)
			}
			for _, required := range compiled.Required() {
				if truth == filter.IsTrue && !slices.Contains(required.Values, values[required.Ordinal].Canonical()) {
					return n, fmt.Errorf("row %d as %s matches, but has none of the values that are required", id, name)
				}
			}
		}
	}
	return 0, nil
}

// errRefused is of a filter that the generator must not make.
var errRefused = errors.New("refused")

func (o *oracle) bind(expr filter.Expr) (*filter.Compiled, error) {
	compiled, problems := filter.Bind(expr, o.entity.Schema(), filter.Limits{})
	if len(problems) > 0 {
		return nil, fmt.Errorf("%w: %v", errRefused, problems)
	}
	return compiled, nil
}

// wire is the filter as it comes in through each spelling of a request.
func (o *oracle) wire(f *node) (map[string]*filter.Compiled, error) {
	if !f.onWire() {
		return nil, nil
	}
	doors := make(map[string]*filter.Compiled)
	for _, query := range []string{f.query(o.random), "filter=" + escapeQuery(f.object())} {
		expr, problems := filter.Parse(query, filter.Limits{})
		if len(problems) > 0 {
			return nil, fmt.Errorf("%w: %v in %s", errRefused, problems, query)
		}
		compiled, err := o.bind(expr)
		if err != nil {
			return nil, fmt.Errorf("%w in %s", err, query)
		}
		doors[query] = compiled
	}
	return doors, nil
}

// query asks the database for the ids of the rows for which the filter is true.
func (o *oracle) query(db *gorm.DB, f *node) (ids []uint64, err error) {
	expr := f.expr()
	if f.onWire() { // a list gets its filter from the wire
		if expr, _ = filter.ParseJSON("", f.object(), filter.Limits{}); expr == nil {
			return nil, fmt.Errorf("no filter in %s", f.object())
		}
	}
	err = db.WithContext(context.Background()).Model(&OracleRow{}).Scopes(rowcastgorm.Where(expr)).Pluck("id", &ids).Error
	return ids, err
}

// count enters the filter's conditions, with their truth for each row, into the coverage.
func (o *oracle) count(t *testing.T, f *node) {
	f.conditions(func(n *node, at shape) {
		compiled, err := o.bind(n.expr())
		check(t, err)
		for _, row := range o.batch.read {
			o.coverage.count(cell{n.operator, n.column.Kind}, at, row[n.column.ordinal].IsNull(), compiled.Eval(row))
		}
	})
}
