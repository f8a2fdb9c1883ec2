// Package memstore is the in-memory backend: a [Log] for an application of one process, and a [Store] for tests,
// prototypes and as the reference for whoever writes a store of their own.
package memstore
