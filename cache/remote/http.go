package remote

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"nirc/cache"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/protobuf/proto"
)

// httpServer is a cache of Bazel's HTTP protocol: /ac/SHA256 has the results of actions, /cas/SHA256 blobs.
type httpServer struct {
	base     string
	client   *http.Client
	headers  [][2]string
	user     *url.Userinfo
	compress bool
}

func newHTTP(u *url.URL, secure *tls.Config, headers [][2]string, compress bool) *httpServer {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DialContext = (&net.Dialer{Timeout: connectTimeout}).DialContext
	t.TLSHandshakeTimeout = connectTimeout
	t.TLSClientConfig = secure
	t.MaxIdleConnsPerHost = 64
	t.DisableCompression = true
	where := *u
	where.User = nil
	return &httpServer{base: strings.TrimSuffix(where.String(), "/"), client: &http.Client{Transport: t}, headers: headers, user: u.User, compress: compress}
}

// Close ends idle connections.
func (s *httpServer) Close() error {
	s.client.CloseIdleConnections()
	return nil
}

// Batch is one: HTTP has no call for several blobs.
func (s *httpServer) Batch() int { return 1 }

// Get asks for the result, and then for the blob that it names.
func (s *httpServer) Get(ctx context.Context, key cache.Digest) ([]byte, error) {
	action, _ := actionOf(key)
	data, err := s.get(ctx, "/ac/"+action.digest.Hash, -1)
	if err != nil {
		return nil, err
	}
	var result repb.ActionResult
	if err := proto.Unmarshal(data, &result); err != nil {
		return nil, &cache.Fault{Err: fmt.Errorf("%s: what it has for an action is no ActionResult: is it a cache of Bazel's kind?", s.base)}
	}
	f, err := entryOf(&result)
	if err != nil {
		return nil, err
	}
	if f.Digest.SizeBytes == 0 {
		return nil, check(f.Digest, nil) // nobody stores what is empty
	}
	if data, err = s.get(ctx, "/cas/"+f.Digest.Hash, f.Digest.SizeBytes); err != nil {
		return nil, err // a blob that is missing is a miss
	}
	return data, check(f.Digest, data)
}

// Put stores the blobs, then the results.
func (s *httpServer) Put(ctx context.Context, list []cache.Keyed) error {
	for _, e := range list {
		action, command := actionOf(e.Key)
		entry := newBlob(e.Data)
		for _, b := range []blob{entry, command, action} {
			if len(b.data) == 0 {
				continue
			}
			if err := s.put(ctx, "/cas/"+b.digest.Hash, b.data, s.compress); err != nil {
				return err
			}
		}
		if err := s.put(ctx, "/ac/"+action.digest.Hash, message(resultOf(entry)).data, false); err != nil {
			return err
		}
	}
	return nil
}

// get reads a path; size is that of the blob, -1 if it is not known.
func (s *httpServer) get(ctx context.Context, path string, size int64) ([]byte, error) {
	resp, err := s.do(ctx, http.MethodGet, path, nil, func(h http.Header) {
		if size >= 0 {
			h.Set("Accept-Encoding", "zstd, identity")
		}
	})
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	most := size
	if size < 0 {
		most = 1 << 20 // results are short
	}
	packed := resp.Header.Get("Content-Encoding") == "zstd"
	if packed {
		most += most/64 + 1<<10 // what does not compress grows
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err != nil {
		return nil, &cache.Fault{Err: fmt.Errorf("%s%s: %w", s.base, path, err), Again: true}
	}
	if packed && size >= 0 {
		if data, err = cache.Expand(data, int(size)); err != nil {
			return nil, &cache.Fault{Err: fmt.Errorf("%s%s: %w", s.base, path, err)}
		}
	}
	return data, nil
}

func (s *httpServer) put(ctx context.Context, path string, data []byte, compress bool) error {
	size := len(data)
	if compress {
		data = cache.Compress(data)
	}
	resp, err := s.do(ctx, http.MethodPut, path, data, func(h http.Header) {
		h.Set("Content-Type", "application/octet-stream")
		if compress {
			h.Set("Content-Encoding", "zstd")
			h.Set("X-Digest-SizeBytes", strconv.Itoa(size)) // bazel-remote asks for the size before
		}
	})
	if err != nil {
		return err
	}
	io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16))
	return resp.Body.Close()
}

// do makes a request; an answer other than 2xx is an error.
func (s *httpServer) do(ctx context.Context, method, path string, data []byte, set func(http.Header)) (*http.Response, error) {
	var body io.Reader
	if method == http.MethodPut {
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.base+path, body)
	if err != nil {
		return nil, &cache.Fault{Err: err}
	}
	set(req.Header)
	for _, h := range s.headers {
		req.Header.Add(h[0], h[1])
	}
	if s.user != nil {
		password, _ := s.user.Password()
		req.SetBasicAuth(s.user.Username(), password)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, &cache.Fault{Err: err, Again: ctx.Err() == nil}
	}
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16))
	resp.Body.Close()
	code := resp.StatusCode
	if code == http.StatusNotFound && method == http.MethodGet {
		return nil, cache.ErrAbsent
	}
	return nil, &cache.Fault{Err: fmt.Errorf("%s%s: %s", s.base, path, resp.Status), Again: code == http.StatusTooManyRequests || code >= 500,
		Denied: code == http.StatusUnauthorized || code == http.StatusForbidden}
}
