package rowcast

// EventID says what happened to a row. The vocabulary is closed: there are these five and no others.
type EventID string

// The five events. Deleted means «stop expecting to see this row»; its cause says why.
const (
	Created  EventID = "created"
	Updated  EventID = "updated" // the whole row was written
	Patched  EventID = "patched" // some fields were written
	Deleted  EventID = "deleted"
	Restored EventID = "restored"
)

// EventIDs lists the vocabulary.
func EventIDs() []EventID { return []EventID{Created, Updated, Patched, Deleted, Restored} }

// Valid reports whether the id is one of the five.
func (id EventID) Valid() bool {
	switch id {
	case Created, Updated, Patched, Deleted, Restored:
		return true
	}
	return false
}

// tellsChanged reports whether the event says which fields were written.
func (id EventID) tellsChanged() bool { return id == Updated || id == Patched }

// Cause says why a row is Deleted for one subscriber.
type Cause string

// The causes of Deleted.
const (
	CauseDeleted Cause = "deleted" // the row is gone
	CauseFilter  Cause = "filter"  // it left the subscriber's filter
	CauseAccess  Cause = "access"  // the subscriber may no longer see it
)
