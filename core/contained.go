package rowcast

import "fmt"

// contained runs code that is not ours, and turns its panic into an error.
func contained(what string, run func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s panicked: %v", what, p)
		}
	}()
	return run()
}
