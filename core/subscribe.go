package rowcast

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/rowcast/rowcast/core/filter"
)

// SubscribeRequest is what a client asks for.
type SubscribeRequest struct {
	Channels []string // «Entity» or «Entity.id»; at least one

	// Fields narrows the items, by entity. The key "" stands for the one entity that all channels are of. An entity
	// that is not named gets all that may leave.
	Fields map[string][]string

	// Filter says which rows the client wants; nil: all. Only with channels of one entity.
	Filter filter.Expr

	// NoEcho leaves out the changes that were written on behalf of this very connection, see Engine.WithOrigin.
	NoEcho bool

	// After is the last event id that the client has; "" for a client that begins.
	After string

	// Issues are problems that the transport found in the fields and the filter of the request. They are reported
	// together with the engine's own, once it is clear that the client may have the channels.
	Issues []Issue
}

// Subscribe checks the request in the documented order and opens a subscription. It ends with ctx, with its Close, or
// with a bye of the server's. It is live from where the hub has read the log: a write right before may still arrive,
// since the hub follows the log a moment behind. A refused request is an *Error: 400 for what is malformed, 403 when
// every channel is denied. While the engine shuts down or has too many connections the subscription holds nothing but a bye.
// ErrNotStarted before Start.
func (e *Engine) Subscribe(ctx context.Context, request SubscribeRequest) (*Subscription, error) {
	p, err := e.prepare(request)
	if err != nil {
		return nil, err
	}
	s := newSubscription(ctx, e.hub, p)
	e.hub.register(s, p)
	s.stop = context.AfterFunc(ctx, s.end)
	return s, nil
}

// Validate checks a request as Subscribe does, and opens nothing.
func (e *Engine) Validate(request SubscribeRequest) error {
	_, err := e.prepare(request)
	return err
}

// prepared is a request that may be opened.
type prepared struct {
	targets []*target
	denied  []Denial
	after   string
}

func (e *Engine) prepare(request SubscribeRequest) (*prepared, error) {
	if !e.started.Load() {
		return nil, ErrNotStarted
	}
	channels, issues := e.parseChannels(request.Channels)
	if len(issues) > 0 {
		return nil, invalidSubscription(issues)
	}
	p := &prepared{after: request.After}
	channels = p.deny(e, channels)
	if len(channels) == 0 {
		return nil, &Error{
			Code: CodeChannelsDenied, Status: http.StatusForbidden, Title: "Channels denied",
			Detail: "none of the channels can be opened", Denied: p.denied,
		}
	}
	fields, issues := e.resolveFields(channels, request)
	compiled, refused := e.resolveFilter(channels, request)
	issues = slices.Concat(issues, request.Issues, refused)
	if len(issues) > 0 {
		return nil, invalidSubscription(issues)
	}
	for _, channel := range channels {
		p.targets = append(p.targets, &target{channel: channel, fields: fields[channel.Entity], filter: compiled, noEcho: request.NoEcho})
	}
	return p, nil
}

// parseChannels reads the channels, each once, with canonical ids.
func (e *Engine) parseChannels(texts []string) ([]Channel, []Issue) {
	if len(texts) == 0 {
		return nil, []Issue{{Field: "channel", Code: CodeInvalidChannel, Detail: "name at least one channel: «Entity» or «Entity.id»"}}
	}
	if limit := e.limits.Channels; len(texts) > limit {
		return nil, []Issue{{Field: "channel", Code: CodeLimitExceeded, Detail: fmt.Sprintf("%d channels; at most %d on one connection", len(texts), limit)}}
	}
	var channels []Channel
	var issues []Issue
	for _, text := range texts {
		channel, err := ParseChannel(text)
		if entity := e.entities[channel.Entity]; err == nil && entity != nil && channel.ID != "" {
			channel.ID, err = entity.canonicalID(channel.ID)
		}
		if err != nil {
			issues = append(issues, Issue{Field: "channel", Code: CodeInvalidChannel, Detail: err.Error()})
			continue
		}
		if !slices.Contains(channels, channel) {
			channels = append(channels, channel)
		}
	}
	return channels, issues
}

// deny sorts out the channels that the client may not have.
func (p *prepared) deny(e *Engine, channels []Channel) []Channel {
	var granted []Channel
	for _, channel := range channels {
		if entity := e.entities[channel.Entity]; entity == nil || !entity.subscribable() {
			p.denied = append(p.denied, Denial{Channel: channel.String(), Reason: DeniedUnknownChannel})
			continue
		}
		granted = append(granted, channel)
	}
	return granted
}

// resolveFields says which fields of each granted entity the client gets.
func (e *Engine) resolveFields(channels []Channel, request SubscribeRequest) (map[string]viewFields, []Issue) {
	var issues []Issue
	fields := make(map[string]viewFields)
	for _, channel := range channels {
		entity := e.entities[channel.Entity]
		if _, done := fields[entity.Name]; done {
			continue
		}
		names, asked := request.Fields[entity.Name]
		path := "fields[" + entity.Name + "]"
		if !asked {
			names, asked = request.Fields[""]
			path = "fields"
		}
		fields[entity.Name] = newViewFields(entity.view, func(name string) bool {
			return entity.mayLeave(name) && (!asked || slices.Contains(names, name))
		})
		if asked {
			issues = append(issues, entity.checkFields(path, names)...)
		}
	}
	return fields, append(issues, checkFieldsScope(channels, request)...)
}

// mayLeave reports whether subscribers may get the field.
func (e *entity) mayLeave(name string) bool {
	_, public := e.public[name]
	return public && (e.settings.fields == nil || e.settings.fields.Has(name))
}

// checkFields answers the same for a field that is missing, hidden, or not for subscribers.
func (e *entity) checkFields(path string, names []string) []Issue {
	if len(names) == 0 {
		return []Issue{{Field: path, Code: CodeInvalidFields, Detail: "no field is named: leave the parameter out for all of them"}}
	}
	unknown := slices.DeleteFunc(slices.Clone(names), e.mayLeave)
	if len(unknown) == 0 {
		return nil
	}
	allowed := slices.DeleteFunc(sortedKeys(e.public), func(name string) bool { return !e.mayLeave(name) })
	given := fmt.Sprintf("%.64q", unknown[0])
	if len(unknown) > 1 {
		given += fmt.Sprintf(" (and %d more)", len(unknown)-1)
	}
	return []Issue{{Field: path, Code: CodeUnknownField, Detail: fmt.Sprintf("%s has no field %s; it has %s", e.Name, given, list(allowed))}}
}

// checkFieldsScope reports fields that belong to none of the granted channels, or to more than one entity.
func checkFieldsScope(channels []Channel, request SubscribeRequest) []Issue {
	var issues []Issue
	for _, name := range sortedKeys(request.Fields) {
		if name == "" {
			if len(request.Fields) > 1 {
				issues = append(issues, Issue{Field: "fields", Code: CodeInvalidFields, Detail: "say either fields or fields[Entity], not both"})
			} else if !ofOneEntity(channels) {
				issues = append(issues, Issue{Field: "fields", Code: CodeInvalidFields,
					Detail: "the channels are of several entities: say fields[Entity]=… for each"})
			}
			continue
		}
		requested := slices.ContainsFunc(request.Channels, func(text string) bool {
			channel, err := ParseChannel(text)
			return err == nil && channel.Entity == name
		})
		if !requested {
			issues = append(issues, Issue{Field: "fields[" + name + "]", Code: CodeInvalidFields,
				Detail: "none of the channels is of this entity"})
		}
	}
	return issues
}

func ofOneEntity(channels []Channel) bool {
	return !slices.ContainsFunc(channels, func(c Channel) bool { return c.Entity != channels[0].Entity })
}
