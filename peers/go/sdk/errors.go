// Classification of the SDK's errors by the layer of the client in which they arose.

package sdk

import (
	"errors"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcp-compat/peers/contract"
)

// rejectedByTransport is the code of the error that the SDK itself wraps around what its transport could not do. It is
// of the same type as a server's error, and the package that names it is internal.
const rejectedByTransport = -32005

// ofConnecting classifies an error that kept the session from being opened.
func ofConnecting(err error) *contract.Error {
	if answered, ok := ofServer(err); ok {
		return contract.FailedWith(contract.Connect, answered.Code, err.Error())
	}
	return contract.Failed(contract.Connect, err)
}

// ofRequest classifies the error of a request. What is neither a server's error nor a lost session could not be read.
func ofRequest(err error) *contract.Error {
	var unreachable *url.Error
	answered, ok := ofServer(err)
	switch {
	case ok:
		return contract.FailedWith(contract.Protocol, answered.Code, answered.Message)
	case errors.Is(err, mcp.ErrConnectionClosed), errors.As(err, &unreachable):
		return contract.Failed(contract.Connect, err)
	default:
		return contract.Failed(contract.Decode, err)
	}
}

func ofServer(err error) (*jsonrpc.Error, bool) {
	var answered *jsonrpc.Error
	if !errors.As(err, &answered) {
		return nil, false
	}
	own := answered.Code == rejectedByTransport && answered.Message == "rejected by transport"
	return answered, !own
}
