package filter

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// likePattern is a compiled LIKE pattern: segments of literals and single wildcards, with a % between each two. The
// first and the last are anchored to the ends of the text; each one between is taken at its first occurrence, which
// leaves the most text to those that follow. So matching never goes back, and costs at most pattern × text.
//
// % and _ match newlines, as SQL has it; _ is one code point.
type likePattern struct {
	whole  bool // without any %: head is everything
	head   likeSegment
	middle []likeSegment
	tail   likeSegment
}

// likeSegment is the part of a pattern between two %. Texts without _ that keep their case are compared as bytes.
type likeSegment struct {
	literal string // if runes is nil
	runes   []rune // anyRune for _
	fold    bool   // runes are lower-cased, and so is the text while it is compared
}

const anyRune rune = -1

// compileLike compiles a pattern in valid UTF-8. It is not ok if the pattern ends in an escape that escapes nothing.
func compileLike(pattern string, fold bool) (p *likePattern, ok bool) {
	segments := make([]likeSegment, 0, strings.Count(pattern, "%")+1)
	runes := make([]rune, 0, len(pattern)) // of the segment at hand; those of all segments lie in one array
	escaped := false
	for _, r := range pattern {
		switch {
		case escaped:
			runes, escaped = append(runes, r), false
		case r == '\\':
			escaped = true
		case r == '_':
			runes = append(runes, anyRune)
		case r == '%':
			segments = append(segments, newSegment(runes, fold))
			runes = runes[len(runes):]
		default:
			runes = append(runes, r)
		}
	}
	if escaped {
		return nil, false
	}
	segments = append(segments, newSegment(runes, fold))
	last := len(segments) - 1
	p = &likePattern{whole: last == 0, head: segments[0]}
	if last > 0 {
		p.tail = segments[last]
		for _, segment := range segments[1:last] {
			if !segment.empty() {
				p.middle = append(p.middle, segment)
			}
		}
	}
	return p, true
}

func newSegment(runes []rune, fold bool) likeSegment {
	plain := !fold
	for i, r := range runes {
		switch {
		case r == anyRune:
			plain = false
		case fold:
			runes[i] = lower(r)
		}
	}
	if plain || len(runes) == 0 {
		return likeSegment{literal: string(runes)}
	}
	return likeSegment{runes: runes, fold: fold}
}

func (p *likePattern) match(text string) bool {
	rest, ok := p.head.prefix(text)
	if !ok {
		return false
	}
	if p.whole {
		return rest == ""
	}
	if rest, ok = p.tail.suffix(rest); !ok {
		return false
	}
	for i := range p.middle {
		if rest, ok = p.middle[i].find(rest); !ok {
			return false
		}
	}
	return true
}

func (s *likeSegment) empty() bool { return s.literal == "" && s.runes == nil }

// prefix cuts the segment off the start of the text.
func (s *likeSegment) prefix(text string) (rest string, ok bool) {
	if s.runes == nil {
		return strings.CutPrefix(text, s.literal)
	}
	at := 0
	for _, want := range s.runes {
		if at == len(text) {
			return "", false
		}
		r, size := s.runeAt(text, at)
		if r != want && want != anyRune {
			return "", false
		}
		at += size
	}
	return text[at:], true
}

// runeAt is the code point at this byte, lower-cased if the segment is.
func (s *likeSegment) runeAt(text string, at int) (r rune, size int) {
	if r = rune(text[at]); r >= utf8.RuneSelf {
		return s.wideRuneAt(text[at:])
	}
	if s.fold && r >= 'A' && r <= 'Z' {
		r += 'a' - 'A'
	}
	return r, 1
}

func (s *likeSegment) wideRuneAt(text string) (r rune, size int) {
	r, size = utf8.DecodeRuneInString(text)
	if s.fold {
		r = lower(r)
	}
	return r, size
}

// suffix cuts the segment off the end of the text.
func (s *likeSegment) suffix(text string) (rest string, ok bool) {
	if s.runes == nil {
		return strings.CutSuffix(text, s.literal)
	}
	for i := len(s.runes) - 1; i >= 0; i-- {
		if text == "" {
			return "", false
		}
		r, size := utf8.DecodeLastRuneInString(text)
		if s.fold {
			r = lower(r)
		}
		if r != s.runes[i] && s.runes[i] != anyRune {
			return "", false
		}
		text = text[:len(text)-size]
	}
	return text, true
}

// find gives what follows the segment's first occurrence in the text.
func (s *likeSegment) find(text string) (rest string, ok bool) {
	if s.runes == nil {
		at := strings.Index(text, s.literal)
		if at < 0 {
			return "", false
		}
		return text[at+len(s.literal):], true
	}
	first := s.runes[0]
	for at := 0; at < len(text); {
		r, size := s.runeAt(text, at)
		if r == first || first == anyRune {
			if rest, ok := s.prefix(text[at:]); ok {
				return rest, true
			}
		}
		at += size
	}
	return "", false
}

// lower is the simple lower-case mapping that PostgreSQL's C.UTF-8 uses as well: one code point for one.
func lower(r rune) rune { return unicode.ToLower(r) }
