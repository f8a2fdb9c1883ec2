package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// httpServer is the server of every framework that is built on net/http.
//
// Browsers open connections ahead of need, and http.Server.Shutdown waits five seconds for a first request on each. So
// it closes those itself.
type httpServer struct {
	http.Server

	mu     sync.Mutex
	unused map[net.Conn]bool // open, and no byte of a request read; nil once the server ends
}

func newHTTPServer(handler http.Handler) *httpServer {
	s := &httpServer{unused: make(map[net.Conn]bool)}
	s.Handler = handler
	s.ReadHeaderTimeout = 5 * time.Second
	s.ConnState = s.track
	s.RegisterOnShutdown(s.closeUnused)
	return s
}

func (s *httpServer) Serve(listener net.Listener) error {
	if err := s.Server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (s *httpServer) Shutdown(ctx context.Context) error {
	if err := s.Server.Shutdown(ctx); err != nil {
		return errors.Join(err, s.Close())
	}
	return nil
}

func (s *httpServer) track(conn net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(s.unused, conn)
	case s.unused == nil:
		conn.Close()
	default:
		s.unused[conn] = true
	}
}

func (s *httpServer) closeUnused() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for conn := range s.unused {
		conn.Close()
	}
	s.unused = nil
}
