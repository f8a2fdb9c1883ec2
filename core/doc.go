// Package rowcast is a row-level change feed: every committed write reaches exactly the clients that may see it, in
// order, over server-sent events.
//
// The files of this package are the stages that a row passes, in this order:
//
//	write ─▶ capture ─▶ Change ─▶ Record ─▶ log ─▶ hub ─▶ subscription ─▶ frame ─▶ stream
//
//	operation.go     an engine operation writes a row through a Store; other captors watch writes made elsewhere
//	change.go        what happened to the row, inside this process
//	batch.go         what one transaction changed: thrown away on rollback, published together on commit
//	order.go         who may publish next for a row, so that events keep the order of the row's locks
//	record.go        what of a change may leave the process, after the entity's view (item.go: the row, rendered once)
//	log.go           where records get their position
//	hub.go           follows the log and finds the subscriptions that match
//	deliver.go       what one subscription gets of one record
//	subscribe.go     what a client asked for, checked (restrict.go: its filter)
//	subscription.go  one connection's channels and its queue
//	frame.go         one message to one connection
//
// Beside the path: engine.go builds it all, registry.go checks what is registered, settings.go merges what is set,
// origin.go ties writes to the client that asked for them, transport.go hands records to the user's own code, report.go
// tells of failures, contained.go and logging.go keep the panics of others away, stats.go counts.
//
// Package memstore holds the in-memory log and store, package sse the HTTP side, the adapters their frameworks' side.
package rowcast
