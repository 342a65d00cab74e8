/**
 * Shared parts of the adapters of JVM SDKs: the peer contract, and nothing of any SDK.
 *
 * <pre>
 * main of a peer ─┬─ client         {@link mcpcompat.contract.ClientLoop}    jobs in, answers out
 *                 ├─ server         {@link mcpcompat.contract.Script}        one session
 *                 └─ server --http  {@link mcpcompat.contract.HostingLoop}   scripts in, paths served
 * </pre>
 *
 * <p>A peer implements {@link mcpcompat.contract.Client} and {@link mcpcompat.contract.Host} with
 * its SDK's public API. JSON is read and written here, without a library: one that came with the
 * contract would be another version of the library that an SDK brings, and would stand beside it or
 * in its place. Values are plain Java: {@code Map}, {@code List}, {@code String}, {@code Boolean},
 * {@code Number} and {@code null}.
 */
package mcpcompat.contract;
