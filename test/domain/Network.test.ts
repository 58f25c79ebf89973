import { assert, it } from "@effect/vitest"
import { networkOf } from "../../src/domain/Network.ts"

it("the network of an IPv4 address is the address, and that of an IPv6 address is its /64 prefix", () => {
  const networks = [
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::1", "2001:db8:1:2::/64"],
    ["2001:db8::1:2:3:4:5", "2001:db8:0:1::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["unknown", "unknown"]
  ] as const
  for (const [address, network] of networks) assert.strictEqual(networkOf(address), network)
})
