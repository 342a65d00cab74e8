// Classification of the SDK's errors by the layer of the client in which they arose.

package mcpgo

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"mcp-compat/peers/contract"
)

// codes are those that the SDK has an error for. With any other, it gives the words of a server's error, and no more.
var codes = map[error]int64{
	mcp.ErrParseError:         mcp.PARSE_ERROR,
	mcp.ErrInvalidRequest:     mcp.INVALID_REQUEST,
	mcp.ErrMethodNotFound:     mcp.METHOD_NOT_FOUND,
	mcp.ErrInvalidParams:      mcp.INVALID_PARAMS,
	mcp.ErrInternalError:      mcp.INTERNAL_ERROR,
	mcp.ErrRequestInterrupted: mcp.REQUEST_INTERRUPTED,
	mcp.ErrResourceNotFound:   mcp.RESOURCE_NOT_FOUND,
}

// unread has the beginnings of the SDK's errors about a result that it cannot read.
var unread = []string{
	"failed to unmarshal",
	"response is nil",
	"unsupported content type",
	"unsupported resource type",
	"content is missing",
	"content is not an array",
	"content is not an object",
	"image data or mimeType is missing",
	"audio data or mimeType is missing",
	"resource is missing",
	"resource uri is missing",
	"resource_link uri or name is missing",
	"_meta must be an object",
}

// ofConnecting classifies an error that kept the session from being opened.
func ofConnecting(err error) *contract.Error {
	if code, ok := codeOf(err); ok {
		return contract.FailedWith(contract.Connect, code, err.Error())
	}
	return contract.Failed(contract.Connect, err)
}

// ofRequest classifies the error of a request. The SDK's transports wrap what arose in them; an error of the server and a result
// that could not be read both come bare. The latter is known by its words, which a server could use, too.
func ofRequest(err error) *contract.Error {
	var carried *transport.Error
	switch code, ok := codeOf(err); {
	case errors.As(err, &carried):
		return contract.Failed(ofCarrier(carried), err)
	case ok:
		return contract.FailedWith(contract.Protocol, code, err.Error())
	case ofJSON(err), slices.ContainsFunc(unread, func(words string) bool { return strings.HasPrefix(err.Error(), words) }):
		return contract.Failed(contract.Decode, err)
	default:
		return contract.Failed(contract.Protocol, err)
	}
}

// ofCarrier tells a session that was lost from an answer that could not be read.
func ofCarrier(err error) contract.Layer {
	var network net.Error
	switch {
	case errors.Is(err, transport.ErrSessionTerminated), errors.Is(err, context.Canceled), errors.As(err, &network),
		errors.Is(err, os.ErrClosed), errors.Is(err, syscall.EPIPE),
		strings.HasSuffix(err.Error(), "transport closed"): // transport.ErrTransportClosed is not there before 0.44.0.
		return contract.Connect
	default:
		return contract.Decode
	}
}

func ofJSON(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &kind)
}

func codeOf(err error) (int64, bool) {
	for known, code := range codes {
		if errors.Is(err, known) {
			return code, true
		}
	}
	return 0, false
}
