// Command idle measures what an idle stream costs: memory of the whole process per connection, and the time from a
// connection to its first frame, beside a handler that is written by hand with the same framework.
//
//	go run ./bench/idle [-connections 5000] [-rounds 3]
//
// Each server is a process of its own, so that nothing of one is counted for another. Rounds are interleaved; the table
// shows medians, and ratios against the hand-written handler.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// asServer makes the program a server of that name; see servers.go.
const asServer = "ROWCAST_BENCH_SERVER"

var order = []string{"nethttp", "gin", "echo", "fiber"}

func main() {
	if name := os.Getenv(asServer); name != "" {
		serve(name)
		return
	}
	connections := flag.Int("connections", 5000, "open streams of each server")
	rounds := flag.Int("rounds", 3, "how often each is measured")
	flag.Parse()
	results := make(map[string][]sample)
	for range *rounds {
		for _, framework := range order {
			for _, kind := range []string{"hand", "rowcast"} {
				name := framework + "/" + kind
				s, err := measure(name, *connections)
				if err != nil {
					fmt.Fprintf(os.Stderr, "idle: %s: %v\n", name, err)
					os.Exit(1)
				}
				results[name] = append(results[name], s)
			}
		}
	}
	fmt.Printf("%d connections, medians of %d\n\n", *connections, *rounds)
	fmt.Println("| framework | bytes per connection, by hand | rowcast | ratio | µs to the first frame, by hand | rowcast | ratio |")
	fmt.Println("| --- | --: | --: | --: | --: | --: | --: |")
	for _, framework := range order {
		hand, ours := median(results[framework+"/hand"]), median(results[framework+"/rowcast"])
		fmt.Printf("| %s | %.0f | %.0f | %.2f | %.0f | %.0f | %.2f |\n", framework,
			hand.bytes, ours.bytes, ours.bytes/hand.bytes, hand.first, ours.first, ours.first/hand.first)
	}
}

// sample is one measurement.
type sample struct {
	bytes float64 // resident memory per connection
	first float64 // microseconds to the first frame, the median of all connections
}

func median(samples []sample) sample {
	pick := func(of func(sample) float64) float64 {
		var values []float64
		for _, s := range samples {
			values = append(values, of(s))
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return sample{pick(func(s sample) float64 { return s.bytes }), pick(func(s sample) float64 { return s.first })}
}

// measure starts a server, opens the streams, and ends it.
func measure(name string, connections int) (sample, error) {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), asServer+"="+name)
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		return sample{}, err
	}
	input, err := command.StdinPipe()
	if err != nil {
		return sample{}, err
	}
	if err := command.Start(); err != nil {
		return sample{}, err
	}
	defer func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	}()
	lines := bufio.NewScanner(output)
	if !lines.Scan() {
		return sample{}, fmt.Errorf("the server did not say its address")
	}
	address := lines.Text()
	before, err := settle(input, lines)
	if err != nil {
		return sample{}, err
	}
	times := make([]float64, 0, connections)
	for range connections {
		took, conn, err := open(address)
		if err != nil {
			return sample{}, err
		}
		defer conn.Close()
		times = append(times, float64(took.Nanoseconds())/1000)
	}
	after, err := settle(input, lines)
	if err != nil {
		return sample{}, err
	}
	slices.Sort(times)
	return sample{bytes: float64(after-before) / float64(connections), first: times[len(times)/2]}, nil
}

// settle has the server collect its garbage, and returns its resident memory.
func settle(input io.Writer, lines *bufio.Scanner) (int64, error) {
	if _, err := fmt.Fprintln(input, "memory"); err != nil {
		return 0, err
	}
	if !lines.Scan() {
		return 0, fmt.Errorf("the server has ended")
	}
	return strconv.ParseInt(lines.Text(), 10, 64)
}

// open opens one stream and reads up to the end of its first frame.
func open(address string) (time.Duration, net.Conn, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return 0, nil, err
	}
	begin := time.Now()
	if _, err := io.WriteString(conn, "GET /realtime?channel=Card HTTP/1.1\r\nHost: bench\r\n\r\n"); err != nil {
		return 0, nil, err
	}
	var got strings.Builder
	buffer := make([]byte, 4096)
	for !strings.Contains(got.String(), "\n\n") {
		n, err := conn.Read(buffer)
		if err != nil {
			return 0, nil, fmt.Errorf("after %q: %w", got.String(), err)
		}
		got.Write(buffer[:n])
	}
	return time.Since(begin), conn, nil
}
