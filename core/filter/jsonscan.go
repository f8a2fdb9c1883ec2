package filter

import (
	"encoding/json"
	"strings"
)

// jsonToken is one token of valid JSON. Its kind is a bracket or brace itself, '"' for a string, '0' for a number, or the
// first letter of true, false, null; text is the string's value or the number as written, so that no digit gets lost.
type jsonToken struct {
	kind byte
	text string
}

func (t jsonToken) opens() bool { return t.kind == '{' || t.kind == '[' }

// jsonScanner cuts JSON that encoding/json has found valid into tokens. Decoding into maps instead would hide that a name
// stands twice, and json.Decoder.Token costs several allocations a token.
type jsonScanner struct {
	text string
	at   int
}

// more reports whether another member follows before the object or array closes.
func (s *jsonScanner) more() bool {
	s.space()
	return s.text[s.at] != '}' && s.text[s.at] != ']'
}

// space passes over white space, and over the commas and colons, whose places the check has verified.
func (s *jsonScanner) space() {
	for s.at < len(s.text) && strings.IndexByte(" \t\r\n,:", s.text[s.at]) >= 0 {
		s.at++
	}
}

func (s *jsonScanner) next() jsonToken {
	s.space()
	start := s.at
	switch c := s.text[start]; c {
	case '{', '}', '[', ']':
		s.at++
		return jsonToken{kind: c}
	case '"':
		return jsonToken{kind: c, text: s.string()}
	}
	for s.at < len(s.text) && strings.IndexByte(" \t\r\n,]}", s.text[s.at]) < 0 {
		s.at++
	}
	switch c := s.text[start]; c {
	case 't', 'f', 'n':
		return jsonToken{kind: c}
	}
	return jsonToken{kind: '0', text: s.text[start:s.at]}
}

// string reads a string; only one with escapes has to be rewritten.
func (s *jsonScanner) string() string {
	start := s.at
	escaped := false
	for s.at++; s.text[s.at] != '"'; s.at++ {
		if s.text[s.at] == '\\' {
			escaped = true
			s.at++
		}
	}
	s.at++
	if !escaped {
		return s.text[start+1 : s.at-1]
	}
	var decoded string
	if err := json.Unmarshal([]byte(s.text[start:s.at]), &decoded); err != nil {
		panic("encoding/json fails on a string that it called valid: " + err.Error()) // it never does
	}
	return decoded
}

// skip passes over the rest of the value that begins with this token.
func (s *jsonScanner) skip(token jsonToken) {
	open := 0
	for {
		switch token.kind {
		case '{', '[':
			open++
		case '}', ']':
			open--
		}
		if open == 0 {
			return
		}
		token = s.next()
	}
}
