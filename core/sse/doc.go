// Package sse is the HTTP side of rowcast: server-sent events as the WHATWG HTML standard defines them, for any web
// framework.
//
// A request passes three steps of a [Server], one file each: [Server.Open] (open.go) checks it in the documented order and answers either a
// refusal or a stream that may begin; the caller writes the headers; [Serve] (serve.go) writes frames (frame.go) until
// the stream ends. [Handler] is all three for net/http; the adapters for other frameworks are as small.
//
// [Decoder] (decode.go) reads a stream, for clients and tests.
package sse
