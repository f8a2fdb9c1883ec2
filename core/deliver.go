package rowcast

import "github.com/rowcast/rowcast/core/filter"

// target is one channel of one connection, with what that connection asked for.
type target struct {
	subscription *Subscription
	channel      Channel
	fields       viewFields       // what of an item it gets
	filter       *filter.Compiled // which rows it gets; nil: all
	noEcho       bool             // not what was written on behalf of its own connection
}

// verdict is what one target gets of one record.
type verdict struct {
	event EventID // "" for nothing
	cause Cause   // on Deleted
}

// decide is the one place that says who gets what: live, and wherever records are told later.
//
// A target sees a row before or after if its filter is true for it. What is seen after is told as it is, also when it
// was not seen before. What was seen before and is not any more is Deleted, with no more than the id. A soft-deleted
// row counts as not seen, except that its purge is told to those who would have seen it.
func (t *target) decide(record *Record) verdict {
	if t.noEcho && record.Origin == t.subscription.id {
		return verdict{}
	}
	if record.Event == Deleted {
		// Without a row before there is nothing to compare: whoever may watch the entity hears that the row is gone.
		if record.before == nil || t.sees(record.before) {
			return verdict{event: Deleted, cause: CauseDeleted}
		}
		return verdict{}
	}
	if !record.afterDeleted && t.sees(record.after) {
		return verdict{event: record.Event}
	}
	if record.before != nil && !record.beforeDeleted && record.Event != Restored && t.sees(record.before) {
		return verdict{event: Deleted, cause: CauseFilter}
	}
	return verdict{}
}

func (t *target) sees(row []filter.Value) bool {
	return t.filter == nil || t.filter.Match(row)
}
