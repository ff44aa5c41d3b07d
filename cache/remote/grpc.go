package remote

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"nirc/cache"

	repb "github.com/bazelbuild/remote-apis/build/bazel/remote/execution/v2"
	"google.golang.org/genproto/googleapis/bytestream"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// grpcServer is a server of the Remote Execution API, version 2: its action cache, content-addressable storage and byte stream.
type grpcServer struct {
	conn     *grpc.ClientConn
	instance string
	headers  []string
	caps     repb.CapabilitiesClient
	actions  repb.ActionCacheClient
	blobs    repb.ContentAddressableStorageClient
	stream   bytestream.ByteStreamClient

	mu     sync.Mutex
	limits *limits    // nil until the server said them
	large  sync.Mutex // one large blob at a time is uploaded, so that none is twice
	gather gather
}

// limits are what a server takes.
type limits struct {
	batch int64 // bytes of a batch of blobs
	zstd  bool  // blobs may be compressed
	keep  bool  // it takes results of others than its workers
	exec  bool  // it runs actions
}

// defaultBatch is the size of a gRPC message unless the server says less, with room for the rest of it.
const defaultBatch = 4<<20 - 64<<10

func newGRPC(u *url.URL, secure *tls.Config, headers [][2]string, instance string) (*grpcServer, error) {
	creds := insecure.NewCredentials()
	if secure != nil {
		creds = credentials.NewTLS(secure)
	}
	conn, err := grpc.NewClient("passthrough:///"+u.Host, grpc.WithTransportCredentials(creds), grpc.WithUserAgent("nirc"),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 5 * time.Second}, MinConnectTimeout: connectTimeout}),
		// Calls that wait for workers may last: this finds out when the other end is gone without a word. More often no server wants to be asked.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 5 * time.Minute, Timeout: 20 * time.Second}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxBlob)))
	if err != nil {
		return nil, err
	}
	if instance == "" {
		instance = strings.Trim(u.Path, "/")
	}
	s := &grpcServer{conn: conn, instance: instance, caps: repb.NewCapabilitiesClient(conn), actions: repb.NewActionCacheClient(conn),
		blobs: repb.NewContentAddressableStorageClient(conn), stream: bytestream.NewByteStreamClient(conn)}
	for _, h := range headers {
		s.headers = append(s.headers, strings.ToLower(h[0]), h[1])
	}
	return s, nil
}

// Close ends the connection.
func (s *grpcServer) Close() error { return s.conn.Close() }

// Batch is bounded by what a call may take, a FindMissingBlobs and a few messages of blobs.
func (s *grpcServer) Batch() int { return 64 }

// fault sorts the errors of calls.
func fault(err error) error {
	if err == nil {
		return nil
	}
	code := status.Code(err)
	if code == codes.NotFound {
		return cache.ErrAbsent
	}
	var known *cache.Fault
	if errors.As(err, &known) {
		return err
	}
	return &cache.Fault{Err: err, Again: code == codes.Unavailable || code == codes.ResourceExhausted, Denied: code == codes.Unauthenticated || code == codes.PermissionDenied}
}

// begin adds the headers, and asks once what the server can do.
func (s *grpcServer) begin(ctx context.Context) (context.Context, *limits, error) {
	ctx = metadata.AppendToOutgoingContext(ctx, s.headers...)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.limits != nil {
		return ctx, s.limits, nil
	}
	c, err := s.caps.GetCapabilities(ctx, &repb.GetCapabilitiesRequest{InstanceName: s.instance})
	if err != nil {
		return ctx, nil, fault(err)
	}
	store := c.GetCacheCapabilities()
	if !slices.Contains(store.GetDigestFunctions(), repb.DigestFunction_SHA256) {
		return ctx, nil, &cache.Fault{Err: errors.New("the server has no cache of SHA-256"), Denied: true}
	}
	// What a server says of execution alone, as those do that only execute, leaves open whether it takes results: it is tried.
	s.limits = &limits{batch: defaultBatch, zstd: slices.Contains(store.GetSupportedCompressors(), repb.Compressor_ZSTD),
		keep: store.GetActionCacheUpdateCapabilities() == nil || store.GetActionCacheUpdateCapabilities().GetUpdateEnabled(), exec: c.GetExecutionCapabilities().GetExecEnabled()}
	if n := store.GetMaxBatchTotalSizeBytes(); n > 0 {
		s.limits.batch = min(n, defaultBatch)
	}
	return ctx, s.limits, nil
}

// Get asks for the result, in which servers may send small blobs, and for the blob.
func (s *grpcServer) Get(ctx context.Context, key cache.Digest) ([]byte, error) {
	ctx, lim, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	action, _ := actionOf(key)
	result, err := s.actions.GetActionResult(ctx, &repb.GetActionResultRequest{InstanceName: s.instance, ActionDigest: action.digest, InlineOutputFiles: []string{output}})
	if err != nil {
		return nil, fault(err)
	}
	f, err := entryOf(result)
	if err != nil {
		return nil, err
	}
	data := f.Contents
	if len(data) == 0 && f.Digest.SizeBytes > 0 {
		if f.Digest.SizeBytes <= lim.batch {
			data, err = s.readSmall(ctx, f.Digest, lim)
		} else {
			data, err = s.read(ctx, f.Digest, lim.zstd)
		}
		if err != nil {
			return nil, fault(err)
		}
	}
	return data, check(f.Digest, data)
}

// resource names a blob in the byte stream.
func (s *grpcServer) resource(upload string, d *repb.Digest, zstd bool) string {
	kind := "blobs"
	if zstd {
		kind = "compressed-blobs/zstd"
	}
	name := fmt.Sprintf("%s%s/%s/%d", upload, kind, d.Hash, d.SizeBytes)
	if s.instance != "" {
		name = s.instance + "/" + name
	}
	return name
}

// read reads a large blob.
func (s *grpcServer) read(ctx context.Context, d *repb.Digest, zstd bool) ([]byte, error) {
	r, err := s.stream.Read(ctx, &bytestream.ReadRequest{ResourceName: s.resource("", d, zstd)})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for {
		part, err := r.Recv()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		b.Write(part.GetData())
		if int64(b.Len()) > d.SizeBytes+d.SizeBytes/64+1<<10 {
			return nil, &cache.Fault{Err: fmt.Errorf("the server sends more than the %d bytes of %s", d.SizeBytes, d.Hash)}
		}
	}
	if !zstd {
		return b.Bytes(), nil
	}
	data, err := cache.Expand(b.Bytes(), int(d.SizeBytes))
	if err != nil {
		return nil, &cache.Fault{Err: err}
	}
	return data, nil
}

// Put stores the blobs that the server lacks, then the results.
func (s *grpcServer) Put(ctx context.Context, list []cache.Keyed) error {
	ctx, lim, err := s.begin(ctx)
	if err != nil {
		return err
	}
	if !lim.keep {
		return nil // it says that it takes none
	}
	var blobs []blob
	var updates []*repb.UpdateActionResultRequest
	for _, e := range list {
		action, command := actionOf(e.Key)
		entry := newBlob(e.Data)
		blobs = append(blobs, entry, command, action)
		updates = append(updates, &repb.UpdateActionResultRequest{InstanceName: s.instance, ActionDigest: action.digest, ActionResult: resultOf(entry)})
	}
	if err := s.sendMissing(ctx, blobs, lim); err != nil {
		return fault(err)
	}
	for _, u := range updates {
		if _, err := s.actions.UpdateActionResult(ctx, u); err != nil {
			return fault(err)
		}
	}
	return nil
}

// sendMissing uploads the blobs that the server lacks.
func (s *grpcServer) sendMissing(ctx context.Context, list []blob, lim *limits) error {
	missing, err := s.missing(ctx, list)
	if err != nil {
		return err
	}
	var small []blob
	for _, b := range missing {
		if b.digest.SizeBytes+eachBlob <= lim.batch {
			small = append(small, b)
			continue
		}
		if err := s.sendLarge(ctx, b, lim); err != nil {
			return err
		}
	}
	return s.send(ctx, small, lim)
}

// missing are the blobs that the server lacks, each once.
func (s *grpcServer) missing(ctx context.Context, list []blob) ([]blob, error) {
	by := map[string]blob{}
	find := &repb.FindMissingBlobsRequest{InstanceName: s.instance}
	for _, b := range list {
		if _, twice := by[b.digest.Hash]; !twice {
			by[b.digest.Hash] = b
			find.BlobDigests = append(find.BlobDigests, b.digest)
		}
	}
	resp, err := s.blobs.FindMissingBlobs(ctx, find)
	if err != nil {
		return nil, err
	}
	var lacks []blob
	for _, d := range resp.GetMissingBlobDigests() {
		if b, ours := by[d.GetHash()]; ours {
			lacks = append(lacks, b)
		}
	}
	return lacks, nil
}

// sendLarge uploads a large blob unless somebody else has done so meanwhile.
func (s *grpcServer) sendLarge(ctx context.Context, b blob, lim *limits) error {
	s.large.Lock()
	defer s.large.Unlock()
	missing, err := s.missing(ctx, []blob{b})
	if err != nil || len(missing) == 0 {
		return err
	}
	return s.write(ctx, b, lim.zstd)
}

// send uploads small blobs together.
func (s *grpcServer) send(ctx context.Context, list []blob, lim *limits) error {
	batch, size := &repb.BatchUpdateBlobsRequest{InstanceName: s.instance}, int64(0)
	flush := func() error {
		if len(batch.Requests) == 0 {
			return nil
		}
		resp, err := s.blobs.BatchUpdateBlobs(ctx, batch)
		batch, size = &repb.BatchUpdateBlobsRequest{InstanceName: s.instance}, 0
		for _, r := range resp.GetResponses() {
			err = errors.Join(err, status.FromProto(r.GetStatus()).Err())
		}
		return err
	}
	for _, b := range list {
		n := b.digest.SizeBytes + eachBlob
		if size+n > lim.batch || len(batch.Requests) == maxBatch {
			if err := flush(); err != nil {
				return err
			}
		}
		batch.Requests = append(batch.Requests, &repb.BatchUpdateBlobsRequest_Request{Digest: b.digest, Data: b.data})
		size += n
	}
	return flush()
}

// write uploads a large blob.
func (s *grpcServer) write(ctx context.Context, b blob, zstd bool) error {
	w, err := s.stream.Write(ctx)
	if err != nil {
		return err
	}
	data := b.data
	if zstd {
		data = cache.Compress(data)
	}
	name := s.resource("uploads/"+uuid()+"/", b.digest, zstd)
	for at := 0; ; {
		n := min(len(data)-at, 1<<20)
		req := &bytestream.WriteRequest{ResourceName: name, WriteOffset: int64(at), Data: data[at : at+n], FinishWrite: at+n == len(data)}
		if err := w.Send(req); err != nil && err != io.EOF { // EOF: the server has it already, or says why not
			return err
		} else if err == io.EOF {
			break
		}
		if at += n; req.FinishWrite {
			break
		}
		name = ""
	}
	_, err = w.CloseAndRecv()
	return err
}
