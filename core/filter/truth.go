package filter

// Truth is one of SQL's three truth values. With these numbers and is the least of its children, or the greatest, and
// not the negative.
type Truth int8

// The truth values. Comparing with NULL, or with a value that is not known, is IsUnknown.
const (
	IsFalse   Truth = -1
	IsUnknown Truth = 0
	IsTrue    Truth = 1
)

// String is the value's name in lower case.
func (t Truth) String() string {
	switch {
	case t > 0:
		return "true"
	case t < 0:
		return "false"
	}
	return "unknown"
}

func truthOf(b bool) Truth {
	if b {
		return IsTrue
	}
	return IsFalse
}
