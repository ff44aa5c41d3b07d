// Package remotetest is, for tests only, a server of the Remote Execution API in memory: capabilities, storage, action cache, byte stream and
// execution, whose actions really run, in a folder of their own. It does what a real server cannot be made to do: answer late, cut streams,
// send wrong bytes, refuse, forget all in the middle. Nothing that ships imports this.
package remotetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"nirc/cache"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// Server is a server. Its fields are set before anything is sent, and read under Lock afterwards.
type Server struct {
	sync.Mutex
	// Run runs an action in a folder; the exit code and the standard error are the action's.
	Run func(ctx context.Context, dir string, args []string) (exit int32, text string)
	// Before, unless nil, is called with the name of each call before it is answered; its error is the answer.
	Before func(ctx context.Context, method string) error
	// Spoil, unless nil, may change the bytes of a blob that is sent.
	Spoil func(hash string, data []byte) []byte
	// NoInline keeps entries out of results, Zstd says that the server compresses, MaxBatch is its limit for batches.
	NoInline, Zstd bool
	MaxBatch       int64
	// Calls are counted by method.
	Calls map[string]int
	// Properties are the platform's of the last action that ran, Salt its salt, Ran how many did.
	Properties []string
	Salt       string
	Ran        int

	t       testing.TB
	listen  net.Listener
	address string
	grpc    *grpc.Server
	blobs   map[string][]byte
	results map[string]*repb.ActionResult
	ops     map[string]*operation

	repb.UnimplementedActionCacheServer
	repb.UnimplementedCapabilitiesServer
	repb.UnimplementedContentAddressableStorageServer
	repb.UnimplementedExecutionServer
	bytestream.UnimplementedByteStreamServer
}

// New makes a server that does not listen yet.
func New(t testing.TB) *Server {
	return &Server{t: t, Calls: map[string]int{}, blobs: map[string][]byte{}, results: map[string]*repb.ActionResult{}, ops: map[string]*operation{}}
}

// Start listens, at the address of before if it listened already, and returns host and port.
func (s *Server) Start() string {
	at := s.address
	if at == "" {
		at = "127.0.0.1:0"
	}
	var err error
	for range 100 { // the port of before may not be free at once
		if s.listen, err = net.Listen("tcp", at); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.address = s.listen.Addr().String()
	s.grpc = grpc.NewServer(grpc.MaxRecvMsgSize(64<<20), grpc.UnaryInterceptor(s.unary), grpc.StreamInterceptor(s.stream))
	repb.RegisterCapabilitiesServer(s.grpc, s)
	repb.RegisterActionCacheServer(s.grpc, s)
	repb.RegisterContentAddressableStorageServer(s.grpc, s)
	repb.RegisterExecutionServer(s.grpc, s)
	bytestream.RegisterByteStreamServer(s.grpc, s)
	server, listen := s.grpc, s.listen
	go server.Serve(listen)
	s.t.Cleanup(server.Stop)
	return s.address
}

// Restart stops the server in the middle of what it does, lets it forget everything, and starts it at the same address.
func (s *Server) Restart() {
	s.grpc.Stop()
	s.Lock()
	s.blobs, s.results, s.ops = map[string][]byte{}, map[string]*repb.ActionResult{}, map[string]*operation{}
	s.Unlock()
	s.Start()
}

// Stop stops the server.
func (s *Server) Stop() { s.grpc.Stop() }

// before counts a call and asks Before.
func (s *Server) before(ctx context.Context, method string) error {
	method = method[strings.LastIndexByte(method, '/')+1:]
	s.Lock()
	s.Calls[method]++
	f := s.Before
	s.Unlock()
	if f == nil {
		return nil
	}
	return f(ctx, method)
}

func (s *Server) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if err := s.before(ctx, info.FullMethod); err != nil {
		return nil, err
	}
	return next(ctx, req)
}

func (s *Server) stream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	if err := s.before(ss.Context(), info.FullMethod); err != nil {
		return err
	}
	return next(srv, ss)
}

// GetCapabilities says what the server takes.
func (s *Server) GetCapabilities(context.Context, *repb.GetCapabilitiesRequest) (*repb.ServerCapabilities, error) {
	c := &repb.CacheCapabilities{DigestFunctions: []repb.DigestFunction_Value{repb.DigestFunction_SHA256}, MaxBatchTotalSizeBytes: s.MaxBatch,
		ActionCacheUpdateCapabilities: &repb.ActionCacheUpdateCapabilities{UpdateEnabled: true}}
	if s.Zstd {
		c.SupportedCompressors = []repb.Compressor_Value{repb.Compressor_ZSTD}
	}
	return &repb.ServerCapabilities{CacheCapabilities: c, ExecutionCapabilities: &repb.ExecutionCapabilities{ExecEnabled: s.Run != nil, DigestFunction: repb.DigestFunction_SHA256}}, nil
}

// put keeps a blob and returns its digest.
func (s *Server) put(data []byte) *repb.Digest {
	sum := sha256.Sum256(data)
	d := &repb.Digest{Hash: hex.EncodeToString(sum[:]), SizeBytes: int64(len(data))}
	s.Lock()
	defer s.Unlock()
	s.blobs[d.Hash] = data
	return d
}

func (s *Server) get(d *repb.Digest) ([]byte, error) {
	s.Lock()
	defer s.Unlock()
	data, ok := s.blobs[d.GetHash()]
	if !ok && d.GetSizeBytes() > 0 {
		return nil, status.Errorf(codes.NotFound, "no blob %s", d.GetHash())
	}
	if s.Spoil != nil {
		data = s.Spoil(d.GetHash(), data)
	}
	return data, nil
}

func (s *Server) message(d *repb.Digest, m proto.Message) error {
	s.Lock()
	data, ok := s.blobs[d.GetHash()]
	s.Unlock()
	if !ok && d.GetSizeBytes() > 0 {
		return status.Errorf(codes.FailedPrecondition, "missing %s", d.GetHash())
	}
	return proto.Unmarshal(data, m)
}

// FindMissingBlobs says which blobs are not there.
func (s *Server) FindMissingBlobs(_ context.Context, r *repb.FindMissingBlobsRequest) (*repb.FindMissingBlobsResponse, error) {
	s.Lock()
	defer s.Unlock()
	resp := &repb.FindMissingBlobsResponse{}
	for _, d := range r.BlobDigests {
		if _, ok := s.blobs[d.Hash]; !ok && d.SizeBytes > 0 {
			resp.MissingBlobDigests = append(resp.MissingBlobDigests, d)
		}
	}
	return resp, nil
}

// BatchUpdateBlobs stores blobs, and refuses too many at once.
func (s *Server) BatchUpdateBlobs(_ context.Context, r *repb.BatchUpdateBlobsRequest) (*repb.BatchUpdateBlobsResponse, error) {
	if n := int64(proto.Size(r)); s.MaxBatch > 0 && n > s.MaxBatch {
		return nil, status.Errorf(codes.InvalidArgument, "a batch of %d bytes, at most %d are taken", n, s.MaxBatch)
	}
	resp := &repb.BatchUpdateBlobsResponse{}
	for _, q := range r.Requests {
		one := &repb.BatchUpdateBlobsResponse_Response{Digest: q.Digest}
		if d := s.put(q.Data); d.Hash != q.Digest.Hash {
			one.Status = status.New(codes.InvalidArgument, "wrong digest").Proto()
		}
		resp.Responses = append(resp.Responses, one)
	}
	return resp, nil
}

// BatchReadBlobs sends blobs, and refuses too many at once.
func (s *Server) BatchReadBlobs(_ context.Context, r *repb.BatchReadBlobsRequest) (*repb.BatchReadBlobsResponse, error) {
	resp, size := &repb.BatchReadBlobsResponse{}, int64(0)
	for _, d := range r.Digests {
		data, err := s.get(d)
		size += int64(len(data))
		resp.Responses = append(resp.Responses, &repb.BatchReadBlobsResponse_Response{Digest: d, Data: data, Status: status.Convert(err).Proto()})
	}
	if s.MaxBatch > 0 && size > s.MaxBatch {
		return nil, status.Errorf(codes.InvalidArgument, "a batch of %d bytes, at most %d are sent", size, s.MaxBatch)
	}
	return resp, nil
}

// GetActionResult sends a result, with its files in it unless NoInline.
func (s *Server) GetActionResult(_ context.Context, r *repb.GetActionResultRequest) (*repb.ActionResult, error) {
	s.Lock()
	result := s.results[r.GetActionDigest().GetHash()]
	s.Unlock()
	if result == nil {
		return nil, status.Error(codes.NotFound, "no result")
	}
	if s.NoInline {
		return result, nil
	}
	result = proto.Clone(result).(*repb.ActionResult)
	for _, f := range result.OutputFiles {
		data, err := s.get(f.Digest)
		if err != nil {
			return nil, err
		}
		if len(data) < 1<<20 {
			f.Contents = data
		}
	}
	return result, nil
}

// UpdateActionResult keeps a result, whose action and command must be there.
func (s *Server) UpdateActionResult(_ context.Context, r *repb.UpdateActionResultRequest) (*repb.ActionResult, error) {
	var a repb.Action
	var c repb.Command
	if err := s.message(r.ActionDigest, &a); err != nil {
		return nil, err
	}
	if err := s.message(a.CommandDigest, &c); err != nil {
		return nil, err
	}
	s.Lock()
	defer s.Unlock()
	s.results[r.ActionDigest.Hash] = r.ActionResult
	return r.ActionResult, nil
}

// blobName takes the name of a blob in the byte stream apart.
func blobName(name string) (hash string, size int, zstd bool) {
	parts := strings.Split(name, "/")
	size, err := strconv.Atoi(parts[len(parts)-1])
	if err != nil {
		size = -1 // which nothing has
	}
	return parts[len(parts)-2], size, strings.Contains(name, "compressed-blobs/zstd/")
}

// Read sends a blob in pieces.
func (s *Server) Read(r *bytestream.ReadRequest, out bytestream.ByteStream_ReadServer) error {
	hash, _, zstd := blobName(r.ResourceName)
	data, err := s.get(&repb.Digest{Hash: hash, SizeBytes: 1})
	if err != nil {
		return err
	}
	if zstd {
		data = cache.Compress(data)
	}
	for len(data) > 0 {
		n := min(len(data), 64<<10)
		if err := out.Send(&bytestream.ReadResponse{Data: data[:n]}); err != nil {
			return err
		}
		data = data[n:]
		if err := s.before(out.Context(), "Piece"); err != nil {
			return err
		}
	}
	return nil
}

// Write takes a blob in pieces.
func (s *Server) Write(in bytestream.ByteStream_WriteServer) error {
	var data []byte
	name := ""
	for {
		r, err := in.Recv()
		if err != nil {
			return err
		}
		if r.ResourceName != "" {
			name = r.ResourceName
		}
		if data = append(data, r.Data...); r.FinishWrite {
			break
		}
	}
	hash, size, zstd := blobName(name)
	n := int64(len(data))
	if zstd {
		var err error
		if data, err = cache.Expand(data, size); err != nil {
			return status.Error(codes.InvalidArgument, err.Error())
		}
	}
	if d := s.put(data); d.Hash != hash {
		return status.Error(codes.InvalidArgument, "wrong digest")
	}
	return in.SendAndClose(&bytestream.WriteResponse{CommittedSize: n})
}

// operation is an action under way.
type operation struct {
	name    string
	done    chan struct{}
	last    *longrunningpb.Operation // once done
	started chan struct{}
}
