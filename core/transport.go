package rowcast

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
)

// Transport is handed each record after commit, in the process that wrote it, at most once: a webhook, a queue, an
// audit trail. It is a live object: the engine keeps it as it is and never copies it.
type Transport interface {
	// Name says which transport a failure is about. It is asked once, when the engine is built.
	Name() string

	// Publish delivers one record. The engine calls it from one goroutine of the transport's own, the records of a row
	// in the order of the log, so a slow transport delays nobody; what does not fit into its queue is reported to OnPublishError and
	// counted. An error or a panic is reported likewise; nothing is retried. ctx ends when the engine gives up waiting
	// for it at Shutdown.
	Publish(ctx context.Context, record Record) error
}

// transportRunner is one transport with its queue and its goroutine.
type transportRunner struct {
	transport Transport
	name      string
	queue     chan delivery
}

type delivery struct {
	record  *Record
	onError func(Record, error)
}

// newTransports checks the user's transports once.
func newTransports(transports []Transport, queue int, found *problems) []*transportRunner {
	var runners []*transportRunner
	names := make(map[string]bool)
	for i, transport := range transports {
		path := fmt.Sprintf("transports[%d]", i)
		if isNil(transport) {
			found.add(path, "the transport is nil")
			continue
		}
		name, err := nameOf(transport)
		switch {
		case err != nil:
			found.add(path, "%v", err)
		case name == "":
			found.add(path, "the transport (a %T) has no name", transport)
		case names[name]:
			found.add(path, "there is another transport named %q", name)
		}
		names[name] = true
		runners = append(runners, &transportRunner{transport: transport, name: name, queue: make(chan delivery, queue)})
	}
	return runners
}

// isNil sees a nil pointer inside the interface as well.
func isNil(transport Transport) bool {
	if transport == nil {
		return true
	}
	v := reflect.ValueOf(transport)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

func nameOf(transport Transport) (name string, err error) {
	err = contained("its Name", func() error { name = transport.Name(); return nil })
	return name, err
}

// hand passes a record to every transport, and waits for none.
func (e *Engine) hand(record *Record, onError func(Record, error)) {
	if len(e.transports) == 0 {
		return
	}
	e.handing.RLock()
	defer e.handing.RUnlock()
	for _, runner := range e.transports {
		if e.transportsClosed {
			e.failed(runner, delivery{record, onError}, ErrShutdown)
			continue
		}
		select {
		case runner.queue <- delivery{record, onError}:
		default:
			e.failed(runner, delivery{record, onError}, ErrTransportQueue)
		}
	}
}

func (e *Engine) failed(runner *transportRunner, d delivery, err error) {
	e.counters.transportErrors.Add(1)
	e.report(d.onError, d.record, fmt.Errorf("transport %q: %w", runner.name, err))
}

// run delivers until the queue is closed and empty.
func (e *Engine) runTransport(ctx context.Context, runner *transportRunner) {
	for d := range runner.queue {
		if err := runner.publish(ctx, *d.record); err != nil {
			e.failed(runner, d, err)
		}
	}
}

func (r *transportRunner) publish(ctx context.Context, record Record) error {
	return contained("it", func() error { return r.transport.Publish(ctx, record) })
}

// closeTransports lets every transport finish what is queued, for as long as ctx lasts; then their ctx ends.
func (e *Engine) closeTransports(ctx context.Context) error {
	e.handing.Lock()
	if !e.transportsClosed {
		e.transportsClosed = true
		for _, runner := range e.transports {
			close(runner.queue)
		}
	}
	e.handing.Unlock()
	defer e.cancelTransports()
	if err := waitFor(ctx, &e.transportsRunning); err != nil {
		return errors.Join(errors.New("rowcast: a transport did not finish what was queued"), err)
	}
	return nil
}

// waitFor waits for the group, or for ctx to end.
func waitFor(ctx context.Context, group *sync.WaitGroup) error {
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
	}
	select {
	case <-done: // ctx has ended, and so have they
		return nil
	default:
		return ctx.Err()
	}
}
