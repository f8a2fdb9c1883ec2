package filter

import (
	"fmt"
	"math"
)

// Limits bounds what a filter may ask for. The zero value of each means the default given here; below zero, no limit.
type Limits struct {
	Depth      int // 3: the implicit and of the request or object is 1, each and, or and not below it adds 1
	List       int // 100 members of an in or notIn
	Conditions int // 50 in the whole filter
	Pattern    int // 200 code points in a like or ilike pattern, its wildcards and escapes included
}

// The defaults of Limits.
const (
	DefaultDepth      = 3
	DefaultList       = 100
	DefaultConditions = 50
	DefaultPattern    = 200
)

// NoLimits is for filters that the application's own code wrote, such as row policies.
func NoLimits() Limits { return Limits{Depth: -1, List: -1, Conditions: -1, Pattern: -1} }

func (l Limits) resolved() Limits {
	return Limits{
		Depth:      limit(l.Depth, DefaultDepth),
		List:       limit(l.List, DefaultList),
		Conditions: limit(l.Conditions, DefaultConditions),
		Pattern:    limit(l.Pattern, DefaultPattern),
	}
}

func limit(set, fallback int) int {
	switch {
	case set == 0:
		return fallback
	case set < 0:
		return math.MaxInt
	}
	return set
}

func depthText(allowed int) string {
	return fmt.Sprintf("groups nest too deep: %d levels are allowed, of which the request or object itself is the first", allowed)
}

func conditionsText(allowed int) string {
	return fmt.Sprintf("there are too many conditions: %d are allowed", allowed)
}
