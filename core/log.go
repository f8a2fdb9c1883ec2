package rowcast

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Log gives every record its position and keeps the recent ones. It is the only thing that distributes: each node's
// hub follows the log, and there is no second path by which an event can reach a subscriber.
//
// All methods are called concurrently. A log keeps entries within its retention, by age and by count; trimming is its
// own business. What it is handed and what it returns is immutable: neither side changes it.
type Log interface {
	// Append adds the entries at the end, in order and without anything in between, and returns the last one's
	// position. It is atomic: on an error none of them is in the log. The entries come without a position.
	Append(ctx context.Context, entries ...Entry) (Position, error)

	// Read returns up to limit entries after the position, in order, without a gap: the first one's sequence is the
	// position's plus one. None: nothing is there yet. ErrPositionLost if the position is older than the retention,
	// of another epoch, or past the head.
	Read(ctx context.Context, after Position, limit int) ([]Entry, error)

	// Head is the position of the newest entry; its sequence is 0 if there was none in this epoch.
	Head(ctx context.Context) (Position, error)

	// Wait returns when something after the position may exist, or with ctx's error when that ends.
	Wait(ctx context.Context, after Position) error
}

// Entry is one place in a log: exactly one of its pointers is set.
type Entry struct {
	Position Position // set by the log
	Record   *Record
	Resync   *Resync
}

// Size is about what the entry takes in memory, in bytes.
func (e Entry) Size() int {
	if e.Record != nil {
		return e.Record.size()
	}
	return 128
}

// record is the entry's record, or a stand-in that names the entity.
func (e Entry) record() *Record {
	if e.Record != nil {
		return e.Record
	}
	return &Record{Entity: e.Resync.Entity}
}

// Resync says that rows of an entity changed which are not told one by one: whoever watches refetches.
type Resync struct {
	Entity string
	Reason ResyncReason
}

// ResyncReason says why a client must refetch.
type ResyncReason string

// The reasons of a resync.
const (
	ResyncHistoryLost     ResyncReason = "history-lost"     // what was missed is no longer, or was never, in the log
	ResyncUnknownPosition ResyncReason = "unknown-position" // the client's last event id is none of this log's
	ResyncOverflow        ResyncReason = "overflow"         // too much changed at once to be told row by row
	ResyncAccess          ResyncReason = "access"           // what the client may see has changed
)

// Position is where an entry stands in a log. The epoch is random and changes when the log's history is lost; within
// an epoch the sequence grows by one from 1. Clients treat its text as opaque.
type Position struct {
	Epoch string // letters and digits
	Seq   uint64
}

// IsZero reports whether there is no position.
func (p Position) IsZero() bool { return p == Position{} }

// String is the position as it stands in an id line.
func (p Position) String() string { return p.Epoch + "." + strconv.FormatUint(p.Seq, 10) }

// ParsePosition reads what String writes, and nothing else.
func ParsePosition(text string) (Position, error) {
	epoch, seq, ok := strings.Cut(text, ".")
	n, err := strconv.ParseUint(seq, 10, 64)
	p := Position{Epoch: epoch, Seq: n}
	if !ok || err != nil || !isAlphanumeric(epoch) || p.String() != text {
		return Position{}, fmt.Errorf("%.64q is no position", text)
	}
	return p, nil
}

func isAlphanumeric(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}
