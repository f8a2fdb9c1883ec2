package rowcastgorm

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"gorm.io/gorm"
)

// ErrUntracked is the error of a write whose commit could not be seen, if Config.RefuseUntracked is set.
var ErrUntracked = errors.New("rowcastgorm: the transaction cannot be followed: begin it with the gorm.DB that the plugin was added to")

func untracked(entity string, pool gorm.ConnPool) error {
	return fmt.Errorf("%w: a write on %s in a %T", ErrUntracked, entity, pool)
}

// reportUntracked reports a write that tells nothing, once for each place in the code.
func (c *Capture) reportUntracked(entity string, pool gorm.ConnPool) {
	site := callSite()
	if _, told := c.reported.LoadOrStore(site, true); told {
		return
	}
	c.config.Logger.Error("rowcastgorm: a write was not captured", "at", site, "error", untracked(entity, pool))
}

// callSite is the file and line that called GORM.
func callSite() string {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		frame, more := frames.Next()
		ours := strings.HasPrefix(frame.Function, "gorm.io/") || strings.HasPrefix(frame.Function, "github.com/rowcast/rowcast/adapters/gorm.")
		if !ours && frame.File != "" {
			return fmt.Sprintf("%s:%d", frame.File, frame.Line)
		}
		if !more {
			return "unknown"
		}
	}
}
