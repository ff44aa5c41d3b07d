// Package remote reaches caches on other machines by Bazel's conventions: HTTP's (/ac/ and /cas/, as bazel-remote and any web server
// that takes PUT have them), the Remote Execution API's over gRPC, and a folder. An entry is the output file of an action whose
// command names the entry's key; its bytes are a blob by their SHA-256, which is checked whenever one comes. There is
// no patience here: cache.Remote tries again, or does without.
package remote

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"nirc/cache"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/protobuf/proto"
)

// Options say how a server is reached.
type Options struct {
	// Headers are sent with each call, NAME=VALUE.
	Headers []string
	// Token, unless "", is sent as the bearer's.
	Token string
	// Instance is the instance name of the Remote Execution API.
	Instance string
	// CA is a file of certificates that are trusted, Certificate and Key are files of our own; "" is the system's, and none.
	CA, Certificate, Key string
	// Compress uploads zstd over HTTP, whose servers do not say whether they understand it; over gRPC they do.
	Compress bool
}

// connectTimeout is that of a connection.
const connectTimeout = time.Second

// Schemes are those that Dial knows.
var Schemes = []string{"http://", "https://", "grpc://", "grpcs://", "file:"}

// Dial makes a server of a URL. Nothing is sent yet; the error is about the URL or the options.
func Dial(address string, o Options) (cache.Server, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	if u.Scheme == "file" {
		path := u.Path
		if path == "" {
			path = u.Opaque
		}
		d, err := cache.Open(path)
		if err != nil {
			return nil, err
		}
		return folder{d}, nil
	}
	if u.Host == "" || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "grpc" && u.Scheme != "grpcs" {
		return nil, fmt.Errorf("want a URL that begins with %s", strings.Join(Schemes, ", "))
	}
	return o.dial(u)
}

// dial makes a server of a URL whose scheme is one of HTTP or gRPC.
func (o *Options) dial(u *url.URL) (cache.Server, error) {
	headers, err := o.headers()
	if err != nil {
		return nil, err
	}
	var secure *tls.Config
	if strings.HasSuffix(u.Scheme, "s") {
		if secure, err = o.tls(); err != nil {
			return nil, err
		}
	}
	if strings.HasPrefix(u.Scheme, "http") {
		return newHTTP(u, secure, headers, o.Compress), nil
	}
	return newGRPC(u, secure, headers, o.Instance)
}

// headers are the headers by name.
func (o *Options) headers() ([][2]string, error) {
	var list [][2]string
	for _, h := range o.Headers {
		name, value, ok := strings.Cut(h, "=")
		if !ok || name == "" || strings.ContainsAny(h, "\r\n") {
			return nil, fmt.Errorf("the header %q is not NAME=VALUE", h)
		}
		list = append(list, [2]string{name, value})
	}
	if t := strings.TrimSpace(o.Token); t != "" {
		list = append(list, [2]string{"Authorization", "Bearer " + t})
	}
	return list, nil
}

// tls reads the certificates.
func (o *Options) tls() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.CA != "" {
		pem, err := os.ReadFile(o.CA)
		if err != nil {
			return nil, err
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: no certificate in it", o.CA)
		}
	}
	if o.Certificate != "" || o.Key != "" {
		pair, err := tls.LoadX509KeyPair(o.Certificate, o.Key)
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// output is the path of the file that an action of ours has as its result.
const output = "entry"

// blob is bytes with their digest.
type blob struct {
	digest *repb.Digest
	data   []byte
}

func newBlob(data []byte) blob {
	sum := sha256.Sum256(data)
	return blob{&repb.Digest{Hash: hex.EncodeToString(sum[:]), SizeBytes: int64(len(data))}, data}
}

// sumBlob is the blob of a file whose sum is known.
func sumBlob(f *cache.File) blob {
	return blob{&repb.Digest{Hash: f.Sum.String(), SizeBytes: int64(len(f.Data))}, f.Data}
}

// message is the blob of a message.
func message(m proto.Message) blob {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		panic(err) // ours have no text that is not UTF-8
	}
	return newBlob(data)
}

// check reports whether bytes are those of a digest.
func check(d *repb.Digest, data []byte) error {
	if got := newBlob(data).digest; got.Hash != d.Hash || got.SizeBytes != d.SizeBytes {
		return &cache.Fault{Err: fmt.Errorf("the server has other bytes under %s", d.Hash)}
	}
	return nil
}

// actionOf is the action whose result is an entry, and its command.
func actionOf(key cache.Digest) (action, command blob) {
	command = message(&repb.Command{Arguments: []string{"nirc", "cache", "entry", key.String()}, OutputPaths: []string{output}})
	return message(&repb.Action{CommandDigest: command.digest, InputRootDigest: newBlob(nil).digest}), command
}

// resultOf is the result of the action.
func resultOf(entry blob) *repb.ActionResult {
	return &repb.ActionResult{OutputFiles: []*repb.OutputFile{{Path: output, Digest: entry.digest}}}
}

// maxBlob bounds what a result may claim.
const maxBlob = 1 << 30

// entryOf finds the entry in a result.
func entryOf(r *repb.ActionResult) (*repb.OutputFile, error) {
	for _, f := range r.GetOutputFiles() {
		if f.GetPath() == output && f.GetDigest() != nil && f.Digest.SizeBytes >= 0 && f.Digest.SizeBytes <= maxBlob && len(f.Digest.Hash) == 2*sha256.Size {
			return f, nil
		}
	}
	return nil, &cache.Fault{Err: errors.New("the server has something else under the digest of an action of nirc: is it a cache of Bazel's kind?")}
}
