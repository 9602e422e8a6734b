package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"syscall"

	"github.com/wb-agent/wb/ports"
)

var (
	errHeaders = errors.New("no answer in time")
	errIdle    = errors.New("no data in time")
)

// transient reports whether an error came before any byte of an answer and may not come again.
func transient(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNREFUSED) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// explain gives an error its code and says what to do.
func (f *Fetcher) explain(ctx context.Context, r request, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*ports.Error](err); ok {
		return e // also one that a dialler gave, deep inside
	}
	origin := originOf(r.url)
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	fail := func(code, msg, fix string) error { return &ports.Error{Code: code, Msg: msg, Fix: fix, Err: err} }
	switch {
	case errors.Is(err, errHeaders):
		return ports.NewError(ports.CodeTimeout, origin+" did not answer within "+r.timeout.String(), "check that it runs, or give it more time")
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fail(ports.CodeTimeout, origin+": out of time", "give it more time")
	case ctx.Err() != nil:
		return fail(ports.CodeCancelled, origin+": cancelled", "")
	case errors.As(err, &dns):
		return fail(ports.CodeUnreachable, origin+": the name cannot be resolved", "check the spelling and the network")
	case errors.As(err, &cert) || errors.As(err, &unknown):
		return fail(ports.CodeUnreachable, origin+": its certificate is not trusted", "check the address; wb does not skip this check")
	}
	return fail(ports.CodeUnreachable, origin+" cannot be reached", "check that it runs and that the address and port are right")
}
