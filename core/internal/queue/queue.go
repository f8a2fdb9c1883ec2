// Package queue holds what waits for one connection, within bounds.
package queue

import "sync"

// Queue is a bounded queue with one reader. Writers never wait: what does not fit is refused. Safe for concurrent use.
type Queue[T any] struct {
	maxItems, maxBytes int

	mu     sync.Mutex
	items  []T
	bytes  int
	closed bool
	ready  chan struct{} // holds a token when there is something to take, or nothing more will come
}

// New returns an empty queue. An item larger than maxBytes still fits into an empty queue, or it could never be told.
func New[T any](maxItems, maxBytes int) *Queue[T] {
	return &Queue[T]{maxItems: maxItems, maxBytes: maxBytes, ready: make(chan struct{}, 1)}
}

// Push adds an item of the given size, or reports false if it does not fit or the queue is closed.
func (q *Queue[T]) Push(item T, size int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	full := len(q.items) >= q.maxItems || q.bytes+size > q.maxBytes
	if q.closed || full && len(q.items) > 0 {
		return false
	}
	q.add(item, size)
	return true
}

// Close adds a last item, whether or not it fits, and takes no more. Only the first Close counts.
func (q *Queue[T]) Close(last ...T) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.closed = true
	q.items = append(q.items, last...)
	q.signal()
	return true
}

func (q *Queue[T]) add(item T, size int) {
	q.items = append(q.items, item)
	q.bytes += size
	q.signal()
}

func (q *Queue[T]) signal() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// Ready is signalled when there may be something to take, or the queue was closed. Only the reader receives from it.
func (q *Queue[T]) Ready() <-chan struct{} { return q.ready }

// Take moves everything that waits to dst. more is false once the queue is closed: what was taken was the last.
func (q *Queue[T]) Take(dst []T) (items []T, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	dst = append(dst, q.items...)
	clear(q.items)
	q.items = q.items[:0]
	if cap(q.items) > 64 {
		q.items = nil // an idle connection holds no large buffer
	}
	q.bytes = 0
	return dst, !q.closed
}

// IsEmpty reports whether nothing waits.
func (q *Queue[T]) IsEmpty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items) == 0
}
