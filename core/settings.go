package rowcast

import "maps"

// Switch turns something on or off at one level of the settings chain, or leaves it as it is.
type Switch uint8

// The positions of a Switch.
const (
	Inherit Switch = iota
	On
	Off
)

// Settings are plain data, merged key by key in this order, later wins: built-in, Config.Defaults, Entity, Operation,
// Input. Every key inherits when absent.
//
// Publishing is off unless some level turns it on. Any key that is set turns it on at that level, unless Realtime is
// Off there; Off turns it off whatever else the level says, until a later level turns it on again. What earlier
// levels said of the other keys stays in force then, so that switching off and on never widens what may leave.
type Settings struct {
	Realtime Switch

	// Events mutes single events: an absent id is emitted, false mutes it, true undoes an earlier level's false.
	Events map[EventID]bool

	// SubscribableFields bounds what may leave in an item, in changed, and in a client's fields. Nil inherits; all of
	// the view's fields if no level sets it. On an operation it can only narrow the entity's.
	SubscribableFields *FieldSet

	// OnPublishError is told of every record that could not be delivered to the log or to a transport, and of every
	// value that had to be degraded. It is called from one goroutine of the engine; it may block only itself.
	OnPublishError func(Record, error)
}

// set reports whether the level says anything that turns publishing on.
func (s Settings) set() bool {
	return s.Realtime == On || s.Events != nil || s.SubscribableFields != nil || s.OnPublishError != nil
}

// resolved is the outcome of the settings chain. It shares nothing with the values that it was made from.
type resolved struct {
	realtime bool
	muted    map[EventID]bool
	fields   *FieldSet
	onError  func(Record, error)
}

// merge lays one more level over what the levels before it resolved to.
func (r resolved) merge(s Settings) resolved {
	switch {
	case s.Realtime == Off:
		r.realtime = false
	case s.set():
		r.realtime = true
	}
	if len(s.Events) > 0 {
		muted := maps.Clone(r.muted)
		if muted == nil {
			muted = make(map[EventID]bool)
		}
		for id, emit := range s.Events {
			muted[id] = !emit
		}
		r.muted = muted
	}
	if s.SubscribableFields != nil {
		r.fields = s.SubscribableFields
	}
	if s.OnPublishError != nil {
		r.onError = s.OnPublishError
	}
	return r
}

// emits reports whether a write with this event is published.
func (r *resolved) emits(id EventID) bool { return r.realtime && !r.muted[id] }

// check reports the keys of one level that name something unknown. fields is nil where no entity is known yet.
func (s Settings) check(path string, fields map[string]int, found *problems) {
	path += ".realtime"
	if s.Realtime > Off {
		found.add(path, "%d is no Switch: use Inherit, On or Off", s.Realtime)
	}
	for _, id := range sortedKeys(s.Events) {
		if !id.Valid() {
			found.add(path+".events."+string(id), "no such event; the events are %s", list(EventIDs()))
		}
	}
	if fields != nil {
		s.SubscribableFields.check(path+".subscribableFields", fields, found)
	}
}
