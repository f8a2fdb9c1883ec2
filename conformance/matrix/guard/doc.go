// Package guard holds tests of the repository rather than of code: who imports whom, what a release brings into a
// user's build, and that the README's first program works as pasted.
package guard
