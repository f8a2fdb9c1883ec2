package rowcast

import "sync/atomic"

// Stats are the engine's counters at one moment.
type Stats struct {
	Connections     int    `json:"connections"`     // open now
	Subscriptions   int    `json:"subscriptions"`   // channels of the open connections
	Published       uint64 `json:"published"`       // records that reached the log through this engine
	Delivered       uint64 `json:"delivered"`       // changes put into a connection's queue
	SlowDisconnects uint64 `json:"slowDisconnects"` // clients that did not keep up
	PublishErrors   uint64 `json:"publishErrors"`   // everything that OnPublishError was, or would have been, told
	TransportErrors uint64 `json:"transportErrors"` // those of them that a transport caused
	ReportsDropped  uint64 `json:"reportsDropped"`  // reports that OnPublishError was too slow for
	Position        string `json:"position"`        // up to where the hub has read the log
}

type counters struct {
	published, delivered, slowDisconnects, publishErrors, transportErrors, reportsDropped atomic.Uint64
}

// Stats reads the counters. Safe for concurrent use.
func (e *Engine) Stats() Stats {
	e.hub.mu.Lock()
	connections, targets, cursor := len(e.hub.subscriptions), e.hub.targets, e.hub.cursor
	e.hub.mu.Unlock()
	stats := Stats{
		Connections: connections, Subscriptions: targets,
		Published: e.counters.published.Load(), Delivered: e.counters.delivered.Load(),
		SlowDisconnects: e.counters.slowDisconnects.Load(), PublishErrors: e.counters.publishErrors.Load(),
		TransportErrors: e.counters.transportErrors.Load(), ReportsDropped: e.counters.reportsDropped.Load(),
	}
	if !cursor.IsZero() {
		stats.Position = cursor.String()
	}
	return stats
}
