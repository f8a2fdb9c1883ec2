package matrix_test

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/rowcast/rowcast/core/filter"
)

// onWire reports whether a request can say the filter: only code builds empty groups and lists.
func (n *node) onWire() bool {
	if n.group != "" && len(n.kids) == 0 || (n.operator == filter.OpIn || n.operator == filter.OpNotIn) && len(n.arguments) == 0 {
		return false
	}
	for _, kid := range n.kids {
		if !kid.onWire() {
			return false
		}
	}
	return true
}

// members are the children that stand beside each other in an object without its and, if they can: an object has every
// member once.
func (n *node) members() ([]*node, bool) {
	if n.group != "and" {
		return []*node{n}, true
	}
	seen := make(map[string]bool)
	for _, kid := range n.kids {
		if seen[kid.member()] {
			return nil, false
		}
		seen[kid.member()] = true
	}
	return n.kids, true
}

// member is the name that must not be there twice.
func (n *node) member() string {
	if n.group != "" {
		return n.group
	}
	operator := n.operator
	if operator == filter.OpIsNull || operator == filter.OpIsNotNull {
		operator, _ = n.nullTest()
	}
	return n.column.Name + " " + string(operator)
}

// query is the filter as a query string, in brackets.
func (n *node) query(v values) string {
	var pairs []string
	members, ok := n.members()
	if !ok {
		members = []*node{n}
	}
	for _, member := range members {
		member.brackets("filter", v, func(name, value string) {
			pairs = append(pairs, url.QueryEscape(name)+"="+url.QueryEscape(value))
		})
	}
	return strings.Join(pairs, "&")
}

func (n *node) brackets(prefix string, v values, add func(name, value string)) {
	if n.group != "" {
		for i, kid := range n.kids {
			kid.brackets(fmt.Sprintf("%s[%s][%d]", prefix, n.group, i), v, add)
		}
		return
	}
	if n.operator == filter.OpIsNull || n.operator == filter.OpIsNotNull {
		operator, holds := n.nullTest()
		add(fmt.Sprintf("%s[%s][%s]", prefix, n.column.Name, operator), fmt.Sprint(holds))
		return
	}
	name := fmt.Sprintf("%s[%s][%s]", prefix, n.column.Name, n.operator)
	texts := make([]string, len(n.arguments))
	plain := true // a comma list can hold them
	for i, a := range n.arguments {
		texts[i] = a.text
		plain = plain && a.text != "" && !strings.Contains(a.text, ",")
	}
	switch list := n.operator == filter.OpIn || n.operator == filter.OpNotIn || n.operator == filter.OpBetween; {
	case !list:
		add(name, texts[0])
	case plain && v.IntN(2) == 0:
		add(name, strings.Join(texts, ","))
	default:
		for _, text := range texts {
			add(name+"[]", text)
		}
	}
}

// object is the filter in its JSON form.
func (n *node) object() string {
	members, ok := n.members()
	if !ok {
		members = []*node{n}
	}
	var texts []string
	at := make(map[string]int) // conditions on one field share its object
	for _, member := range members {
		name, value := member.jsonMember()
		if i, seen := at[name]; seen && member.group == "" {
			texts[i] = strings.TrimSuffix(texts[i], "}") + "," + strings.TrimPrefix(value, "{")
			continue
		}
		at[name] = len(texts)
		texts = append(texts, fmt.Sprintf("%q:%s", name, value))
	}
	return "{" + strings.Join(texts, ",") + "}"
}

func (n *node) jsonMember() (name, value string) {
	if n.group != "" {
		objects := make([]string, len(n.kids))
		for i, kid := range n.kids {
			objects[i] = kid.single()
		}
		return n.group, "[" + strings.Join(objects, ",") + "]"
	}
	if n.operator == filter.OpIsNull || n.operator == filter.OpIsNotNull {
		operator, holds := n.nullTest()
		return n.column.Name, fmt.Sprintf(`{"%s":%t}`, operator, holds)
	}
	texts := make([]string, len(n.arguments))
	for i, a := range n.arguments {
		texts[i] = a.json
	}
	value = strings.Join(texts, ",")
	switch n.operator {
	case filter.OpIn, filter.OpNotIn, filter.OpBetween:
		value = "[" + value + "]"
	}
	return n.column.Name, fmt.Sprintf(`{"%s":%s}`, n.operator, value)
}

// single is an object that has this one member.
func (n *node) single() string {
	name, value := n.jsonMember()
	return fmt.Sprintf("{%q:%s}", name, value)
}
