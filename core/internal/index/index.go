// Package index finds the subscriptions of a row's channels.
package index

// Index maps channels to subscriptions. It is not safe for concurrent use: its owner locks.
type Index[S comparable] struct {
	entities map[string]*topic[S]
}

// topic is one entity's collection channel and its item channels.
type topic[S comparable] struct {
	all  set[S]
	rows map[string]*set[S]
}

// Add subscribes to one row, or to the collection if id is "".
func (x *Index[S]) Add(entity, id string, s S) {
	if x.entities == nil {
		x.entities = make(map[string]*topic[S])
	}
	t := x.entities[entity]
	if t == nil {
		t = &topic[S]{rows: make(map[string]*set[S])}
		x.entities[entity] = t
	}
	if id == "" {
		t.all.add(s)
		return
	}
	if t.rows[id] == nil {
		t.rows[id] = &set[S]{}
	}
	t.rows[id].add(s)
}

// Remove undoes Add. Nothing of a channel without subscriptions stays behind.
func (x *Index[S]) Remove(entity, id string, s S) {
	t := x.entities[entity]
	if t == nil {
		return
	}
	if id == "" {
		t.all.remove(s)
	} else if rows := t.rows[id]; rows != nil {
		rows.remove(s)
		if len(rows.items) == 0 {
			delete(t.rows, id)
		}
	}
	if len(t.all.items) == 0 && len(t.rows) == 0 {
		delete(x.entities, entity)
	}
}

// Row visits the subscriptions of the row's item channel and of its collection channel.
func (x *Index[S]) Row(entity, id string, visit func(S)) {
	t := x.entities[entity]
	if t == nil {
		return
	}
	if rows := t.rows[id]; rows != nil {
		rows.each(visit)
	}
	t.all.each(visit)
}

// Entity visits the subscriptions of all the entity's channels.
func (x *Index[S]) Entity(entity string, visit func(S)) {
	t := x.entities[entity]
	if t == nil {
		return
	}
	t.all.each(visit)
	for _, rows := range t.rows {
		rows.each(visit)
	}
}

// set adds and removes in constant time, and is walked as fast as a slice.
type set[S comparable] struct {
	items []S
	at    map[S]int
}

func (s *set[S]) add(item S) {
	if _, ok := s.at[item]; ok {
		return
	}
	if s.at == nil {
		s.at = make(map[S]int)
	}
	s.at[item] = len(s.items)
	s.items = append(s.items, item)
}

func (s *set[S]) remove(item S) {
	i, ok := s.at[item]
	if !ok {
		return
	}
	last := len(s.items) - 1
	s.items[i] = s.items[last]
	s.at[s.items[i]] = i
	delete(s.at, item)
	var none S
	s.items[last] = none
	s.items = s.items[:last]
}

func (s *set[S]) each(visit func(S)) {
	for _, item := range s.items {
		visit(item)
	}
}
