package rowcast

import "log/slog"

// Failures are reported by one goroutine of the engine's, so that a reporting hook that blocks or panics holds up
// neither a writer nor a transport.

type failure struct {
	hook   func(Record, error)
	record Record
	err    error
}

// reportQueue bounds what waits for the hook. What does not fit is counted and logged, not kept.
const reportQueue = 1024

// report tells the hook and the log of a record that could not be published as it was meant.
func (e *Engine) report(hook func(Record, error), record *Record, err error) {
	e.counters.publishErrors.Add(1)
	e.logger.Warn("rowcast: publish failed", "entity", record.Entity, "id", record.Key, "event", record.Event, "error", err)
	if hook == nil {
		return
	}
	e.reporting.RLock()
	defer e.reporting.RUnlock()
	if e.reportsClosed {
		e.counters.reportsDropped.Add(1)
		return
	}
	select {
	case e.reports <- failure{hook, *record, err}:
	default:
		e.counters.reportsDropped.Add(1)
		e.logger.Error("rowcast: OnPublishError does not keep up: a report was dropped", "entity", record.Entity, "id", record.Key)
	}
}

func (e *Engine) runReports() {
	for f := range e.reports {
		f.tell(e.logger)
	}
}

func (f failure) tell(logger *slog.Logger) {
	if err := contained("OnPublishError", func() error { f.hook(f.record, f.err); return nil }); err != nil {
		logger.Error("rowcast: a failure could not be reported", "error", err)
	}
}

// closeReports ends the reporting goroutine after what is queued.
func (e *Engine) closeReports() {
	e.reporting.Lock()
	defer e.reporting.Unlock()
	if !e.reportsClosed {
		e.reportsClosed = true
		close(e.reports)
	}
}
