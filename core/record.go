package rowcast

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/rowcast/rowcast/core/filter"
)

// Record is a change after the entity's view has been applied, once: what may be kept in a log and leave the process.
// It is immutable, also for those who are handed a copy.
type Record struct {
	ID         string // unique, random
	Entity     string
	Key        string // the row's canonical id
	Event      EventID
	OccurredAt time.Time // UTC, microseconds
	Origin     string    // the connection on whose behalf it was written; "" when none was named
	Changed    []string  // public names of the written fields, on Updated and Patched

	entity *entity
	item   item           // the row after, rendered; empty when it is gone
	before []filter.Value // typed values of the filterable fields by ordinal; nil when the row before is not known
	after  []filter.Value

	beforeDeleted, afterDeleted bool // softly
}

// Channel is the row's item channel.
func (r *Record) Channel() string { return r.Entity + "." + r.Key }

// Item is the row after the change through the entity's view, or nil when it is gone.
func (r *Record) Item() json.RawMessage {
	if r.item.isEmpty() {
		return nil
	}
	return r.item.appendJSON(nil, r.entity.wholeView)
}

func (r *Record) size() int {
	size := 256 + len(r.Key) + len(r.item.text) + 8*len(r.item.ends) + 16*len(r.Changed)
	for _, value := range r.before {
		size += value.Size()
	}
	for _, value := range r.after {
		size += value.Size()
	}
	return size
}

// newRecord applies the view. Values that cannot be shown degrade to null; what went wrong is returned beside the record.
func newRecord(entity *entity, allowed *FieldSet, change *Change) (*Record, []error) {
	record := &Record{
		ID: rand.Text(), Entity: entity.Name, Key: change.ID, Event: change.Event,
		OccurredAt: change.OccurredAt, entity: entity,
	}
	if record.OccurredAt.IsZero() {
		record.OccurredAt = time.Now()
	}
	record.OccurredAt = record.OccurredAt.UTC().Truncate(time.Microsecond)
	after, degraded := entity.typed(change.After)
	before, failed := entity.typed(change.Before)
	degraded = append(degraded, failed...)
	if change.After != nil && change.Event != Deleted {
		record.item, failed = entity.render(change.After, after, allowed)
		degraded = append(degraded, failed...)
	}
	if change.Event.tellsChanged() {
		record.Changed = entity.changed(change.Written, before, after, allowed)
	}
	record.beforeDeleted, record.afterDeleted = entity.isSoftDeleted(before), entity.isSoftDeleted(after)
	record.before, record.after = entity.keepFilterable(before), entity.keepFilterable(after)
	return record, degraded
}

// changed names the written fields and, where the row before is known, every other one that differs: triggers and
// defaults write too. The names are cut to what may leave.
func (e *entity) changed(written []string, before, after []filter.Value, allowed *FieldSet) []string {
	if before != nil && after != nil {
		written = slices.Clone(written)
		for i := range after {
			if after[i].Canonical() != before[i].Canonical() {
				written = append(written, e.Fields[i].Name)
			}
		}
	}
	return e.visible(written, allowed)
}

// visible cuts names to what the view and the allowed fields hold, in the view's order.
func (e *entity) visible(names []string, allowed *FieldSet) []string {
	var out []string
	for _, field := range e.view {
		if field.leaves && slices.Contains(names, field.name) && (allowed == nil || allowed.Has(field.name)) {
			out = append(out, field.name)
		}
	}
	return out
}

// typed turns a row into values by ordinal, nil for no row. What does not fit its field's kind stays missing: it equals
// nothing.
func (e *Entity) typed(row Values) ([]filter.Value, []error) {
	if row == nil {
		return nil, nil
	}
	values := make([]filter.Value, len(e.Fields))
	var failed []error
	for i := range e.Fields {
		field := &e.Fields[i]
		v, ok := row[field.Name]
		if !ok {
			continue
		}
		value, err := fieldValue(field, v)
		if err != nil {
			failed = append(failed, fmt.Errorf("rowcast: %s.%s: %w", e.Name, field.Name, err))
			continue
		}
		values[i] = value
	}
	return values, failed
}

func (e *entity) isSoftDeleted(values []filter.Value) bool {
	if e.SoftDelete == "" || values == nil {
		return false
	}
	mark := values[e.ordinals[e.SoftDelete]]
	return !mark.IsNull() && !mark.IsMissing()
}

// keepFilterable drops, in place, what nobody may filter by: it must not stay in a log.
func (e *entity) keepFilterable(values []filter.Value) []filter.Value {
	for i := range values {
		if !e.filterable[i] {
			values[i] = filter.Value{}
		}
	}
	return values
}
