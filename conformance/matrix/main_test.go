package matrix_test

import (
	"testing"

	"github.com/rowcast/rowcast/conformance/matrix"
)

func TestMain(m *testing.M) { matrix.Main(m) }
