package memstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/rowcast/rowcast/core"
)

// LogConfig bounds what a Log keeps. Zero means the default in parentheses. The newest entry is always kept.
type LogConfig struct {
	MaxEntries int           // (10,000)
	MaxBytes   int           // about what the entries take in memory (64 MiB)
	MaxAge     time.Duration // (10 minutes)
}

// Log is a rowcast.Log in the memory of one process. It ends with the process: clients that come back to the next one
// are told to refetch, since its epoch is another.
type Log struct {
	config LogConfig
	epoch  string

	mu      sync.Mutex
	entries []kept // ordered; the first is at trimmed+1
	bytes   int
	trimmed uint64        // the sequence of the newest entry that was trimmed
	more    chan struct{} // closed, and replaced, by each Append
}

type kept struct {
	entry rowcast.Entry
	size  int
	at    time.Time
}

// NewLog returns an empty log with an epoch of its own.
func NewLog(config LogConfig) *Log {
	if config.MaxEntries <= 0 {
		config.MaxEntries = 10_000
	}
	if config.MaxBytes <= 0 {
		config.MaxBytes = 64 << 20
	}
	if config.MaxAge <= 0 {
		config.MaxAge = 10 * time.Minute
	}
	return &Log{config: config, epoch: strings.ToLower(rand.Text()), more: make(chan struct{})}
}

// Append implements rowcast.Log. It refuses an entry that is neither a record nor a resync.
func (l *Log) Append(_ context.Context, entries ...rowcast.Entry) (rowcast.Position, error) {
	for _, entry := range entries {
		if (entry.Record == nil) == (entry.Resync == nil) {
			return rowcast.Position{}, errors.New("memstore: an entry is exactly one of a record and a resync")
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for _, entry := range entries {
		entry.Position = rowcast.Position{Epoch: l.epoch, Seq: l.head() + 1}
		size := entry.Size()
		l.entries = append(l.entries, kept{entry, size, now})
		l.bytes += size
	}
	l.trim(now)
	if len(entries) > 0 {
		close(l.more)
		l.more = make(chan struct{})
	}
	return rowcast.Position{Epoch: l.epoch, Seq: l.head()}, nil
}

// trim drops from the front until the bounds hold.
func (l *Log) trim(now time.Time) {
	n := 0
	for ; n < len(l.entries)-1; n++ {
		tooMany := len(l.entries)-n > l.config.MaxEntries || l.bytes > l.config.MaxBytes
		if !tooMany && now.Sub(l.entries[n].at) <= l.config.MaxAge {
			break
		}
		l.bytes -= l.entries[n].size
	}
	clear(l.entries[:n]) // let the records go, even while the array behind the slice stays
	l.entries = l.entries[n:]
	l.trimmed += uint64(n)
}

func (l *Log) head() uint64 { return l.trimmed + uint64(len(l.entries)) }

// Read implements rowcast.Log.
func (l *Log) Read(ctx context.Context, after rowcast.Position, limit int) ([]rowcast.Entry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.trim(time.Now())
	switch {
	case after.Epoch != l.epoch:
		return nil, fmt.Errorf("%w: %s is of another epoch than %s", rowcast.ErrPositionLost, after, l.epoch)
	case after.Seq < l.trimmed:
		return nil, fmt.Errorf("%w: what followed %s is no longer kept", rowcast.ErrPositionLost, after)
	case after.Seq > l.head():
		return nil, fmt.Errorf("%w: %s is past the head", rowcast.ErrPositionLost, after)
	}
	rest := l.entries[after.Seq-l.trimmed:]
	rest = rest[:min(len(rest), max(limit, 0))]
	entries := make([]rowcast.Entry, len(rest))
	for i, k := range rest {
		entries[i] = k.entry
	}
	return entries, nil
}

// Head implements rowcast.Log.
func (l *Log) Head(ctx context.Context) (rowcast.Position, error) {
	if err := ctx.Err(); err != nil {
		return rowcast.Position{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return rowcast.Position{Epoch: l.epoch, Seq: l.head()}, nil
}

// Wait implements rowcast.Log. A position that Read would refuse returns at once.
func (l *Log) Wait(ctx context.Context, after rowcast.Position) error {
	l.mu.Lock()
	more := l.more
	caughtUp := after == rowcast.Position{Epoch: l.epoch, Seq: l.head()}
	l.mu.Unlock()
	if !caughtUp {
		return ctx.Err()
	}
	select {
	case <-more:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
