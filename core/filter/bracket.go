package filter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// brackets reads one parameter such as filter[or][0][price][gte]=10. Nothing is added to the tree before the whole name
// has been checked, so that the tree cannot outgrow the limit of conditions.
func (p *parser) brackets(name, value string) {
	if problem := p.split(name); problem != "" {
		p.syntax(name, problem)
		return
	}
	rest, ok := p.groups(name)
	if !ok {
		return
	}
	field, operator, isList, problem := conditionOf(rest)
	if problem != "" {
		p.syntax(name, problem)
		return
	}
	p.put(Condition{Field: field, Operator: operator, Path: name}, value, isList)
}

// split cuts the name into the texts between its brackets. Only the last pair may be empty.
func (p *parser) split(name string) (problem string) {
	p.segments = p.segments[:0]
	rest := name[len(parameter):]
	for rest != "" {
		if rest[0] != '[' {
			return fmt.Sprintf("unexpected %s; write filter[field][operator]=value, or filter={…}", quote(rest))
		}
		end := strings.IndexByte(rest, ']')
		if end < 0 {
			return "a bracket is not closed"
		}
		segment := rest[1:end]
		if strings.Contains(segment, "[") {
			return "a bracket is not closed before the next one opens"
		}
		p.segments = append(p.segments, segment)
		rest = rest[end+1:]
	}
	if empty := slices.Index(p.segments, ""); empty >= 0 && empty < max(len(p.segments)-1, 1) {
		return "brackets are empty; only a list ends in []"
	}
	return ""
}

// step is a group in a parameter's name, with the number of the child that the name goes on to.
type step struct {
	group     string
	index     int    // -1 where a not goes without
	groupPath string // the name up to the group
	childPath string // the name up to the number
}

// groups reads the leading groups and their numbers into p.steps, and gives the segments after them.
func (p *parser) groups(name string) (rest []string, ok bool) {
	p.steps, rest = p.steps[:0], p.segments
	end := len(parameter) // of what has been read of the name
	for depth := 2; len(rest) > 0 && isGroup(rest[0]); depth++ {
		s := step{group: rest[0]}
		if !p.descend(name, depth) {
			return nil, false
		}
		end += len(s.group) + len("[]")
		s.groupPath = name[:end]
		rest = rest[1:]
		if len(rest) == 0 || rest[0] == "" {
			p.syntax(name, s.group+" needs a condition inside, such as "+groupExample(s.group))
			return nil, false
		}
		var problem string
		if s.index, problem = childIndex(s.group, rest[0]); problem != "" {
			p.syntax(name, problem)
			return nil, false
		}
		if s.index >= 0 {
			end += len(rest[0]) + len("[]")
			rest = rest[1:]
		}
		s.childPath = name[:end]
		p.steps = append(p.steps, s)
	}
	return rest, true
}

func groupExample(group string) string {
	if group == groupNot {
		return "filter[not][field][operator]=value"
	}
	return "filter[" + group + "][0][field][operator]=value"
}

// childIndex reads the number of a group's child, or -1 where a not goes without.
func childIndex(group, segment string) (index int, problem string) {
	const digits = 9 // more could not be without gaps, and might not fit an int
	number := strings.Trim(segment, "0123456789") == ""
	switch {
	case !number && group == groupNot:
		return -1, ""
	case !number:
		return 0, fmt.Sprintf("%s needs a number before %s, such as %s", group, quote(segment), groupExample(group))
	case len(segment) > digits || (segment[0] == '0' && segment != "0"):
		return 0, fmt.Sprintf("%s does not number a child of %s; write 0, 1, 2 and so on", quote(segment), group)
	}
	index, _ = strconv.Atoi(segment) // up to nine digits
	return index, ""
}

// conditionOf reads [field][operator], [field][operator][] or, with more names, a path that Bind will refuse.
func conditionOf(segments []string) (field string, operator Operator, isList bool, problem string) {
	if len(segments) == 0 {
		return "", "", false, "there is no condition; write filter[field][operator]=value"
	}
	if last := len(segments) - 1; segments[last] == "" {
		isList = true
		segments = segments[:last]
	}
	switch len(segments) {
	case 0:
		return "", "", false, "brackets are empty; only a list ends in []"
	case 1:
		return "", "", false, fmt.Sprintf("the operator is missing; write filter[%s][eq]=value", segments[0])
	}
	last := len(segments) - 1
	for _, segment := range segments[1:last] {
		if Operator(segment).Valid() {
			return "", "", false, "nothing may follow the operator " + segment + listHint(Operator(segment))
		}
	}
	field, operator = strings.Join(segments[:last], "."), Operator(segments[last])
	if isList && operator.Valid() && !operator.takesList() {
		return "", "", false, string(operator) + " takes a single value, without []"
	}
	return field, operator, isList, ""
}

func listHint(operator Operator) string {
	if operator.takesList() {
		return " but []"
	}
	return ""
}

// put adds the condition where p.steps lead, or one more member to the list that is there.
func (p *parser) put(c Condition, value string, isList bool) {
	found, problem := p.root.lookUp(p.steps, c.Field, c.Operator)
	switch {
	case problem != "":
		p.syntax(c.Path, problem)
	case found != nil && isList && found.repeated:
		found.Operands = append(found.Operands, Text(value))
	case found != nil && found.reported:
	case found != nil:
		found.reported = true
		p.syntax(c.Path, "the same condition is given twice"+twiceHint(c.Operator))
	case p.admit(c.Path):
		c.Operands = bracketOperands(c.Operator, value, isList)
		level := p.root.grow(p.steps)
		level.items = append(level.items, item{condition: &openCondition{Condition: c, repeated: isList}})
	}
}

func twiceHint(operator Operator) string {
	if operator.takesList() {
		return "; repeat " + string(operator) + "[]=value, or write one comma list"
	}
	return ""
}

// bracketOperands splits a comma list; an empty one has no members, while [in][]= has one, the empty text.
func bracketOperands(operator Operator, value string, isList bool) []any {
	switch {
	case isList || !operator.takesList():
		return []any{Text(value)}
	case value == "":
		return nil
	}
	members := make([]any, 0, strings.Count(value, ",")+1)
	for member := range strings.SplitSeq(value, ",") {
		members = append(members, Text(member))
	}
	return members
}
