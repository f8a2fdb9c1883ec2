package rowcast

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/rowcast/rowcast/core/filter"
)

// What clients may filter by, in subscriptions and in REST lists alike.

// ParseFilter reads the filter out of a raw query string and checks it against the entity, exactly as a subscription
// to it does: for REST lists. Without a filter the result is nil. The error is an *Error that lists every problem, or
// ErrUnknownEntity.
func (e *Engine) ParseFilter(entity, rawQuery string) (filter.Expr, error) {
	if err := e.seal(); err != nil {
		return nil, err
	}
	registered, err := e.lookUp(entity)
	if err != nil {
		return nil, err
	}
	expr, problems := filter.Parse(rawQuery, e.limits.Filter)
	issues := FilterIssues(problems)
	if expr != nil {
		compiled, refused := e.bindFilter(registered, expr)
		if issues = append(issues, refused...); len(issues) == 0 {
			return compiled.Expr(), nil
		}
	}
	if len(issues) == 0 {
		return nil, nil
	}
	return nil, &Error{
		Code: "INVALID_FILTER", Status: http.StatusBadRequest, Title: "Invalid filter",
		Detail: fmt.Sprintf("%s in the filter", count(len(issues), "problem")), Issues: issues,
	}
}

// FilterIssues are a filter's problems as the issues of a request.
func FilterIssues(problems []filter.Problem) []Issue {
	var issues []Issue
	for _, p := range problems {
		issues = append(issues, Issue(p))
	}
	return issues
}

// resolveFilter binds the filter of a subscription.
func (e *Engine) resolveFilter(channels []Channel, request SubscribeRequest) (*filter.Compiled, []Issue) {
	switch {
	case request.Filter == nil:
		return nil, nil
	case !ofOneEntity(channels):
		return nil, []Issue{{Field: "filter", Code: filter.CodeFieldNotAllowed, Detail: "the channels are of several entities: a filter is about one"}}
	}
	return e.bindFilter(e.entities[channels[0].Entity], request.Filter)
}

func (e *Engine) bindFilter(entity *entity, expr filter.Expr) (*filter.Compiled, []Issue) {
	if entity.Filterable == nil {
		return nil, []Issue{{Field: "filter", Code: filter.CodeFieldNotAllowed, Detail: entity.Name + " cannot be filtered"}}
	}
	compiled, problems := filter.Bind(expr, entity.schema, e.limits.Filter)
	return compiled, FilterIssues(problems)
}

// clientSchema says which fields clients may filter by: those that are filterable and that subscribers may get.
func (e *entity) clientSchema() filter.Schema {
	schema := e.Schema()
	for i := range schema {
		name := schema[i].Name
		switch _, public := e.public[name]; {
		case !public:
			schema[i].Access = filter.Hidden
		case !e.Filterable.Has(name) || !e.mayLeave(name):
			schema[i].Access = filter.NotAllowed
		}
	}
	return schema
}

// Schema is the entity's fields as a filter sees them, all of them allowed: for stores, which trust whoever calls them.
func (e Entity) Schema() filter.Schema {
	schema := make(filter.Schema, len(e.Fields))
	for i, f := range e.Fields {
		schema[i] = filter.Field{
			Name: f.Name, Kind: f.Kind, Nullable: f.Nullable, Bits: f.Bits, Members: f.Members, Access: filter.Allowed,
		}
	}
	return schema
}

// BindFilter binds a filter to all the entity's fields, hidden ones as well: for stores. The filter may come from
// Engine.ParseFilter, or be built by the application's own code. Its error is an *Error from InvalidValues.
func (e Entity) BindFilter(expr filter.Expr) (*filter.Compiled, error) {
	compiled, problems := filter.Bind(expr, e.Schema(), filter.NoLimits())
	if len(problems) > 0 {
		return nil, InvalidValues(FilterIssues(problems)...)
	}
	return compiled, nil
}

// Row is a row's values by the ordinals of Schema, as a bound filter tests them. Names that are no fields are an error.
func (e Entity) Row(values Values) ([]filter.Value, error) {
	if values == nil {
		values = Values{}
	}
	row, failed := e.typed(values)
	for _, name := range sortedKeys(values) {
		if e.field(name).Name == "" {
			failed = append(failed, fmt.Errorf("rowcast: %s has no field %q", e.Name, name))
		}
	}
	return row, errors.Join(failed...)
}
