package matrix

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/modules/postgres"
)

// startLimit has room for pulling the image over a slow line; readyLimit is for the server alone.
const (
	startLimit = 5 * time.Minute
	readyLimit = time.Minute
)

// dockerAnswers tells why no Docker engine can be used, or nil.
func dockerAnswers() (err error) {
	// The library panics where it finds no socket at all.
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	provider, err := testcontainers.NewDockerProvider()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return errors.Join(provider.Health(ctx), provider.Close())
}

func startContainer(image string) (*server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	container, err := postgres.Run(ctx, image,
		postgres.WithDatabase("rowcast"), postgres.WithUsername("rowcast"), postgres.WithPassword("rowcast"),
		// A thrown-away server need not survive a crash. The connections are for tests that run side by side.
		testcontainers.WithCmd("postgres", "-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off", "-c", "max_connections=300"),
	)
	end := func() error {
		if container == nil {
			return nil
		}
		return testcontainers.TerminateContainer(container, testcontainers.StopTimeout(0))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("no PostgreSQL: Docker answers, but image %s could not be started: %w", image, err), end())
	}

	wait, stop := context.WithTimeout(ctx, readyLimit)
	defer stop()
	var dsn string
	err = ready(wait, func(ctx context.Context) (string, error) {
		state, err := container.State(ctx)
		switch {
		case err != nil:
			return "", err
		case !state.Running:
			stop() // it has ended, and nothing starts it again
			return "", fmt.Errorf("the container ended with code %d", state.ExitCode)
		}
		// Asked for each time: the port is published a moment after the start.
		dsn, err = container.ConnectionString(ctx, "sslmode=disable")
		return dsn, err
	}, 300*time.Millisecond)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("image %s: %w; its log ends with:\n%s", image, err, logEnd(ctx, container)), end())
	}
	return &server{dsn: dsn, end: end}, nil
}

func logEnd(ctx context.Context, container testcontainers.Container) []byte {
	reader, err := container.Logs(ctx)
	if err != nil {
		return []byte(err.Error())
	}
	defer reader.Close()
	text, _ := io.ReadAll(reader)
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-10):], []byte("\n"))
}
